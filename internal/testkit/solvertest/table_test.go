package solvertest

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// uniformErrors returns the errors of the uniform model on all triples of t.
func uniformErrors(t *Table) (largest, tv float64) {
	cliques := query.AllMarginals(t.Sizes, 3, 1<<40).Maximal().Cliques()
	uniform := make([]float64, len(t.Counts))
	for z := range uniform {
		uniform[z] = 1
	}
	return Errors(Marginals(t.Sizes, cliques, t.Counts), Marginals(t.Sizes, cliques, uniform))
}

func TestTree10(t *testing.T) {
	table := Tree10()
	must.Equal(t, table.Units(), 10_000, "units")
	largest, tv := uniformErrors(table)
	must.Hold(t, math.Abs(largest-.379) <= 5e-4 && math.Abs(tv-.275) <= 5e-4, "uniform model %.4f/%.4f, want .379/.275", largest, tv)
}

func TestAdult7(t *testing.T) {
	table := Adult7(t)
	n := table.Units()
	must.Hold(t, n == 48_842 && len(table.Counts) == 336_000, "%g units, %d cells, want 48842 and 336000", n, len(table.Counts))
	if testing.Short() {
		return
	}
	largest, tv := uniformErrors(table)
	must.Hold(t, math.Abs(largest-.354) <= 5e-4 && math.Abs(tv-.702) <= 5e-4, "uniform model %.4f/%.4f, want .354/.702", largest, tv)
}

// TestCuratorNoise: variances of the curator's releases by formula, and 4,000 noisy cells within 6
// standard errors of them: √(2/4000) of a Gaussian variance, √(5/4000) of a Laplace one.
func TestCuratorNoise(t *testing.T) {
	table := NewTable(4000)
	for _, c := range []struct {
		budget dp.Budget
		want   float64
		error  float64
	}{
		{dp.Budget{Capacity: .5}, 2, math.Sqrt(2. / 4000)},
		{dp.Budget{Neighbouring: dp.Replace, Accounting: dp.GaussianOnly, Capacity: .5}, 4, math.Sqrt(2. / 4000)},
		{dp.Budget{Accounting: dp.Pure, Capacity: .5}, 32, math.Sqrt(5. / 4000)},
		{dp.Budget{Neighbouring: dp.Replace, Accounting: dp.Pure, Capacity: .5}, 128, math.Sqrt(5. / 4000)},
	} {
		ms := must.Value(NewCurator(table, c.budget, 1).Measure("m", 1, []domain.Clique{{0}}, nil, dp.ShareOf(1, 2)))(t)
		got := 0.0
		for _, y := range ms[0].Values {
			got += y * y / 4000
		}
		must.Hold(t, ms[0].Variance == c.want && math.Abs(got/c.want-1) <= 6*c.error,
			"%+v: variance %g, of the noise %g, want %g", c.budget, ms[0].Variance, got, c.want)
	}
}

func TestCuratorRefuses(t *testing.T) {
	c := NewCurator(NewTable(3), dp.Budget{Capacity: 1}, 1)
	measure := func(round int, share dp.Share) error {
		_, err := c.Measure("m", round, []domain.Clique{{0}}, nil, share)
		return err
	}
	must.Pass(t, measure(1, dp.ShareOf(1, 2)))
	must.Hold(t, measure(1, dp.ShareOf(1, 4)) != nil, "a stage and round were answered twice")
	must.Hold(t, measure(2, dp.ShareOf(3, 4)) != nil, "the budget was overspent")
}

// TestReplayNotices: a question that changes without a change of the answers is refused.
func TestReplayNotices(t *testing.T) {
	c := NewCurator(NewTable(3), dp.Budget{Capacity: 1}, 1)
	must.Value(c.Total("total", dp.ShareOf(1, 2)))(t)
	must.Passes(c.Replay().Total("total", dp.ShareOf(1, 2)))(t)
	must.Fails(c.Replay().Total("total", dp.ShareOf(1, 3)))(t, "", "another share was not noticed")
}
