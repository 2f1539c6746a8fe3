package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// residualResult is a result over attributes of 3, 2, 4 values, with value 2 of attribute 0 pooled.
func residualResult() *solver.Result {
	m := &population.Model{Sizes: []int{3, 2, 4}, Weights: make([]float64, 24)}
	for i := range m.Weights {
		m.Weights[i] = float64(1 + i*i)
	}
	return &solver.Result{Model: m, Total: query.Total{Units: m.Total()}, RMSE: math.NaN(), Uncertainty: &solver.Uncertainty{
		Pooled: [][]bool{{false, false, true}, {false, false}, {false, false, false, false}},
		OneWay: []float64{4, 9, 16},
		Tables: []solver.TableUncertainty{
			{Clique: domain.Clique{0, 1}, Scale: .5, Earlier: .3, Growth: 2, Precision: .1, Distance: 10},
			{Clique: domain.Clique{0, 2}, Scale: .25, Growth: 1, Distance: 30},
			{Clique: domain.Clique{1, 2}, Scale: .125, Growth: 1, Precision: .01, Distance: 20},
			{Clique: domain.Clique{0, 1, 2}, Scale: .75, Growth: 1, Precision: .02, Distance: 50},
		},
	}}
}

// centred returns the diagonal of PVP, V the variances v of a table of the given shape and P the projection on tables whose
// axes sum to 0, by multiplying out the matrices.
func centred(v []float64, shape []int) []float64 {
	out := make([]float64, len(v))
	for c := range v {
		for d, x := range v {
			p, i, j := 1.0, c, d
			for axis := len(shape) - 1; axis >= 0; axis-- {
				k := shape[axis]
				same := 0.0
				if i%k == j%k {
					same = 1
				}
				p *= same - 1/float64(k)
				i, j = i/k, j/k
			}
			out[c] += p * p * x
		}
	}
	return out
}

// TestResidualFormula evaluates the formulas of the documentation cell by cell, over every sub-table.
func TestResidualFormula(t *testing.T) {
	r := residualResult()
	r.Total.Variance = 50
	r.Uncertainty.Bins = [][]float64{nil, nil, {1, 2, 3, 4}}
	v := New(r)
	all := domain.Clique{0, 1, 2}
	fitted := r.Model.Marginal(all, nil)
	got := v.StandardErrors(all, fitted, nil)
	from := v.Sources(all, make([]Source, len(fitted)))
	record := make([]domain.Code, 3)
	parts := map[string][]float64{} // by table
	for _, table := range r.Uncertainty.Tables {
		marginal := r.Model.Marginal(table.Clique, nil)
		alone, before := make([]float64, len(marginal)), 0.0
		for i, b := range marginal {
			alone[i] = table.Scale * math.Pow(b, 1.5)
			before += math.Sqrt(alone[i])
		}
		x, after := centred(alone, population.Shape(r.Model.Sizes, table.Clique)), 0.0
		for _, y := range x {
			after += math.Sqrt(y)
		}
		for i, b := range marginal {
			y := x[i]*before*before/(after*after) + b
			y = table.Growth * y / (1 + y*table.Earlier)
			x[i] = y / (1 + y*table.Precision)
		}
		parts[table.Clique.Key()] = x
	}
	// part returns the share that the cell of a record has of a move of its sum in another table, in the way that is larger.
	part := func(sub domain.Clique, record []domain.Code, b float64) float64 {
		sums := r.Model.Marginal(sub, nil)
		own := sums[sub.Cell(r.Model.Sizes, record)]
		most, other := b/own, make([]domain.Code, 3)
		for _, table := range r.Uncertainty.Tables {
			if u := table.Earlier + table.Precision; table.Clique.Contains(sub) && len(table.Clique) > len(sub) {
				marginal, all, x := r.Model.Marginal(table.Clique, nil), 0.0, 0.0
				for cell, y := range marginal {
					for i, rest := len(table.Clique)-1, cell; i >= 0; i-- {
						k := r.Model.Sizes[table.Clique[i]]
						other[table.Clique[i]], rest = domain.Code(rest%k), rest/k
					}
					if sub.Cell(r.Model.Sizes, other) != sub.Cell(r.Model.Sizes, record) {
						continue
					}
					told := min(1, parts[table.Clique.Key()][cell]*u)
					share := (1-told)*y/own + told*float64(len(sums))/float64(len(marginal))
					if all += share; cell == table.Clique.Cell(r.Model.Sizes, record) {
						x = share / y
					}
				}
				most = max(most, b*x/all)
			}
		}
		return most
	}
	for z, b := range fitted {
		r.Model.Record(z, record)
		sum, source := min(.25, b), Measured
		for a, noise := range r.Uncertainty.OneWay {
			sub := r.Model.Marginal(domain.Clique{a}, nil)[record[a]]
			if noise *= 1 - 1/float64(r.Model.Sizes[a]); a == 2 {
				noise = float64(record[a] + 1)
			}
			off := 1/float64(r.Model.Sizes[a]) - sub/r.Total.Units
			noise += 50 * off * off
			own := part(domain.Clique{a}, record, b)
			sum += noise * own * own
		}
		for _, table := range r.Uncertainty.Tables {
			cell := table.Clique.Cell(r.Model.Sizes, record)
			own := part(table.Clique, record, b)
			sum += own * own * parts[table.Clique.Key()][cell]
		}
		want := .9 * math.Sqrt(sum)
		if record[0] == 2 {
			n := r.Model.Marginal(domain.Clique{0}, nil)[2]
			off := 1./3 - n/r.Total.Units
			s, noise := (b+3./24)/(n+1), 4+50*off*off
			want, source = math.Sqrt(min(.25, b)+s*s*noise+(.9*n+.1*(n*n+noise))*s*(1-s)), Pooled
		}
		must.Need(t, math.Abs(got[z]-want) <= 1e-9*want && from[z] == source, "record %v: %g, %v; want %g, %v", record, got[z], from[z], want, source)
	}
}

