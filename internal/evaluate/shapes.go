package evaluate

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// shapes compares each column of the two tables on the domain's cells.
func shapes(truth, other *Table, d *domain.Domain) Property {
	items := make([]Item, d.Len())
	var s scratch
	for a := range items {
		attr := &d.Attributes[a]
		x, y := s.count(truth, other, domain.Clique{a})
		items[a] = Item{Columns: []string{attr.Name}, Metric: "cell_tv"}
		if numeric(attr) {
			items[a].Metric = "cell_ks"
			items[a].Score = ksComplement(x[:attr.Bins()], y[:attr.Bins()])
		} else {
			items[a].Score = tvComplement(withoutNull(attr, x), withoutNull(attr, y))
		}
	}
	return newProperty(items)
}

// numeric reports whether the attribute's cells are intervals of an ordered type.
func numeric(a *domain.Attribute) bool { return len(a.Values) == 0 }

func withoutNull(a *domain.Attribute, counts []int32) []int32 {
	if null, ok := a.NullCode(); ok {
		return counts[:null]
	}
	return counts
}

// ksComplement returns 1 − the two-sample Kolmogorov–Smirnov statistic of two columns given by the
// counts of the same ascending cells.
func ksComplement(x, y []int32) Score {
	n, m := total(x), total(y)
	if n == 0 || m == 0 {
		return undefined
	}
	distance, fx, fy := 0.0, int64(0), int64(0)
	for c := range x {
		fx += int64(x[c])
		fy += int64(y[c])
		distance = max(distance, math.Abs(float64(fx)/float64(n)-float64(fy)/float64(m)))
	}
	return Score(1 - distance)
}

// tvComplement returns 1 − TV of two columns given by the counts of the same cells.
func tvComplement(x, y []int32) Score {
	n, m := total(x), total(y)
	if n == 0 || m == 0 {
		return undefined
	}
	return Score(1 - difference(x, y, int(n), int(m)).tv)
}

func total(counts []int32) int64 {
	sum := int64(0)
	for _, n := range counts {
		sum += int64(n)
	}
	return sum
}
