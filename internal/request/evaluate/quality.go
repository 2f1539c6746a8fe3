package evaluate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"github.com/dapple-dp/dapple/internal/kit/background"
)

// SDMetrics is the release of SDMetrics whose figures Values gives.
const SDMetrics = "0.32.0"

// Thresholds of SDMetrics' quality report: pairs of columns that the true table associates less have no score.
const (
	correlated = .5 // |Pearson's r|
	associated = .3 // Cramér's V
)

// compareValues compares the values of other with the values of truth: each column, and each pair of columns.
func compareValues(ctx context.Context, truth, other []*values) (*Values, error) {
	v := &Values{SDMetrics: SDMetrics, Columns: make([]Column, len(truth))}
	shapes, coded := make([]Item, len(truth)), make([]categories, len(truth))
	for a, t := range truth {
		if t.kind.continuous() {
			coded[a] = ownBins(t, other[a])
			v.Columns[a], shapes[a] = compareNumbers(t, other[a])
		} else {
			coded[a] = matched(t, other[a])
			v.Columns[a], shapes[a] = compareCategories(t, coded[a])
		}
	}
	v.Shapes = newProperty(shapes)
	var err error
	v.Trends, err = compareTrends(ctx, truth, other, coded)
	v.Overall = mean(v.Shapes.Average, v.Trends.Average)
	return v, err
}

// noValue says which of the tables has no value but NULL in a column, given how many values each has.
func noValue(truth, other int) string {
	switch {
	case truth == 0:
		return "all values of the true table are NULL, or not of its type"
	case other == 0:
		return "all values of the synthetic table are NULL, or not of its type"
	}
	return ""
}

// rounded returns x to 14 decimal places, as KSComplement rounds it.
func rounded(x float64) float64 {
	if r := math.RoundToEven(x*1e14) / 1e14; !math.IsInf(r, 0) {
		return r
	}
	return x
}

// kolmogorov returns 1 − the two-sample Kolmogorov–Smirnov statistic of two ascending columns.
func kolmogorov(x, y []float64) Score {
	if len(x) == 0 || len(y) == 0 {
		return undefined
	}
	return Score(1 - stat.KolmogorovSmirnov(x, nil, y, nil))
}

// compareTrends compares each pair of columns, coded as categories. Pairs that the true table hardly associates have no score.
func compareTrends(ctx context.Context, truth, other []*values, coded []categories) (Property, error) {
	var pairs [][]int
	if len(truth) > 1 {
		pairs = combin.Combinations(len(truth), 2)
	}
	items := make([]Item, len(pairs))
	err := background.OnAllCores(ctx, len(pairs), func(next func() (int, bool)) {
		for i, ok := next(); ok; i, ok = next() {
			items[i] = trend(truth, other, coded, pairs[i])
		}
	})
	return newProperty(items), err
}

func trend(truth, other []*values, coded []categories, pair []int) Item {
	a, b := pair[0], pair[1]
	item := Item{
		Columns: []string{truth[a].attr.Name, truth[b].attr.Name}, Metric: "ContingencySimilarity",
		TV: undefined, Score: undefined,
	}
	if truth[a].kind.continuous() && truth[b].kind.continuous() {
		item.Metric = "CorrelationSimilarity"
		r, s := pearson(truth[a].numbers, truth[b].numbers), pearson(other[a].numbers, other[b].numbers)
		item.Association = &Association{Score(r), Score(s)}
		switch {
		case math.IsNaN(r):
			item.Reason = "constant in the true table"
		case math.Abs(r) <= correlated:
			item.Reason = "weakly correlated in the true table"
		case math.IsNaN(s):
			item.Reason = "constant in the synthetic table"
		default:
			item.Score = Score(1 - math.Abs(r-s)/2)
		}
		return item
	}
	p := cross(coded[a], coded[b])
	item.Association = &Association{Score(p.cramer(0)), Score(p.cramer(1))}
	switch {
	case !item.Association.Real.Defined():
		item.Reason = "constant in the true table"
	case item.Association.Real <= associated:
		item.Reason = "weakly associated in the true table"
	default:
		item.Score = similarity(p.counts[0], p.counts[1], len(coded[a].truth), len(coded[a].other))
	}
	return item
}

// pearson returns Pearson's coefficient of two columns over the rows where neither is NULL; NaN if either
// is constant there.
func pearson(x, y []float64) float64 {
	var xs, ys []float64
	for i, u := range x {
		if v := y[i]; u == u && v == v {
			xs, ys = append(xs, u), append(ys, v)
		}
	}
	if len(xs) == 0 || constant(xs) || constant(ys) { // exactly: rounding gives a constant column some variance
		return math.NaN()
	}
	return min(max(stat.Correlation(xs, ys, nil), -1), 1)
}

func constant(x []float64) bool { return floats.Min(x) == floats.Max(x) }
