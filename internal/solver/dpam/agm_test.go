package dpam

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// tree10 returns an oracle for all triples of the reference table, with exact measurements.
func tree10(t *testing.T, variance float64) (*dense.Oracle, []query.Measurement, *solvertest.Table) {
	t.Helper()
	table := solvertest.Tree10()
	w := solvertest.Problem(table, 3, dp.Replace, 1, false).Workload.Maximal()
	plan := dense.NewPlan(table.Sizes, w.Cliques())
	o := dense.NewOracle(plan)
	h, _ := plan.NewAnswers()
	o.Eval(table.Counts, h)
	ms := make([]query.Measurement, len(h))
	for i := range ms {
		ms[i] = query.Measurement{Clique: w.Marginals[i].Clique, Values: h[i], Variance: variance}
	}
	return o, ms, table
}

// noisy returns ms with Gaussian noise of their variance.
func noisy(ms []query.Measurement, rng *rand.Rand) []query.Measurement {
	out := slices.Clone(ms)
	for i := range out {
		out[i].Values = slices.Clone(ms[i].Values)
		for c := range out[i].Values {
			out[i].Values[c] += math.Sqrt(ms[i].Variance) * rng.NormFloat64()
		}
	}
	return out
}

func start(o *dense.Oracle, r *risk) *descent {
	x := prior(nil, o.Plan().Len())
	d := newDescent(o, r, r.target, x, make([]float64, len(x)))
	return d
}

// TestExactAnswers: on answers without noise the descent reaches a largest error of 1e-4 by step 200
// and of 2e-5 by step 500, with a smoothness within [.02, .5] throughout.
func TestExactAnswers(t *testing.T) {
	o, ms, _ := tree10(t, 1)
	r := newRisk(o.Plan(), ms, 10_000, FitSettings{Seed: 1})
	d := start(o, r)
	first := d.loss()
	for step := 1; step <= 500; step++ {
		d.step()
		must.Need(t, d.smoothness >= .02 && d.smoothness <= .5, "step %d: smoothness %g", step, d.smoothness)
		if d.loss() > first {
			t.Fatalf("step %d: loss %g above the loss of the start, %g", step, d.loss(), first)
		}
		largest := 0.0
		for c, q := range d.qx {
			largest = max(largest, math.Abs(q-r.target[c]))
		}
		limit := map[int]float64{200: 1e-4, 500: 2e-5}[step]
		must.Hold(t, limit <= 0 || largest <= limit, "step %d: largest error %g, want at most %g", step, largest, limit)
	}
	t.Logf("%d evaluations, smoothness %.3f", d.evaluations, d.smoothness)
	must.Hold(t, d.evaluations <= 600, "%d evaluations for 500 steps, want at most 600", d.evaluations)
}

// TestDivergenceIdentity compares the divergence from marginals with the sum over the universe, and the
// running marginals with the marginals of the running average, also with uneven variances.
func TestDivergenceIdentity(t *testing.T) {
	t.Run("all cells", func(t *testing.T) { divergenceIdentity(t, nil) })
	// From a start that is 0 on a third of the cells: 0·ln 0 counts as 0.
	t.Run("impossible cells", func(t *testing.T) {
		divergenceIdentity(t, domain.Exclusions{{Clique: domain.Clique{0, 3}, Codes: [][]domain.Code{{1}, {0}}},
			{Clique: domain.Clique{2, 5, 9}, Codes: [][]domain.Code{{0}, {1}, {0, 1}}}})
	})
}

