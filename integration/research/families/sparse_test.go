package families_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestStrongPairs: each strong pair of a wide table is found among hundreds of independent ones, and kept: the model has
// most of its distance from independence. The noise is fixed daily. With one James–Stein factor for all scores, the fifth
// table loses its pair altogether and the third keeps half.
//
// The scores of m pairs have a standard deviation of √m/(μ·√share). With a share of .05 at ε = 1 that is 40 % of 2,000
// units for 780 pairs, as much as a strong pair is apart: such tables are left out.
func TestStrongPairs(t *testing.T) {
	const functional, correlated = families.Functional, families.Correlated
	for _, c := range []struct {
		table families.Sparse
		units int
		least float64 // of the true distance from independence
	}{
		{families.Sparse{Columns: 20, Strong: []families.Link{functional}}, 2000, .75},
		{families.Sparse{Columns: 20, Strong: []families.Link{correlated, functional}}, 5000, .75},
		{families.Sparse{Columns: 30, Strong: []families.Link{correlated}}, 10_000, .85},
		{families.Sparse{Columns: 40, Strong: []families.Link{functional, correlated, correlated}}, 20_000, .9},
		{families.Sparse{Columns: 40, Strong: []families.Link{correlated}}, 5000, .4},
		{families.Sparse{Columns: 60, Strong: []families.Link{functional, correlated, correlated, functional, correlated}}, 50_000, .95},
		{families.Sparse{Columns: 100, Strong: []families.Link{correlated, functional}}, 200_000, .95},
	} {
		if testing.Short() && c.table.Columns > 30 {
			continue // TestFit's time: make nightly runs them all
		}
		t.Run(fmt.Sprintf("%d/%d/%d", c.table.Columns, len(c.table.Strong), c.units), func(t *testing.T) {
			x := c.table.Make(c.units, 1)
			s, err := families.Solve(x, families.Request{Method: "rake", Neighbouring: dp.AddRemove, Epsilon: 1, Delta: 1e-9, Width: 2, Unrecorded: true},
				families.Fixed(dptest.Seed(t)))
			must.Do(t, err)
			for i := range c.table.Strong {
				first, second := c.table.Pair(i)
				q := domain.Clique{min(first, second), max(first, second)}
				got, want := dependence(s.Model.Marginal(q, nil), x.Sizes[q[1]]), dependence(x.Shares(q), x.Sizes[q[1]])
				must.Hold(t, got >= c.least*want, "strong pair %v: distance from independence %.3f, want at least %g of %.3f", q, got, c.least, want)
			}
		})
	}
}

// dependence returns the total variation between a table of two columns, whose second has the given size, and the table of
// independent columns with the same one-way tables.
func dependence(table []float64, size int) float64 {
	rows, columns, total := make([]float64, len(table)/size), make([]float64, size), 0.0
	for i, x := range table {
		rows[i/size] += x
		columns[i%size] += x
		total += x
	}
	sum := 0.0
	for i, x := range table {
		sum += math.Abs(x - rows[i/size]*columns[i%size]/total)
	}
	return sum / 2 / total
}
