package bounding

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Summary makes the weighted records of a person from all of its records, in a domain with Events. It does so once all
// of them are known, from how often the person has each different row, and so depends on nothing else.
type Summary struct {
	Cuts   []int64  // least number of rows of each bin
	Person [][2]int // first byte and number of bytes, in a packed row, of columns that are the same in all rows
	Usual  [][2]int // the same of columns whose commonest value is kept
	Wide   []int    // sizes of all attributes; the first of them are those of a record
	Width  int      // of a packed row of the domain's own records
	Unit   int      // the weights of a person add up to 2^Unit
}

// NewSummary returns the summary of a domain; nil if it has no Events.
func NewSummary(d *domain.Domain) *Summary {
	if d.Events == nil {
		return nil
	}
	records := NewLayout(d.Recorded().RecordSizes())
	rows := d.Attributes[d.Events.Columns].Cuts
	s := &Summary{Cuts: rows[:len(rows)-1], Wide: d.RecordSizes(), Width: records.Width(), Unit: d.WeightBits()}
	at := func(name string) [2]int {
		a := d.Index(name)
		return [2]int{records.offset[a], records.bytes[a]}
	}
	for _, name := range d.Events.Person {
		s.Person = append(s.Person, at(name))
	}
	for _, name := range d.Events.Usual {
		s.Usual = append(s.Usual, at(name))
	}
	return s
}

// OutWidth returns the number of bytes of a packed row with its summary and its weight.
func (s *Summary) OutWidth() int { return NewWeightedLayout(s.Wide, s.Unit).Width() }

// Append appends the weighted rows of a person to dst, and returns their number: the person has row i of rows times[i]
// times. A row that has no share, because there are too many, is left out. The columns of the person are those of the
// row of least rank in all of them.
func (s *Summary) Append(dst []byte, rank *Ranker, id, rows []byte, times []uint64) ([]byte, int) {
	summary := s.summary(rank, id, rows, times)
	who := rows[:s.Width]
	if !s.constant(rows) {
		i := rank.Least(id, rows, times)
		who = rows[i*s.Width : (i+1)*s.Width]
	}
	n := 0
	for i, share := range shares(s.Unit, rank, id, rows, times) {
		if share == 0 {
			continue
		}
		start := len(dst)
		dst = append(dst, rows[i*s.Width:(i+1)*s.Width]...)
		for _, p := range s.Person {
			copy(dst[start+p[0]:][:p[1]], who[p[0]:])
		}
		dst = append(append(dst, summary...), byte(share), byte(share>>8))
		n++
	}
	return dst, n
}

// constant reports whether the columns of the person are the same in all rows.
func (s *Summary) constant(rows []byte) bool {
	for i := s.Width; i < len(rows); i += s.Width {
		for _, p := range s.Person {
			if !bytes.Equal(rows[i+p[0]:][:p[1]], rows[p[0]:][:p[1]]) {
				return false
			}
		}
	}
	return true
}

// summary returns what is known of all rows: the bin of their number, and what is usual among them.
func (s *Summary) summary(rank *Ranker, id, rows []byte, times []uint64) (out []byte) {
	total := uint64(0)
	for _, n := range times {
		if total += n; total < n {
			total = 1<<64 - 1
			break
		}
	}
	bin, found := slices.BinarySearchFunc(s.Cuts, total, func(cut int64, total uint64) int {
		return cmp.Compare(uint64(cut), total)
	})
	if !found {
		bin-- // the first cut is 1
	}
	out = append(out, byte(bin)) // 256 bins are more than the least widths make
	for _, u := range s.Usual {
		out = append(out, s.usual(u, rank, id, rows, times)...)
	}
	return out
}

// usual returns the packed value that a person has most often; of several that one whose rank is least.
func (s *Summary) usual(at [2]int, rank *Ranker, id, rows []byte, times []uint64) []byte {
	if len(times) == 1 {
		return rows[at[0] : at[0]+at[1]]
	}
	often := map[string]uint64{}
	for i, n := range times {
		often[string(rows[i*s.Width+at[0]:][:at[1]])] += n
	}
	var best []byte
	for i := range times {
		value := rows[i*s.Width+at[0]:][:at[1]]
		if best == nil || often[string(value)] > often[string(best)] {
			best = value
			continue
		}
		if often[string(value)] == often[string(best)] && !bytes.Equal(value, best) {
			a, b := rank.Rank(id, value, 0), rank.Rank(id, best, 0)
			if bytes.Compare(a[:], b[:]) < 0 {
				best = value
			}
		}
	}
	return best
}
