package contribution

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Summary makes the weighted records of a person from all of its records, in a domain with Events. It does so once all
// of them are known, from how often the person has each different row, and so depends on nothing else.
type Summary struct {
	Cuts   []int64  // least number of rows of each bin
	Person [][2]int // first byte and number of bytes, in a packed row, of columns that are the same in all rows
	Usual  [][2]int // the same of columns whose commonest value is kept
	Wide   []int    // sizes of all attributes; a record's attributes come first
	Width  int      // of a packed record, as NewRecordLayout lays it out
	Unit   int      // the weights of a person add up to 2^Unit
	None   []byte   // if people without rows exist: the record that stands for no row

	Sequence *Sequence // nil: rows have no order
}

// NewSummary returns the summary of a domain; nil if it has no Events.
func NewSummary(d *domain.Domain) *Summary {
	if d.Events == nil {
		return nil
	}
	records, first := NewRecordLayout(d), first(d)
	rows := d.Attributes[d.Events.Columns].Cuts
	s := &Summary{Cuts: rows[:len(rows)-1], Wide: d.RecordSizes(), Width: records.Width(), Unit: d.WeightBits()}
	if d.Events.NoRows {
		none := make([]domain.Code, 1+d.Events.Columns)
		for a := range d.Events.Columns {
			if !d.OfPerson(a) && !(d.Ordered() && a == d.Events.Gap()) {
				none[first+a] = domain.Code(s.Wide[a] - 1) // NULL
			}
		}
		s.None = records.Pack(nil, none)
	}
	at := func(name string) [2]int {
		a := first + d.Index(name)
		return [2]int{records.offset[a], records.bytes[a]}
	}
	for _, name := range d.Events.Person {
		s.Person = append(s.Person, at(name))
	}
	for _, name := range d.Events.Usual {
		s.Usual = append(s.Usual, at(name))
	}
	s.Sequence = newSequence(d, at)
	return s
}

// OutWidth returns the number of bytes of a packed row with its summary and its weight.
func (s *Summary) OutWidth() int { return NewWeightedLayout(s.Wide, s.Unit).Width() }

// Append appends the weighted rows of a person to dst, and returns their number: the person has row i of rows, which
// ascend, times[i] times. A row that has no share, because there are too many, is left out. The columns of the person are
// the columns of the row of least rank in all of them.
//
// If people without rows exist, rows of the table of people count too, and come last. The columns of the person are
// of those alone, and whoever has none is not among the people and gets no row at all.
func (s *Summary) Append(dst []byte, rank *Ranker, id, rows []byte, times []uint64) ([]byte, int) {
	people, often, mark := rows, times, 0
	if s.None != nil {
		mark = 1
		n := sort.Search(len(times), func(i int) bool { return rows[i*s.Width] == 1 })
		if people, often, rows, times = rows[n*s.Width:], times[n:], rows[:n*s.Width], times[:n]; len(often) == 0 {
			return dst, 0
		}
	}
	total := sum(times)
	if total == 0 {
		rows, times = s.None, []uint64{1}
	}
	who := people[:s.Width]
	if !s.constant(people) {
		i := rank.Least(id, people, often)
		who = people[i*s.Width : (i+1)*s.Width]
	}
	if s.Sequence != nil {
		return s.appendOrdered(dst, rank, id, rows, times, who, total)
	}
	summary, n := s.summary(total, rank, id, rows, times), 0
	for i, share := range shares(s.Unit, rank, id, rows, times) {
		if share == 0 {
			continue
		}
		start := len(dst) - mark
		dst = append(dst, rows[i*s.Width+mark:(i+1)*s.Width]...)
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

// sum returns the sum of times, or the largest number if that is larger.
func sum(times []uint64) (total uint64) {
	for _, n := range times {
		if total += n; total < n {
			return 1<<64 - 1
		}
	}
	return total
}

// summary returns what is known of all rows: the bin of their number, and what is usual among them.
func (s *Summary) summary(total uint64, rank *Ranker, id, rows []byte, times []uint64) (out []byte) {
	bin, found := slices.BinarySearchFunc(s.Cuts, total, func(cut int64, total uint64) int {
		return cmp.Compare(uint64(cut), total)
	})
	if !found {
		bin-- // the first cut is 0 or 1
	}
	for most := len(s.Cuts) - 1; ; most, bin = most>>8, bin>>8 { // in as many bytes as the layout has for it
		out = append(out, byte(bin))
		if most < 1<<8 {
			break
		}
	}
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
