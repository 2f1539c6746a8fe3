package bounding

import (
	"bytes"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Summary is what a person's record says of all of its records, in a domain with Events. It is formed once all of them
// are known, from how often the person has each different row, and so depends on nothing else.
type Summary struct {
	Cuts  []int64  // least number of rows of each bin
	Usual [][2]int // first byte and number of bytes, in a packed row, of columns whose commonest value is kept
	Wide  []int    // records of all attributes; the first of them are those of a record
	Width int      // of a packed row of the domain's own records
}

// NewSummary returns the summary of a domain; nil if it has no Events.
func NewSummary(d *domain.Domain) *Summary {
	if d.Events == nil {
		return nil
	}
	records := NewLayout(d.Recorded().RecordSizes())
	rows := d.Attributes[d.Events.Columns].Cuts
	s := &Summary{Cuts: rows[:len(rows)-1], Wide: d.RecordSizes(), Width: records.Width()}
	for _, name := range d.Events.Usual {
		a := d.Index(name)
		s.Usual = append(s.Usual, [2]int{records.offset[a], records.bytes[a]})
	}
	return s
}

// OutWidth returns the number of bytes of a packed row with its summary.
func (s *Summary) OutWidth() int { return NewLayout(s.Wide).Width() }

// Append appends the summary of a person to dst, which ends with the row that stands for it: the person has row i of
// rows times[i] times.
func (s *Summary) Append(dst []byte, rank *Ranker, id, rows []byte, times []uint64) []byte {
	total := uint64(0)
	for _, n := range times {
		if total += n; total < n {
			total = 1<<64 - 1
		}
	}
	bin, found := slices.BinarySearchFunc(s.Cuts, total, func(cut int64, total uint64) int {
		switch {
		case uint64(cut) < total:
			return -1
		case uint64(cut) > total:
			return 1
		}
		return 0
	})
	if !found {
		bin-- // the first cut is 1
	}
	dst = append(dst, byte(bin)) // 256 bins are more than the least widths make
	for _, u := range s.Usual {
		dst = append(dst, s.usual(u, rank, id, rows, times)...)
	}
	return dst
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