// TestRoom: the interaction of a table of 2·2·… cells is one number, and counts cannot be negative.
func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		fitted []float64
		shape  []int
		want   float64
	}{
		{[]float64{50, 7, 3, 40}, []int{2, 2}, 41},              // 40 may leave the cells of the same, or 3 the others
		{[]float64{50, 0, 0, 40}, []int{2, 2}, 41},              // up to 40 people may have been moved off the diagonal
		{[]float64{0, 0, 8, 9, 7, 9, 6, 5}, []int{2, 2, 2}, 1},  // an empty cell of either sign: nothing but a record
		{[]float64{4, 9, 8, 9, 7, 9, 9, 5}, []int{2, 2, 2}, 6},  // 4 one way, and 5 the other
		{[]float64{1, 2, 3, 4, 5, 6}, []int{2, 3}, math.Inf(1)}, // more than one number
		{[]float64{-1e-9, 2, 3, 4}, []int{2, 2}, 3},             // a negative count is none
	} {
		must.Equal(t, room(tt.fitted, tt.shape), tt.want, "%v: room for", tt.fitted)
	}
	r := residualResult()
	r.Model = &population.Model{Sizes: []int{2, 2}, Weights: []float64{500, 0, 0, 300}}
	r.Total.Units = 800
	r.Uncertainty = &solver.Uncertainty{Pooled: [][]bool{{false, false}, {false, false}}, OneWay: []float64{1, 1},
		Tables: []solver.TableUncertainty{{Clique: domain.Clique{0, 1}, Scale: 1e9, Growth: 1}}}
	se := New(r).StandardErrors(domain.Clique{0, 1}, r.Model.Weights, nil)
	must.Hold(t, se[1] <= 1.05*301*1.001, "a cell that has room for 301 has the standard error %g", se[1])
}

// TestMissedAnswer: where a fit misses a noisy answer by more than its noise, the miss counts.
func TestMissedAnswer(t *testing.T) {
	r := residualResult()
	values := r.Model.Marginal(domain.Clique{1}, nil)
	fitted := slices.Clone(values)
	values[0] += 30
	r.Measurements = []query.Measurement{{Clique: domain.Clique{1}, Values: values, Variance: 9}}
	got := New(r).StandardErrors(domain.Clique{1}, fitted, nil)
	for i, want := range []float64{math.Sqrt(900.25), math.Sqrt(9./2 + .25)} {
		must.Hold(t, math.Abs(got[i]-want) <= 1e-9, "value %d: %g, want %g", i, got[i], want)
	}
}