func divergenceIdentity(t *testing.T, never domain.Exclusions) {
	o, ms, _ := tree10(t, 100)
	sizes := []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}
	for i := range ms {
		ms[i].Variance *= 1 + float64(i%3)
	}
	r := newRisk(o.Plan(), noisy(ms, rand.New(rand.NewPCG(1, 1))), 10_000, FitSettings{Seed: 1})
	uniform := dense.Uniform(sizes, never)
	d := newDescent(o, r, r.target, uniform, make([]float64, o.Plan().Len()))
	views, q := o.Plan().NewAnswers()
	u := make([]float64, o.Plan().Len())
	for range 40 {
		d.step()
		dense.Softmax(d.z, u)
		logZ := d.try(.7, 3)
		got, square := d.progress(logZ)
		want := 0.0
		for z, p := range d.u {
			if p > 0 {
				want += p * (math.Log(p) - math.Log(u[z]))
			}
		}
		must.Need(t, math.Abs(got-want) <= 1e-9, "divergence %g, direct sum %g", got, want)
		must.Need(t, square/2 <= worstSmoothness*want, "worst smoothness violated: %g > %g", square/2, want)
		o.Eval(d.x, views)
		for c := range q {
			must.Need(t, math.Abs(q[c]-d.qx[c]) <= 1e-13, "marginal of the average %g, running %g", q[c], d.qx[c])
		}
		s := summation.Long(d.x)
		must.Need(t, math.Abs(s-1) <= 1e-12, "average sums to %g", s)
		never.Cells(domain.Clique{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, sizes, func(z int) {
			must.Need(t, d.x[z] == 0 && d.u[z] == 0, "impossible cell %d has probability %g", z, d.x[z])
		})
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	o, ms, _ := tree10(t, 100)
	d := start(o, newRisk(o.Plan(), ms, 10_000, FitSettings{Seed: 1}))
	must.Equal(t, testing.AllocsPerRun(20, d.step), 0, "allocations per step")
}

// TestRiskIsUnbiased: at a fixed step the estimate has the mean of the true squared error. 200 fixed
// seeds; 4 standard errors would be a false alarm in 6e-5 of all choices of seeds. Uneven variances
// check that each marginal's is used.
func TestRiskIsUnbiased(t *testing.T) {
	o, ms, _ := tree10(t, 120/(2*.017205))
	for _, uneven := range []bool{false, true} {
		if uneven {
			for i := range ms {
				ms[i].Variance *= []float64{.5, 1, 4}[i%3]
			}
		}
		var count, weight moments
		for seed := range uint64(200) {
			r := newRisk(o.Plan(), noisy(ms, rand.New(rand.NewPCG(seed, 2))), 10_000, FitSettings{Seed: seed})
			run := start(o, r)
			companion := newDescent(o, r, r.perturbed, prior(nil, o.Plan().Len()), run.u)
			for range 30 {
				run.step()
				companion.step()
			}
			weighted, counts, _ := r.estimate(run.qx, companion.qx)
			trueCounts, trueWeighted := squaredError(ms, run.qx)
			count.add(counts - trueCounts)
			weight.add(weighted - trueWeighted)
		}
		for name, m := range map[string]moments{"counts": count, "weighted": weight} {
			mean, se := m.meanAndError()
			t.Logf("uneven %t, %s: estimate − truth = %.1f ± %.1f", uneven, name, mean, se)
			must.Hold(t, math.Abs(mean) <= 4*se, "uneven %t, %s: estimate − truth = %g ± %g", uneven, name, mean, se)
		}
	}
}

func squaredError(ms []query.Measurement, q []float64) (counts, weighted float64) {
	for _, m := range ms {
		for _, h := range m.Values {
			e := 10_000*q[0] - h
			counts += e * e
			weighted += e * e / m.Variance
			q = q[1:]
		}
	}
	return counts, weighted
}

type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n++; m.sum += x; m.squares += x * x }

func (m *moments) meanAndError() (mean, se float64) {
	mean = m.sum / m.n
	return mean, math.Sqrt((m.squares/m.n - mean*mean) / m.n)
}

// TestStoppingRule: the total variation of the kept iterate is within 15 % of the best on the path for
// 90 % of 60 seeds, and the predicted mean square error is the true one but for the optimism of having
// chosen the least estimate (6 %) and a standard error of 5 %.
func TestStoppingRule(t *testing.T) {
	o, ms, _ := tree10(t, 120/(2*.017205))
	var ratios []float64
	predicted, actual := 0.0, 0.0
	for seed := range uint64(60) {
		y := noisy(ms, rand.New(rand.NewPCG(seed, 3)))
		fit := must.Value(Fit(o, y, 10_000, FitSettings{Seed: seed}))(t)
		d := start(o, newRisk(o.Plan(), y, 10_000, FitSettings{Seed: seed}))
		best, kept := math.Inf(1), 0.0
		for step := 1; step <= 80; step++ {
			d.step()
			tv := 0.0
			for c, h := range flat(ms) {
				tv += math.Abs(d.qx[c] - h/10_000)
			}
			best = min(best, tv)
			if step == fit.Iterations {
				kept = tv
				counts, _ := squaredError(ms, d.qx)
				predicted += fit.RMSE * fit.RMSE / 60
				actual += counts / float64(len(d.qx)) / 60
			}
		}
		ratios = append(ratios, kept/best)
	}
	slices.Sort(ratios)
	q := ratios[len(ratios)*9/10]
	must.Hold(t, q <= 1.15, "90 %% quantile of error/best %g, want at most 1.15", q)
	t.Logf("mean square error predicted %.1f, true %.1f counts²", predicted, actual)
	r := predicted / actual
	must.Hold(t, r >= .75 && r <= 1.15, "mean square error predicted %.1f, true %.1f counts²", predicted, actual)
	t.Logf("median %.3f, 90 %% quantile %.3f", ratios[30], ratios[54])
}

