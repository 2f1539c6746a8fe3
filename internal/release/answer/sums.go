package answer

import (
	"math"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// A column that a gap stands for is the sum of the columns before it and the gap, so a question about it is one about
// cells of these. Their cells are cut into equal parts, and a sum is known up to the width of the parts.

// withSums returns d with the column of each gap behind the others.
func withSums(d *domain.Domain) *domain.Domain {
	if len(d.Gaps) == 0 {
		return d
	}
	out := *d
	out.Attributes, out.Gaps = slices.Clone(d.Attributes), nil
	for _, g := range d.Gaps {
		a := g.Declared
		if a.Learned > 0 { // bins were learned of the gap, not of the column
			first, last := a.Cuts[0], a.Cuts[len(a.Cuts)-1]
			a.Learned, a.Runs = 0, nil
			a.Cuts = append([]int64{first}, append(between(first, last, a.Resolution, domain.DefaultLearned), last)...)
		}
		a.Coupling = nil
		out.Attributes = append(out.Attributes, a)
	}
	return &out
}

// between lists the multiples of a resolution at which a range is cut into equal parts.
func between(first, last, resolution int64, parts int) (at []int64) {
	n := (last-first)/resolution + 1
	k := min(int64(parts), n)
	for j := int64(1); j < k; j++ {
		at = append(at, first+resolution*int64(float64(n)*float64(j)/float64(k)))
	}
	return at
}

// addends names the columns that are added up for those that are named.
func (v *view) addends(named map[int]bool) {
	n := v.r.Domain.Len()
	for i := range slices.Backward(v.r.Domain.Gaps) { // the columns before it come from earlier gaps
		if g := &v.r.Domain.Gaps[i]; named[n+i] {
			named[g.Place] = true
			for _, a := range g.After {
				named[v.sumOr(a)], named[a] = true, true
			}
		}
	}
}

// sumOr returns the column that stands in a place of records: behind the others if a gap stands for it.
func (v *view) sumOr(place int) int {
	for i := range v.r.Domain.Gaps {
		if v.r.Domain.Gaps[i].Place == place {
			return v.r.Domain.Len() + i
		}
	}
	return place
}

// adds reports whether a column is added up for one that is asked about.
func (v *view) adds(i int) bool {
	for k, g := range v.r.Domain.Gaps {
		if slices.Contains(v.columns, v.r.Domain.Len()+k) && (g.Place == i || slices.Contains(g.After, i)) {
			return true
		}
	}
	return false
}

// counted reports whether something is computed with a column, itself or in a sum.
func (v *view) counted(i int) bool {
	for k, g := range v.r.Domain.Gaps {
		if slices.Contains(v.numbers, v.r.Domain.Len()+k) && (g.Place == i || slices.Contains(g.After, i)) {
			return true
		}
	}
	return slices.Contains(v.numbers, i)
}

const (
	mostPieces = 300_000 // of the cells that are added up, about
	mostParts  = 64      // of a cell
)

// fineness returns into how many parts the cells of columns that are added up are cut.
func (v *view) fineness() int {
	added, cells := 0, 1.0
	for _, i := range v.clique {
		cells *= float64(v.d.Attributes[i].Size())
		if v.adds(i) {
			added++
		}
	}
	if v.r.Model.Columns != nil {
		cells = min(cells, float64(len(v.r.Model.Weights)))
	}
	if added == 0 {
		return 1
	}
	return int(min(max(math.Pow(mostPieces/cells, 1/float64(added)), 1), mostParts))
}

// evenly returns where the bins of a column are cut into equal parts.
func evenly(a *domain.Attribute, parts int) (at []int64) {
	for c := range a.Bins() {
		if lo, hi, ok := a.Ends(domain.Code(c)); ok {
			at = append(at, between(lo, hi, max(a.Resolution, 1), parts)...)
		}
	}
	return at
}

// total is a sum: its mean and variance in a piece, in the units of its column.
type total struct {
	mean, variance float64
	ok             bool // false: NULL
}

// in returns a total as the numbers of a column.
func (t total) in(a *domain.Attribute) value {
	unit := math.Pow10(a.Scale)
	x := t.mean / unit
	return value{x, x*x + t.variance/(unit*unit), t.ok}
}

// of returns what is known of a column's value in a part of a cell.
func (v *view) of(i int, code domain.Code) total {
	lo, hi, ok := v.attrs[i].Ends(code)
	n := float64(hi-lo)/float64(max(v.attrs[i].Resolution, 1)) + 1
	step := float64(max(v.attrs[i].Resolution, 1))
	return total{float64(lo) + float64(hi-lo)/2, step * step * (n*n - 1) / 12, ok}
}

// addUp returns the columns that gaps stand for, and puts their codes behind the others of a record.
func (v *view) addUp(record []domain.Code) []total {
	n := v.r.Domain.Len()
	if len(v.columns) == len(v.clique) {
		return nil
	}
	sums := make([]total, len(v.r.Domain.Gaps))
	for i, g := range v.r.Domain.Gaps {
		if !slices.Contains(v.columns, n+i) {
			continue
		}
		gap := v.of(g.Place, record[g.Place])
		a := v.attrs[n+i]
		if null, can := a.NullCode(); !gap.ok {
			if can {
				record[n+i] = null
			}
			continue
		}
		most := total{mean: math.Inf(-1)}
		sum := total{ok: true}
		sum.mean = v.r.Domain.Above(i, gap.mean, func(column int) (float64, bool) {
			before := total{}
			if k := v.sumOr(column); k >= n {
				before = sums[k-n]
			} else {
				before = v.of(column, record[column])
			}
			if before.ok && before.mean > most.mean {
				most = before
			}
			return before.mean, before.ok
		})
		unit := v.r.Domain.Above(i, 1, func(int) (float64, bool) { return 0, false }) - v.r.Domain.Above(i, 0, func(int) (float64, bool) { return 0, false })
		sum.variance = most.variance + gap.variance*unit*unit
		sums[i] = sum
		record[n+i] = domain.Code(min(max(sort.Search(len(a.Cuts), func(k int) bool { return float64(a.Cuts[k]) > sum.mean })-1, 0), a.Bins()-1))
	}
	return sums
}