// TestNothingScored: tables that nobody looked at and wider ones are held to be as far off as the worst
// tenth of the tables of their width; without any, the narrower ones stand for them, and at last all units.
func TestNothingScored(t *testing.T) {
	r := residualResult()
	all := domain.Clique{0, 1, 2}
	fitted := r.Model.Marginal(all, nil)
	sum := 0.0
	for _, b := range fitted {
		sum += math.Pow(b, .75)
	}
	for _, tt := range []struct {
		name string
		left int // tables
		far  float64
	}{{"the table itself", 4, 50}, {"pairs", 3, 30}, {"nothing", 0, r.Total.Units}} {
		r := residualResult()
		r.Uncertainty.Tables = r.Uncertainty.Tables[:tt.left]
		k := New(r).unscreened(3, fitted)
		want := math.Pow(tt.far/(.8*sum), 2)
		must.Hold(t, math.Abs(k.Scale-want) <= 1e-9*want && k.Growth == 1 && k.Precision == 0, "%s: %+v, want scale %g", tt.name, k, want)
	}
	r.Uncertainty.Tables = r.Uncertainty.Tables[:3]
	r.Uncertainty.OneWay[1] = 0
	v := New(r)
	got := v.Sources(all, make([]Source, 24))
	must.Hold(t, got[0] == Extrapolated && got[23] == Pooled, "sources %v", got)
	one := r.Model.Marginal(domain.Clique{1}, nil)
	for i, s := range v.StandardErrors(domain.Clique{1}, one, nil) {
		must.Hold(t, 1.96*s >= max(one[i], r.Total.Units-one[i]), "value %d of an attribute without an answer: %g", i, s)
	}
}

// TestSimilar: of tables sorted by size, the ninth of ten nearest counts.
func TestSimilar(t *testing.T) {
	var list []distance
	for i := range 200 {
		list = append(list, distance{int64(10 * i), float64(i)})
	}
	for _, tt := range []struct {
		cells int64
		want  float64
	}{{0, 44}, {1000, 119}, {1 << 40, 194}} {
		must.Equal(t, similar(list, tt.cells), tt.want, "%d cells", tt.cells)
	}
	must.Equal(t, similar(list[7:8], 3), 7, "of one")
}

// TestOtherMethods: a certificate gives large cells of tables .7/2.7 of its limit and small ones less; without one, the
// interval holds everything.
func TestOtherMethods(t *testing.T) {
	r := residualResult()
	r.Uncertainty = nil
	all, fitted := domain.Clique{0, 1, 2}, slices.Repeat([]float64{5}, 24)
	fitted[1] = 1e9
	v := New(r)
	if from := v.Sources(all, make([]Source, 24)); from[0] != Bound || math.Abs(1.96*v.StandardErrors(all, fitted, nil)[0]-(r.Total.Units-5)) > 1e-6 {
		t.Errorf("without a certificate: %v, %g", from[0], v.StandardErrors(all, fitted, nil)[0])
	}
	r.MaxError = &query.MaxError{Counts: 100, Variance: 25}
	v = New(r)
	se, s := v.StandardErrors(all, fitted, nil), .7*(100+1.64*5)/2.7
	if from := v.Sources(all, make([]Source, 24)); from[0] != Certificate || math.Abs(se[1]-s) > .01 || math.Abs(se[0]-math.Sqrt(s*s*6/(6+2*s)+.25)) > 1e-9 {
		t.Errorf("with a certificate: %v, %g, %g", from[0], se[0], se[1])
	}
}

// TestCertificateCoverage: of DPFW on tree10, ± 1.96 standard errors hold at least 93 % of the cells of every
// width. 8 fixed seeds.
func TestCertificateCoverage(t *testing.T) {
	covered(t, .93, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpfw.Solve(p, c) })
}

// TestWholeCoverage is the same of DPAM.
func TestWholeCoverage(t *testing.T) {
	ratio := covered(t, .93, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) { return dpam.Solve(p, c) })
	t.Logf("largest error: predicted over measured %.2f", ratio)
	if ratio < .8 || ratio > 2.5 { // errors of a table of few values are linked, so the largest is smaller
		t.Errorf("largest error: predicted over measured %.2f", ratio)
	}
}

