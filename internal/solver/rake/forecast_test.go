package rake

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

func forecast(t *testing.T, p solver.Problem, like *population.Model) float64 {
	t.Helper()
	var pattern *solver.Pattern
	if like != nil {
		pattern = &solver.Pattern{Model: like}
	}
	f := must.Value(Predict(p, budgetOf(p), pattern))(t)
	return f.TV()
}

// A larger budget and more units leave less error, and a forecast stays a total variation.
func TestForecastFalls(t *testing.T) {
	for name, sizes := range map[string][]int{"few": {3, 4, 5, 6}, "mixed": {2, 40, 1, 12, 5, 90, 2, 7}, "many": slices.Repeat([]int{2, 9, 30}, 20)} {
		if name == "many" && testing.Short() {
			continue // make integration has the time
		}
		p := problem(sizes, 3, dp.AddRemove)
		last := 1.01
		for _, epsilon := range []dp.Epsilon{.01, .1, 1, 10} {
			p.Epsilon, p.Units = epsilon, 20_000
			tv := forecast(t, p, nil)
			must.Hold(t, tv > 0 && tv < last, "%s: ε = %g: %g after %g", name, float64(epsilon), tv, last)
			last = tv
			p.Units = 2_000_000
			must.Hold(t, forecast(t, p, nil) < tv, "%s: ε = %g: more units do not help", name, float64(epsilon))
		}
	}
}

// A forecast that looks at a part of a workload is a forecast of the whole.
func TestForecastOfAPart(t *testing.T) {
	sizes := slices.Repeat([]int{2, 9, 30, 5}, 5) // 1,140 triples
	p := problem(sizes, 3, dp.AddRemove)
	p.Epsilon = 1
	all, b := choose.NewTargets(p), dp.Budget{Capacity: .0165}
	must.Need(t, len(all.Triples) >= 5*forecastTriples, "%d triples are not many", len(all.Triples))
	part := must.Value(newForecast(p, b, nil, forecastTriples))(t)
	whole := must.Value(newForecast(p, b, nil, len(all.Triples)))(t)
	ratio := part.TV() / whole.TV()
	must.Hold(t, math.Abs(ratio-1) <= .1, "150 triples foretell %.2f of what all do", ratio)
}

// A model tells what a domain does not: of columns with one value there is little to miss.
func TestForecastOfAModel(t *testing.T) {
	p := problem([]int{4, 5, 6, 7}, 3, dp.AddRemove)
	one := &population.Model{Sizes: p.Workload.Sizes, Weights: make([]float64, 4*5*6*7)}
	one.Weights[100] = 1
	even := &population.Model{Sizes: p.Workload.Sizes, Weights: slices.Repeat([]float64{1}, 4*5*6*7)}
	constant, usual, uniform := forecast(t, p, one), forecast(t, p, nil), forecast(t, p, even)
	must.Hold(t, constant < usual/2 && constant < uniform/2, "constants %.4f, a typical table %.4f, an even one %.4f", constant, usual, uniform)
	other := &population.Model{Sizes: []int{4, 5, 6}, Weights: make([]float64, 120)}
	must.Fails(Predict(p, dp.Budget{Capacity: 1}, &solver.Pattern{Model: other}))(t, "", "a model of another domain was taken")
}

// A release at a small ε foretells what a run at a larger one makes of columns whose bins are learned again. The noise is
// fixed, so that nothing is left to chance.
func TestForecastOfLearnedBins(t *testing.T) {
	p, data := amounts(20_000)
	p.Units = 20_000
	var results []*solver.Result
	for i, epsilon := range []dp.Epsilon{.3, 3} {
		p.Epsilon = epsilon
		r := solved(t, p, data, uint64(i))
		results = append(results, r)
	}
	pattern := &solver.Pattern{Model: results[0].Model, Runs: make([][]domain.Run, 3)}
	for _, b := range results[0].Bins {
		pattern.Runs[b.Attribute] = b.Runs
	}
	f, err := Predict(p, budgetOf(p), pattern)
	must.Do(t, err)
	foretold, said := f.TV(), results[1].TV
	ratio := foretold / said
	must.Hold(t, ratio >= .5 && ratio <= 2, "foretold %.4f, and the run says %.4f", foretold, said)
	pattern.Runs = nil
	f, err = Predict(p, budgetOf(p), pattern)
	must.Hold(t, err == nil && f.TV() >= 1.3*foretold, "without the spread of values %.4f is foretold, %.4f with it (%v)", f.TV(), foretold, err)
}

