package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

// laplace returns noise of standard deviation 1.
func laplace(rng *rand.Rand) float64 {
	return (rng.ExpFloat64() - rng.ExpFloat64()) / math.Sqrt2
}

func normal(rng *rand.Rand) float64 { return rng.NormFloat64() }

// The bound covers the largest error of all measured cells, and is not far above it. It may fail in 5 %
// of runs; of 400 independent ones more than 45 fail with probability below 1e-7.
func TestBoundCoversTheError(t *testing.T) {
	const runs, most, sigma, totalSigma = 400, 45, 40.0, 60.0
	w := query.AllMarginals([]int{3, 4, 5}, 2, 100)
	cliques := w.Maximal().Cliques()
	for _, tt := range []struct {
		name       string
		noise      Noise
		draw       func(*rand.Rand) float64
		noisyTotal bool
	}{
		{"Gaussian", Gaussian, normal, false},
		{"Gaussian, noisy number of units", Gaussian, normal, true},
		{"Laplace, noisy number of units", Laplace, laplace, true},
	} {
		rng := rand.New(rand.NewPCG(7, uint64(len(tt.name))))
		failed, loosest := 0, 0.0
		for range runs {
			truth, model := random(rng, 60, 5000), random(rng, 60, 3000)
			f := Fitted{Model: model, Noise: tt.noise, Total: query.Total{Units: truth.Total()}, RMSE: math.NaN()}
			if tt.noisyTotal {
				f.Total = query.Total{Units: truth.Total() + totalSigma*tt.draw(rng), Variance: totalSigma * totalSigma}
			}
			worst := 0.0
			f.Answers = &solver.Answers{Queries: 12 + 15 + 20, Variance: sigma * sigma} // the cells once more, as queries
			for _, c := range cliques {
				h, g := truth.Marginal(c, nil), model.Marginal(c, nil)
				m := query.Measurement{Clique: c, Variance: sigma * sigma, Values: make([]float64, len(h))}
				for i := range h {
					m.Values[i] = h[i] + sigma*tt.draw(rng)
					worst = math.Max(worst, math.Abs(h[i]/truth.Total()-g[i]/model.Total()))
					f.Answers.Worst = math.Max(f.Answers.Worst, math.Abs(m.Values[i]-g[i]*math.Max(f.Total.Units, 1)/model.Total()))
				}
				f.Measurements = append(f.Measurements, m)
			}
			e := FittedErrors(f)
			must.Need(t, e.Cells == 12+15+20 && e.From == "the noise alone", "%s: %+v", tt.name, e)
			must.Need(t, math.Abs(e.MaxAnswer-e.MaxCell) <= 1e-12 && e.Answers == e.Cells, "%s: answers that are cells are bounded otherwise: %+v", tt.name, e)
			if e.MaxCell < worst {
				failed++
			}
			loosest = math.Max(loosest, e.MaxCell-worst)
		}
		must.Hold(t, failed <= most, "%s: the bound fails in %d of %d runs", tt.name, failed, runs)
		// Noise moves the worst of 47 cells by about 3 of its standard deviations, and the bound adds 4.
		limit := (9*sigma + 5*totalSigma) / 5000
		must.Hold(t, loosest <= limit, "%s: the bound is %g above the error, more than %g", tt.name, loosest, limit)
	}
}

// random returns a model of the given number of cells and total.
func random(rng *rand.Rand, cells int, total float64) *population.Model {
	m := &population.Model{Sizes: []int{3, 4, 5}, Weights: make([]float64, cells)}
	sum := 0.0
	for i := range m.Weights {
		m.Weights[i] = rng.ExpFloat64()
		sum += m.Weights[i]
	}
	for i := range m.Weights {
		m.Weights[i] *= total / sum
	}
	return m
}

// A bought certificate bounds the largest error with the noise on one side.
func TestBoundOfACertificate(t *testing.T) {
	model := random(rand.New(rand.NewPCG(1, 1)), 60, 1000)
	f := Fitted{Model: model, Cells: 47, Total: query.Total{Units: 1000}, MaxError: &query.MaxError{Counts: 20, Variance: 100}}
	e, want := FittedErrors(f), 0.02+1.6449*0.01
	must.Hold(t, math.Abs(e.MaxCell-want) <= 1e-5 && e.Cells == 47 && e.From == "a bought certificate", "got %+v, want %g", e, want)
	f.Noise = Laplace // P(Z > t·b) = exp(−t)/2
	e, want = FittedErrors(f), 0.02-math.Log(2*0.05)/math.Sqrt2*0.01
	must.Hold(t, math.Abs(e.MaxCell-want) <= 1e-9, "Laplace: got %g, want %g", e.MaxCell, want)
	f.MaxError.Counts = -1e6
	e = FittedErrors(f)
	must.Hold(t, e.MaxCell == 0, "noise below 0: got %g", e.MaxCell)
}

func TestNothingMeasuredIsNotKnown(t *testing.T) {
	e := FittedErrors(Fitted{Model: random(rand.New(rand.NewPCG(1, 1)), 60, 1000), Total: query.Total{Units: 1000}, RMSE: math.NaN()})
	must.Hold(t, e.Cells == 0 && e.MaxCell == 1, "got %+v", e)
}

// The estimate of the average total variation is within 30 % of the truth: ten binary columns in a tree,
// all triples measured. One run's own total variation varies by about 10 %; the mean of five is compared.
func TestAverageTVEstimate(t *testing.T) {
	table := solvertest.Tree10()
	for _, epsilon := range []dp.Epsilon{0.3, 1, 3} {
		p := solvertest.Problem(table, 3, dp.Replace, epsilon, false)
		estimate, truth := 0.0, 0.0
		for seed := range uint64(5) {
			r := must.Value(dpam.Solve(p, solvertest.CuratorFor(table, p, dp.GaussianOnly, seed)))(t)
			e := FittedErrors(Fitted{Model: r.Model, Measurements: r.Measurements, Total: r.Total, RMSE: r.RMSE})
			estimate += e.AverageTV
			truth += averageError(table, p, r)
		}
		ratio := estimate / truth
		must.Hold(t, ratio >= 0.7 && ratio <= 1.3, "ε = %g: estimated %.4f, true %.4f", float64(epsilon), estimate/5, truth/5)
	}
}

// averageError returns the average total variation between model and table over the measured marginals.
func averageError(table *solvertest.Table, p solver.Problem, r *solver.Result) float64 {
	sum, cliques := 0.0, p.Workload.Maximal().Cliques()
	counts := make([]float64, len(table.Counts))
	for i, n := range table.Counts {
		counts[i] = float64(n)
	}
	h := solvertest.Marginals(p.Workload.Sizes, cliques, counts)
	for i, c := range cliques {
		g := r.Model.Marginal(c, nil)
		for z := range g {
			sum += math.Abs(h[i][z]/table.Units()-g[z]/r.Model.Total()) / 2
		}
	}
	return sum / float64(len(cliques))
}

// Bounds on answers to linear queries are told from those on cells.
func TestBoundsOfLinearQueries(t *testing.T) {
	e := FittedErrors(Fitted{MaxError: &query.MaxError{Counts: 20}, Cells: 17, Linear: 11, Total: query.Total{Units: 1000}})
	want := "at most 0.02 in any of 6 cells, and 0.02 in any of 11 answers to linear queries, with 95 % confidence (from a bought certificate)"
	must.Hold(t, errorText(e) == want, "%q, want %q", errorText(e), want)
}