// covered solves tree10 and checks the share of cells of each width that lie within ± 1.96 standard errors,
// four-way ones included. It returns how large the worst error was predicted to be, over what it was.
func covered(t *testing.T, least float64, solve func(solver.Problem, *solvertest.Curator) (*solver.Result, error)) (ratio float64) {
	t.Helper()
	table := solvertest.Tree10()
	p := solvertest.Problem(table, 3, dp.AddRemove, 1, false)
	truth := &population.Model{Sizes: table.Sizes, Weights: table.Counts}
	inside, cells := map[int]float64{}, map[int]float64{}
	cliques := append(p.Workload.Cliques(), domain.Clique{0, 1, 2, 3}, domain.Clique{4, 6, 7, 9}, domain.Clique{1, 3, 5, 8})
	for seed := range uint64(8) {
		s := solvertest.Run(t, table, p, dp.ZCDP, .017205, seed, solve)
		v := New(s.Result)
		var largest Largest
		scale := s.Result.Total.Units / s.Result.Model.Total()
		for _, c := range cliques {
			fitted := s.Result.Model.Marginal(c, nil)
			for i := range fitted {
				fitted[i] *= scale
			}
			se := v.StandardErrors(c, fitted, nil)
			if len(c) <= 3 {
				largest.Add(se)
			}
			for i, h := range truth.Marginal(c, nil) {
				cells[len(c)]++
				if math.Abs(h-fitted[i]) <= 1.96*se[i] {
					inside[len(c)]++
				}
			}
		}
		ratio += largest.Median() / (s.Largest * table.Units()) / 8
	}
	for k := 1; k <= 4; k++ {
		share := inside[k] / cells[k]
		t.Logf("%d-way: %.1f %% of cells within 1.96 standard errors", k, 100*share)
		must.Hold(t, share >= least, "%d-way: %.1f %% of cells within 1.96 standard errors, want %.0f %%", k, 100*share, 100*least)
	}
	return ratio
}

// TestOneValueAddsNothing: cells of a column beside one of a single value err as the column does, whatever was measured.
func TestOneValueAddsNothing(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := &population.Model{Sizes: []int{1, 2 + r.IntN(4), 2 + r.IntN(4)}}
		values := make([]float64, m.Sizes[1]*m.Sizes[2])
		for i := range values {
			m.Weights = append(m.Weights, 500*r.Float64())
			values[i] = m.Weights[i] + 5*r.NormFloat64()
		}
		v := New(&solver.Result{Model: m, Total: query.Total{Units: m.Total(), Variance: 4}, RMSE: 4, Measurements: []query.Measurement{{Clique: domain.Clique{0, 1, 2}, Values: values, Variance: 25}}})
		fitted := m.Marginal(domain.Clique{1}, nil)
		alone, beside := v.StandardErrors(domain.Clique{1}, fitted, nil), v.StandardErrors(domain.Clique{0, 1}, fitted, nil)
		for i, x := range alone {
			if math.Abs(x/beside[i]-1) > 1e-3 { // misses are kept in whole units
				t.Errorf("seed %d, value %d: %g alone, %g beside a constant", seed, i, x, beside[i])
			}
		}
	}
}

// The prediction has the same bytes every time, whatever the order of a map.
func TestLargestIsOneNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	var l Largest
	for range 500 {
		l.Add([]float64{math.Exp(3 * rng.NormFloat64())})
	}
	want := l.Median()
	for range 200 {
		got := l.Median()
		must.Need(t, got == want, "got %v and %v", want, got)
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
	must.Equal(t, (&Largest{}).Median(), 0, "of nothing")
}

// TestMissedTogether: where no table by itself is further off than noise explains, and all together are, all standard errors grow by as
// much, and nothing is called measured; where one is, nothing is that lies in it.
func TestMissedTogether(t *testing.T) {
	r := residualResult()
	c := domain.Clique{0, 1}
	fitted := r.Model.Marginal(c, nil)
	before := New(r).StandardErrors(c, fitted, nil)
	r.Fit = &solver.Fit{Tables: 4, TableFit: solver.TableFit{Square: 4000, Freedom: 1000}}
	v := New(r)
	for i, s := range v.StandardErrors(c, fitted, nil) {
		must.Hold(t, math.Abs(s/before[i]-2) < 1e-12, "cell %d: %g, was %g", i, s, before[i])
	}
	must.Hold(t, v.off(domain.Clique{2}), "answers that the fit misses are measured")
	r.Fit.Off = []solver.TableFit{{Clique: domain.Clique{0, 1, 2}, Square: 90, Freedom: 10}}
	v = New(r)
	must.Hold(t, v.off(domain.Clique{0, 2}) && v.together == 0, "what lies in a table that the fit misses is measured")
}
