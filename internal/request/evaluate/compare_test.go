package evaluate

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// near reports whether two sums of the same numbers in another order agree.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// bruteShares counts a marginal by its labels, as shares of rows.
func bruteShares(t *Table, d *domain.Domain, c domain.Clique) map[string]float64 {
	shares := map[string]float64{}
	for r := range t.Rows {
		key := ""
		for _, a := range c {
			key += "|" + d.Attributes[a].Label(t.Columns[a][r])
		}
		shares[key] += 1 / float64(t.Rows)
	}
	return shares
}

func bruteTV(x, y map[string]float64) (tv, largest float64) {
	keys := map[string]bool{}
	for k := range x {
		keys[k] = true
	}
	for k := range y {
		keys[k] = true
	}
	for k := range keys {
		e := math.Abs(x[k] - y[k])
		tv += e / 2
		largest = max(largest, e)
	}
	return tv, largest
}

func TestCompareAgreesWithBruteForce(t *testing.T) {
	d := people()
	tables := Tables{Real: randomTable(d, 700, 0.2, 1), Synthetic: randomTable(d, 311, 0.5, 2), Holdout: randomTable(d, 97, 0.2, 3)}
	w := query.AllMarginals(d.Sizes(), 3, 1000)
	report := must.Value(Compare(context.Background(), tables, w, d))(t)
	check := func(name string, got []Width, x, y *Table) {
		t.Helper()
		for k, width := range got {
			n, sum, worst, cell := 0, 0.0, 0.0, 0.0
			for _, m := range w.Marginals {
				if len(m.Clique) != k+1 {
					continue
				}
				tv, largest := bruteTV(bruteShares(x, d, m.Clique), bruteShares(y, d, m.Clique))
				n, sum, worst, cell = n+1, sum+tv, max(worst, tv), max(cell, largest)
			}
			must.Hold(t, width.K == k+1 && width.Marginals == n && near(width.AverageTV, sum/float64(n)) && near(width.LargestTV, worst) && near(width.LargestCell, cell),
				"%s: got %+v, want %d marginals, TV %g and %g, cell %g", name, width, n, sum/float64(n), worst, cell)
		}
	}
	check("real", report.Real.Widths, tables.Real, tables.Synthetic)
	check("holdout, synthetic", report.Holdout.Synthetic.Widths, tables.Holdout, tables.Synthetic)
	check("holdout, real", report.Holdout.Real, tables.Holdout, tables.Real)
	must.Equal(t, len(report.Real.Widths), 3, "widths")
	for i, m := range report.Real.Worst {
		must.Hold(t, i <= 0 || m.TV <= report.Real.Worst[i-1].TV, "worst[%d] has a larger TV than the one before it", i)
	}
}

func TestComparedClosesTheWorkload(t *testing.T) {
	w := query.Workload{Sizes: []int{2, 2, 2, 2}, Marginals: []query.Marginal{
		{Clique: domain.Clique{1, 3}, Weight: 1}, {Clique: domain.Clique{0, 1, 2, 3}, Weight: 1}}}
	want := []domain.Clique{{0}, {1}, {2}, {3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3},
		{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}}
	got := compared(w)
	must.Hold(t, reflect.DeepEqual(got, want), "compared = %v, want %v", got, want)
	closed := query.AllMarginals([]int{3, 40, 5, 6}, 3, 200)
	got = compared(closed)
	must.Hold(t, reflect.DeepEqual(got, closed.Cliques()), "a workload of all marginals within a limit: got %v, want itself, %v", got, closed.Cliques())
}

func TestCompareRefuses(t *testing.T) {
	d := people()
	w := query.AllMarginals(d.Sizes(), 2, 1000)
	table := randomTable(d, 10, 0.2, 1)
	for name, tables := range map[string]Tables{
		"true":      {Real: NewTable(d), Synthetic: table},
		"synthetic": {Real: table, Synthetic: NewTable(d)},
		"holdout":   {Real: table, Synthetic: table, Holdout: NewTable(d)},
	} {
		_, err := Compare(context.Background(), tables, w, d)
		must.Hold(t, errors.Is(err, ErrNoRows) && strings.Contains(err.Error(), "the "+name+" table has no rows"), "the %s table is empty: error %v", name, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ended, Tables{Real: table, Synthetic: table}, w, d); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: error %v, want context.Canceled", err)
	}
	for name, broken := range map[string]*Table{
		"code outside": newTable(d, []domain.Code{9, 0, 0, 0}),
		"other sizes":  {Sizes: []int{3, 5, 3, 4}, Columns: make([][]domain.Code, 4)},
		"short column": {Sizes: d.Sizes(), Rows: 1, Columns: make([][]domain.Code, 4)},
		"few columns":  {Sizes: d.Sizes()[:3], Columns: make([][]domain.Code, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				must.Hold(t, recover() != nil, "no panic")
			}()
			_, err := Compare(context.Background(), Tables{Real: table, Synthetic: broken}, w, d)
			t.Errorf("returned %v", err)
		})
	}
}
