package evaluate

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Column is one column of the two tables, as it is written. Real and Synthetic hold the same figures of
// each.
type Column struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	SDType string `json:"sdtype"` // what it is to SDMetrics: numerical, datetime, categorical, boolean

	Real      Summary `json:"real"`
	Synthetic Summary `json:"synthetic"`

	Histogram *Histogram `json:"histogram,omitempty"` // of numbers, dates and times
	Frequent  []Frequent `json:"frequent"`            // values that are most frequent in either table, by the larger share

	exact func(float64) string // writes the histogram's numbers, if these have an origin
}

// Summary describes a column of one table. Shares are of all rows. Numbers, and the quantiles of dates and
// times, are in native units: days since 1970-01-01 for DATE, microseconds for DATETIME, TIMESTAMP and TIME.
type Summary struct {
	Rows     int   `json:"rows"`
	Nulls    Score `json:"null_share"`
	Distinct int   `json:"distinct"` // values but NULL

	// Of numbers, dates and times; null if there is no value.
	Mean      Score      `json:"mean"`
	SD        Score      `json:"sd"`
	Zeros     Score      `json:"zero_share"`
	Quantiles []Quantile `json:"quantiles,omitempty"`
}

// Quantile is the least value that at least a share P of the values is not above.
type Quantile struct {
	P     float64 `json:"p"`
	Value float64 `json:"value"`
	Text  string  `json:"text"`
}

// Histogram gives the shares of all rows in equal bins. Of whole numbers with at most 64 values, multiples of their step,
// each value is a bin; of others bins lie between the .5th and the 99.5th percentile of the true table, and what lies
// outside is in the outer bins.
type Histogram struct {
	Origin    float64   `json:"origin,omitempty"` // what Edges are counted from, where float64 is too coarse for the numbers
	Step      float64   `json:"step,omitempty"`   // of whole numbers: bin i has Edges[i], Edges[i] + Step, … below Edges[i+1]
	Edges     []float64 `json:"edges"`
	Real      []float64 `json:"real"`
	Synthetic []float64 `json:"synthetic"`
}

// Frequent is a value with its share of all rows in each table.
type Frequent struct {
	Value     string  `json:"value"`
	Real      float64 `json:"real"`
	Synthetic float64 `json:"synthetic"`
}

const mostFrequent = 5 // values listed of each table

var quantiles = []float64{0, .01, .05, .25, .5, .75, .95, .99, 1}

// compareNumbers compares a column of numbers, dates or times.
func compareNumbers(t, o *values) (Column, Item) {
	c, item := t.compared("KSComplement")
	x, y := ascending(t), ascending(o)
	c.Real, c.Synthetic = t.summary(x), o.summary(y)
	if c.Histogram = newHistogram(x, y, len(t.numbers), len(o.numbers)); c.Histogram != nil && t.origin != 0 {
		c.Histogram.Origin, c.exact = inOnes(t.attr, t.origin), t.exact
	}
	at, nx, ny := together(x, y)
	c.Frequent = frequent(nx, ny, len(t.numbers), len(o.numbers), func(i int) string { return t.label(at[i]) })
	for _, list := range [][]float64{x, y} {
		for i := range list {
			if t.kind == numerical {
				list[i] = rounded(list[i]) // which is monotone
			}
		}
	}
	item.Score, item.Reason = kolmogorov(x, y), noValue(len(x), len(y))
	return c, item
}

// compareCategories compares a column of categories.
func compareCategories(t *values, m categories) (Column, Item) {
	c, item := t.compared("TVComplement")
	x, y := tallied(m.truth, m.n), tallied(m.other, m.n)
	c.Real, c.Synthetic = summaryOfTexts(x), summaryOfTexts(y)
	c.Frequent = t.frequentTexts(m, x[1:], y[1:])
	rows, others := len(m.truth)-int(x[0]), len(m.other)-int(y[0])
	if item.Reason = noValue(rows, others); item.Reason == "" {
		item.Score = similarity(x[1:], y[1:], rows, others)
	}
	return c, item
}

// compared returns the column and its score, both without figures yet.
func (v *values) compared(metric string) (Column, Item) {
	return Column{Name: v.attr.Name, Type: v.attr.Type.String(), SDType: v.kind.String()},
		Item{Columns: []string{v.attr.Name}, Metric: metric, TV: undefined, Score: undefined}
}

// Undeclared stands in lists of frequent values for all texts that the domain does not declare: they may be
// names. Where the domain has a value for them, as rows have it, that value stands for itself and for them. Numbers, dates
// and times stand for themselves.
const Undeclared = "(not declared)"

