package evaluate

import (
	"math"
	"slices"
	"sort"
)

// tally says how many cells of a set of marginals hold each count of rows; empty cells are left out.
type tally map[int32]int64

func (t tally) add(counts []int32) {
	for _, n := range counts {
		if n > 0 {
			t[n]++
		}
	}
}

func (t tally) merge(other tally) {
	for n, cells := range other {
		t[n] += cells
	}
}

// subsampleRows returns the smallest size s ≥ 1 of a simple random sample without replacement, of the
// rows of a table, whose expected average TV to the table is at most tv. The table has rows rows; t
// holds the counts of the cells of all the marginals, of which there are marginals.
//
// The expectation falls with s (a sample's mean deviation is convex, and the mean of a sample is the
// expectation of the mean of a subsample), so bisection is exact; it costs about log2(rows) passes over
// the different counts.
func subsampleRows(t tally, rows, marginals int, tv float64) int {
	levels := t.levels()
	return 1 + sort.Search(rows-1, func(i int) bool {
		return expectedTV(levels, rows, i+1)/float64(marginals) <= tv
	})
}

// level is a count of rows and the number of cells that hold it.
type level struct {
	rows  int
	cells int64
}

func (t tally) levels() []level {
	l := make([]level, 0, len(t))
	for n, cells := range t {
		l = append(l, level{rows: int(n), cells: cells})
	}
	slices.SortFunc(l, func(a, b level) int { return a.rows - b.rows })
	return l
}

// expectedTV returns the sum over marginals of E ½ Σ |sample share − table share| for a sample of s of
// the rows.
func expectedTV(levels []level, rows, s int) float64 {
	choose := logChoose(rows, s)
	sum := 0.0
	for _, l := range levels {
		sum += float64(l.cells) * meanDeviation(rows, l.rows, s, choose)
	}
	return sum / 2 / float64(s)
}

// meanDeviation returns E|X − E X| for X hypergeometric: the rows of a cell with k of the n rows that
// are among s drawn without replacement. choose is ln C(n, s).
//
// With g(x) = x·(n−k−s+x)·P(x) one finds g(x) − g(x+1) = n·(x − sk/n)·P(x), so that the upper half of
// the deviation telescopes: E|X − E X| = 2·g(m)/n with m = ⌊sk/n⌋ + 1, the smallest value above the
// mean. It is de Moivre's formula for drawing without replacement.
func meanDeviation(n, k, s int, choose float64) float64 {
	m := int(int64(s)*int64(k)/int64(n)) + 1
	if m > min(s, k) {
		return 0
	}
	logp := logChoose(k, m) + logChoose(n-k, s-m) - choose
	return 2 * float64(m) * float64(n-k-s+m) / float64(n) * math.Exp(logp)
}

// logChoose returns ln C(n, k) for 0 ≤ k ≤ n. Its absolute error is about n·ln n·1e-16.
func logChoose(n, k int) float64 {
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}
