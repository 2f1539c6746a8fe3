package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpam"
	"github.com/dapple-dp/dapple/solver/population"
	"github.com/dapple-dp/dapple/solver/solvertest"
)

// residualResult is a result over attributes of 3, 2, 4 values, of which value 2 of attribute 0 is pooled.
func residualResult() *solver.Result {
	m := &population.Model{Sizes: []int{3, 2, 4}, Weights: make([]float64, 24)}
	for i := range m.Weights {
		m.Weights[i] = float64(1 + i*i)
	}
	return &solver.Result{Model: m, Total: query.Total{Units: m.Total()}, RMSE: math.NaN(), Uncertainty: &solver.Uncertainty{
		Pooled: [][]bool{{false, false, true}, {false, false}, {false, false, false, false}},
		Ones:   []float64{4, 9, 16},
		Tables: []solver.TableUncertainty{
			{Clique: domain.Clique{0, 1}, Scale: .5, Precision: .1},
			{Clique: domain.Clique{0, 2}, Scale: .25},
			{Clique: domain.Clique{1, 2}, Scale: .125, Precision: .01},
			{Clique: domain.Clique{0, 1, 2}, Scale: .75, Precision: .02},
		},
	}}
}

// TestResidualFormula evaluates the formula of the documentation cell by cell, over every sub-table.
func TestResidualFormula(t *testing.T) {
	r := residualResult()
	v := New(r)
	all := domain.Clique{0, 1, 2}
	fitted := r.Model.Marginal(all, nil)
	got := v.StandardErrors(all, fitted, nil)
	record := make([]domain.Code, 3)
	for z, b := range fitted {
		r.Model.Record(z, record)
		sum := .25
		for a, noise := range r.Uncertainty.Ones {
			sub := r.Model.Marginal(domain.Clique{a}, nil)[record[a]]
			sum += noise * b * b / (sub * sub)
		}
		for _, table := range r.Uncertainty.Tables {
			sub := r.Model.Marginal(table.Clique, nil)[table.Clique.Cell(r.Model.Sizes, record)]
			x := table.Scale * math.Pow(sub+10, 1.5)
			sum += b * b / (sub * sub) * x / (1 + x*table.Precision)
		}
		want := 1.3 * math.Sqrt(sum)
		if record[0] == 2 {
			want = math.NaN()
		}
		if math.Abs(got[z]-want) > 1e-9*want || math.IsNaN(want) != math.IsNaN(got[z]) {
			t.Fatalf("record %v: %g, want %g", record, got[z], want)
		}
	}
}

// TestNothingKnown: tables that nobody looked at, wider ones, and results without a prediction have no
// intervals.
func TestNothingKnown(t *testing.T) {
	r := residualResult()
	r.Uncertainty.Tables = r.Uncertainty.Tables[1:]
	none := func(v *Intervals, c domain.Clique) {
		t.Helper()
		for _, s := range v.StandardErrors(c, r.Model.Marginal(c, nil), nil) {
			if !math.IsNaN(s) {
				t.Fatalf("%v: %g, want none", c, s)
			}
		}
	}
	none(New(r), domain.Clique{0, 1})
	none(New(r), domain.Clique{0, 1, 2})
	r.Uncertainty.Ones[1] = 0
	none(New(r), domain.Clique{1})
	r.Uncertainty = nil
	none(New(r), domain.Clique{0, 1})
}

// TestWholeCoverage: of DPAM on tree10, ± 2 standard errors hold the share of the cells that the
// documentation states. 8 fixed seeds.
func TestWholeCoverage(t *testing.T) {
	table := solvertest.Tree10()
	p := solvertest.Problem(table, 3, dp.AddRemove, 1, false)
	truth := &population.Model{Sizes: table.Sizes, Weights: table.Counts}
	inside, cells := map[int]float64{}, map[int]float64{}
	ratio := 0.0
	for seed := range uint64(8) {
		s := solvertest.Run(t, table, p, dp.ZCDP, .017205, seed, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
			return dpam.Solve(p, c)
		})
		v := New(s.Result)
		var largest Largest
		for _, m := range p.Workload.Marginals {
			fitted := s.Result.Model.Marginal(m.Clique, nil)
			se := v.StandardErrors(m.Clique, fitted, nil)
			largest.Add(se)
			for i, h := range truth.Marginal(m.Clique, nil) {
				cells[len(m.Clique)]++
				if math.Abs(h-fitted[i]) <= 2*se[i] {
					inside[len(m.Clique)]++
				}
			}
		}
		ratio += largest.Median() / (s.Largest * table.Units()) / 8
	}
	for k := 1; k <= 3; k++ {
		share := inside[k] / cells[k]
		t.Logf("%d-way: %.1f %% of cells within 2 standard errors", k, 100*share)
		if share < .85 {
			t.Errorf("%d-way: %.1f %% of cells within 2 standard errors, want 85 %%", k, 100*share)
		}
	}
	t.Logf("largest error: predicted over measured %.2f", ratio)
	if ratio < .8 || ratio > 2 { // errors of a table of few values are linked, so the largest is smaller
		t.Errorf("largest error: predicted over measured %.2f", ratio)
	}
}

// TestLargest compares with the largest of simulated normal errors: the median of 400 largest ones has a
// standard error of about 1 %.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	se := make([]float64, 3000)
	for i := range se {
		se[i] = math.Exp(rng.NormFloat64())
	}
	var l Largest
	l.Add(append(se, math.NaN()))
	below, m := 0, l.Median()
	for range 400 {
		worst := 0.0
		for _, s := range se {
			worst = max(worst, math.Abs(s*rng.NormFloat64()))
		}
		if worst < m {
			below++
		}
	}
	if l.Cells() != 3000 || below < 140 || below > 270 { // 200 ± 6 standard deviations, and the bins' width
		t.Errorf("%d cells; %d of 400 largest errors below the median %g", l.Cells(), below, m)
	}
	if none := (&Largest{}).Median(); none != 0 {
		t.Errorf("of nothing: %g", none)
	}
}

func BenchmarkStandardErrors(b *testing.B) {
	r := residualResult()
	r.Model = &population.Model{Sizes: []int{3, 2, 400}, Weights: make([]float64, 2400)}
	r.Uncertainty.Pooled[2] = make([]bool, 400)
	v, c := New(r), domain.Clique{0, 1, 2}
	fitted := r.Model.Marginal(c, nil)
	dst := make([]float64, len(fitted))
	b.ReportAllocs()
	for b.Loop() {
		v.StandardErrors(c, fitted, dst)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2400, "ns/cell")
}