func (v *values) frequentTexts(m categories, x, y []int32) []Frequent {
	declared, undeclared := map[string]bool{}, Undeclared
	if v.attr.Other {
		undeclared = v.attr.OtherValue
	}
	for _, s := range v.attr.Values {
		declared[s] = true
	}
	if v.kind == boolean {
		declared["true"], declared["false"] = true, true
	}
	names, nx, ny := []string{undeclared}, []int32{0}, []int32{0}
	for i, s := range m.texts {
		if declared[s] {
			names, nx, ny = append(names, s), append(nx, x[i]), append(ny, y[i])
		} else {
			nx[0] += x[i]
			ny[0] += y[i]
		}
	}
	return frequent(nx, ny, len(m.truth), len(m.other), func(i int) string { return names[i] })
}

func tallied(codes []domain.Code, n int) []int32 {
	out := make([]int32, n)
	for _, c := range codes {
		out[c]++
	}
	return out
}

// summaryOfTexts describes a column of categories by its counts, NULL first.
func summaryOfTexts(counts []int32) Summary {
	s := Summary{Mean: undefined, SD: undefined, Zeros: undefined}
	for i, n := range counts {
		s.Rows += int(n)
		if i > 0 && n > 0 {
			s.Distinct++
		}
	}
	s.Nulls = Score(float64(counts[0]) / float64(s.Rows))
	return s
}

// ascending returns the numbers that are not NULL in ascending order.
func ascending(v *values) []float64 {
	out := make([]float64, 0, len(v.numbers))
	for _, x := range v.numbers {
		if x == x {
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return out
}

// summary describes the column by its values in ascending order.
func (v *values) summary(x []float64) Summary {
	rows := len(v.numbers)
	s := Summary{Rows: rows, Nulls: Score(float64(rows-len(x)) / float64(rows)), Mean: undefined, SD: undefined}
	if len(x) == 0 {
		return s
	}
	zeros, zero, origin := 0, v.offset(0), inOnes(v.attr, v.origin)
	for i, u := range x {
		if u == zero {
			zeros++
		}
		if i == 0 || u != x[i-1] {
			s.Distinct++
		}
	}
	mean, sd := stat.MeanStdDev(x, nil) // of one value the second is NaN, which is undefined
	s.Mean, s.SD, s.Zeros = Score(mean+origin), Score(sd), Score(float64(zeros)/float64(rows))
	for _, p := range quantiles {
		q := x[max(int(math.Ceil(p*float64(len(x))))-1, 0)]
		s.Quantiles = append(s.Quantiles, Quantile{P: p, Value: q + origin, Text: v.label(q)})
	}
	return s
}

// together returns the values of two ascending columns, each once, and how often each has them.
func together(x, y []float64) (at []float64, nx, ny []int32) {
	for i, j := 0, 0; i < len(x) || j < len(y); {
		v := math.Inf(1)
		if i < len(x) {
			v = x[i]
		}
		if j < len(y) {
			v = min(v, y[j])
		}
		n, m := i, j
		for i < len(x) && x[i] == v {
			i++
		}
		for j < len(y) && y[j] == v {
			j++
		}
		at, nx, ny = append(at, v), append(nx, int32(i-n)), append(ny, int32(j-m))
	}
	return at, nx, ny
}

// frequent returns the values that either table has most of, the more frequent ones first.
func frequent(x, y []int32, rows, others int, text func(int) string) []Frequent {
	chosen := map[int]bool{}
	for _, counts := range [][]int32{x, y} {
		for _, i := range mostOf(counts) {
			chosen[i] = true
		}
	}
	out := make([]Frequent, 0, len(chosen))
	for i := range chosen {
		out = append(out, Frequent{text(i), float64(x[i]) / float64(rows), float64(y[i]) / float64(others)})
	}
	slices.SortFunc(out, func(a, b Frequent) int {
		return cmp.Or(cmp.Compare(max(b.Real, b.Synthetic), max(a.Real, a.Synthetic)), cmp.Compare(a.Value, b.Value))
	})
	return out
}

// mostOf returns the positions of the largest counts, the first of equal ones, without zeros.
func mostOf(counts []int32) []int {
	var top []int
	for i, n := range counts {
		if n == 0 || len(top) == mostFrequent && counts[top[mostFrequent-1]] >= n {
			continue
		}
		k := len(top)
		for k > 0 && counts[top[k-1]] < n {
			k--
		}
		top = slices.Insert(top, k, i)
		top = top[:min(len(top), mostFrequent)]
	}
	return top
}