// A forecast expects that smoothing takes out most of the noise of a column that noise drowns, and nothing of others.
func TestForecastSmooths(t *testing.T) {
	for epsilon, want := range map[dp.Epsilon][2]float64{.05: {0, .7}, 100: {.99, 1}} {
		p := problem([]int{60, 3, 3}, 3, dp.AddRemove)
		p.Epsilon, p.Units = epsilon, 2000
		f := must.Value(Predict(p, budgetOf(p), nil))(t)
		raw, o := 0.0, f.run.ones.List[0]
		for _, n := range o.Counts {
			raw += .4 * min(math.Sqrt(o.Spread*(1-1./60)), 2*n)
		}
		part := f.run.tables.OneWayError(0) / raw
		must.Hold(t, part >= want[0] && part <= want[1], "ε = %g: %.3f of the noise is left, want %.2f to %.2f", float64(epsilon), part, want[0], want[1])
	}
}

// What triples add to their pairs is a larger part of the scatter of their counts if there are few units.
func TestForecastOfFewUnits(t *testing.T) {
	for units, want := range map[float64]float64{200: .9, 2000: .895, 20_000: .4} {
		p := problem([]int{8, 9, 10}, 3, dp.AddRemove)
		p.Units = units
		f := must.Value(Predict(p, budgetOf(p), nil))(t)
		triple, scatter := domain.Clique{0, 1, 2}, 0.0
		base := f.run.curator.(*expectedAnswers).counts(triple)
		for _, b := range base {
			scatter += min(.8*math.Sqrt(b), 2*b)
		}
		for _, pair := range marginal.Subsets(triple, 2) {
			f.run.tables.ByPair[pair.Key()] = choose.NewCandidate(f.run.law, p.Workload.Sizes, choose.Target{Clique: pair}) // known without error
		}
		scores := must.Value(f.run.curator.(*expectedAnswers).Scores(stageSecondScores, 1, []domain.Clique{triple}, nil, [][]float64{base}, f.run.settings.secondScores))(t)
		got := scores.Values[0] / scatter
		must.Hold(t, got >= want-.001 && got <= want+.12, "of %g units: %.3f of the scatter, want %.3f and what pairs add", units, got, want)
	}
}

// TestForecastOfNearConstants: of tables of which 90 to 99 % have one value in each column, categories and numbers with learned bins, four
// of five errors are between a third and three times the forecast for such tables. That of a typical table is up to 25 times as large.
func TestForecastOfNearConstants(t *testing.T) {
	within, all, sum := 0, 0, 0.0
	for i, same := range []float64{.9, .95, .99} {
		for j, n := range []int{2000, 20_000} {
			for k, epsilon := range []dp.Epsilon{.3, 1, 3, 10} {
				if testing.Short() && (i+j+k)%2 == 0 {
					continue
				}
				for _, learned := range []bool{false, true} {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(100*epsilon)))
					p := problem([]int{3, 8, 5, 12, 2, 6}, 3, dp.AddRemove)
					if learned {
						p, _ = amounts(1)
					}
					p.Units, p.Epsilon = float64(n), epsilon
					data := records{sizes: p.Workload.Sizes, columns: make([][]domain.Code, len(p.Workload.Sizes))}
					if learned {
						data.sizes = p.Domain.RecordSizes()
					}
					for a, size := range data.sizes {
						for range n {
							v := 0
							if rng.Float64() > same {
								if v = rng.IntN(size); size > 100 {
									v = int(math.Exp(5 + 1.2*rng.NormFloat64()))
								}
							}
							data.columns[a] = append(data.columns[a], domain.Code(min(v, size-1)))
						}
					}
					r := solved(t, p, data, uint64(all))
					truth := r.TV // of learned bins
					if !learned {
						truth = tv(r.Model, data, p.Workload.Maximal())
					}
					f := must.Value(Predict(p, budgetOf(p), &solver.Pattern{Same: .97}))(t)
					typical := forecast(t, p, nil)
					t.Logf("%g, %d people, ε = %g, learned %v: %.4f, foretold %.4f, typical %.4f", same, n, float64(epsilon), learned, truth, f.TV(), typical)
					ratio := f.TV() / truth
					if all++; ratio > 1./3 && ratio < 3 {
						within++
					}
					sum += math.Log(ratio)
				}
			}
		}
	}
	mean := math.Exp(sum / float64(all))
	must.Hold(t, within >= all*4/5 && mean >= .6 && mean <= 1.7, "%d of %d forecasts are within a factor of three, %.2f of the error in the mean", within, all, mean)
}