func flat(ms []query.Measurement) (all []float64) {
	for _, m := range ms {
		all = append(all, m.Values...)
	}
	return all
}

// TestPrior: a prior that is already right is kept, and a cell of prior 0 stays at 0.
func TestPrior(t *testing.T) {
	o, ms, table := tree10(t, 1e4)
	fit := must.Value(Fit(o, ms, 10_000, FitSettings{Prior: table.Counts}))(t)
	for z, n := range table.Counts {
		must.Need(t, math.Abs(fit.Weights[z]-n/10_000) <= 1e-4 && (n != 0 || fit.Weights[z] == 0), "cell %d: weight %g, prior %g", z, fit.Weights[z], n/10_000)
	}
}

// TestProject: a fit to exact residuals along one axis reaches them, and a projection that changes nothing changes nothing.
func TestProject(t *testing.T) {
	o, ms, _ := tree10(t, 1)
	first := func(a query.Answers) { // centres the first axis of each 2×2×2 table
		for _, table := range a {
			for c := range 4 {
				d := (table[c] - table[4+c]) / 2
				table[c], table[4+c] = d, -d
			}
		}
	}
	residuals := slices.Clone(ms)
	answers := query.Answers{}
	for i := range residuals {
		residuals[i].Values = slices.Clone(ms[i].Values)
		answers = append(answers, residuals[i].Values)
	}
	first(answers)
	fit := must.Value(Fit(o, residuals, 10_000, FitSettings{MaxIterations: 300, Project: first}))(t)
	got, _ := o.Plan().NewAnswers()
	o.Eval(fit.Weights, got)
	first(got)
	for i := range got {
		for c, x := range got[i] {
			must.Need(t, math.Abs(x-answers[i][c]/10_000) <= 1e-3, "marginal %d cell %d: residual %g, want %g", i, c, x, answers[i][c]/10_000)
		}
	}
	y := noisy(ms, rand.New(rand.NewPCG(4, 4)))
	plain, err1 := Fit(o, y, 10_000, FitSettings{MaxIterations: 20})
	same, err2 := Fit(o, y, 10_000, FitSettings{MaxIterations: 20, Project: func(query.Answers) {}})
	must.Hold(t, err1 == nil && err2 == nil && slices.Equal(plain.Weights, same.Weights), "the identity is not neutral: %v, %v", err1, err2)
}

func TestTotalOf(t *testing.T) {
	got := totalOf([]query.Measurement{{Values: []float64{4, 6}, Variance: 2}, {Values: []float64{10, 5, 1}, Variance: 1}})
	// 10 with variance 4 and 16 with variance 3: (10/4 + 16/3)/(1/4 + 1/3).
	must.Hold(t, math.Abs(got.Units-94.0/7) <= 1e-12 && math.Abs(got.Variance-12.0/7) <= 1e-12, "totalOf = %+v, want 94/7 and 12/7", got)
	if got := totalOf([]query.Measurement{{Values: []float64{-40}, Variance: 2}}); got.Units != 1 {
		t.Errorf("totalOf of a negative sum = %g, want 1", got.Units)
	}
}

func TestPrecision(t *testing.T) {
	w := query.Workload{Marginals: []query.Marginal{{Weight: 1}, {Weight: 8}}}
	got := precision(w)
	must.Hold(t, math.Abs(got[1]/got[0]-4) <= 1e-12, "precision of weights 1, 8 = %v, want 1 : 4", got)
	w.Marginals[1].Weight = 1
	if got := precision(w); got != nil {
		t.Errorf("precision of equal weights = %v, want nil", got)
	}
}

func TestFitPanics(t *testing.T) {
	o, ms, _ := tree10(t, 1)
	for name, f := range map[string]func() (*Fitted, error){
		"no total":      func() (*Fitted, error) { return Fit(o, ms, 0, FitSettings{}) },
		"missing":       func() (*Fitted, error) { return Fit(o, ms[1:], 1, FitSettings{}) },
		"another order": func() (*Fitted, error) { return Fit(o, append(slices.Clone(ms[1:]), ms[0]), 1, FitSettings{}) },
		"short prior":   func() (*Fitted, error) { return Fit(o, ms, 1, FitSettings{Prior: []float64{1}}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				must.Hold(t, recover() != nil, "no panic")
			}()
			_, _ = f()
		})
	}
}
