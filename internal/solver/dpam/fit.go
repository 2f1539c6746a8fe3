package dpam

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/solver"
)

const (
	// defaultIterations is the largest number of steps of a fit that states none; the stopping rule
	// ends most fits before 200.
	defaultIterations = 600
	// perturbation is the size of the companion's extra noise in standard deviations of the release.
	perturbation = .3
	// patience is the least number of steps without improvement before a fit stops.
	patience = 10
)

// FitSettings configures a Fit. Zero fields mean their defaults.
type FitSettings struct {
	MaxIterations int       // default defaultIterations
	Prior         []float64 // public distribution over the universe to start from, whose zeros stay; nil: uniform
	Public        []float64 // how often each cell of the universe occurs in a public table; nil: no such table
	Seed          uint64    // of the companion's perturbation
	Progress      solver.Progress

	// Project is an orthogonal projection of answers, in place, that the values and their noise have gone
	// through, such as the centring of residuals; Variance is the variance of the noise before it. Only the projected
	// part of the marginals is fitted. nil: none.
	Project func(query.Answers)
}

// Fitted is a distribution fitted to measurements.
type Fitted struct {
	Weights    []float64 // over the universe; sums to 1
	RMSE       float64   // predicted root mean square error of a measured cell in counts
	Public     float64   // rows that the public table counted for; 0: the fit does not use it
	Iterations int       // the step whose iterate was kept
	Thin       bool      // it starts from the likely counts of tables most of whose cells are empty

	risk      float64   // estimated, in units of the noise
	answers   []float64 // of the distribution, in standard deviations of the noise
	companion []float64 // the companion's weights
}

// Fit minimises Σ_A ‖M_A(x) − values_A/total‖²/variance_A over distributions x on the universe and
// stops where the estimated squared error of the measured marginals is least. Measurement i must be of
// clique i of the oracle's plan, and total above 0; Fit panics otherwise. It reads nothing private: two
// runs side by side, about 70 bytes for each cell of the universe, no allocation in the loop. An error
// means that the numbers overflowed.
//
// A public table of m rows is tried as a prior: the fit then adds m·KL(x‖public), which to second order is the likelihood of
// those rows, to ½ Σ ‖M_A(x)·total − values_A‖²/variance_A. It is preferred to the fit without the table only if its estimated
// error is clearly lower.
func Fit(o *dense.Oracle, ms []query.Measurement, total float64, s FitSettings) (*Fitted, error) {
	check(o.Plan(), ms, total)
	r := newRisk(o.Plan(), ms, total, s)
	start := prior(s.Prior, o.Plan().Len())
	without, err := fit(o, r, start, start, 0, math.Inf(1), s)
	if err == nil && s.Project == nil {
		without = thin(o, r, ms, start, without, s)
	}
	if err != nil || s.Public == nil {
		return without, err
	}
	start, rows := withPublic(start, s.Public)
	if rows == 0 {
		return without, nil
	}
	with, err := fit(o, r, start, start, rows, math.Inf(1), s)
	if err != nil {
		return nil, err
	}
	if with.clearlyBetter(without) {
		return with, nil
	}
	return without, nil
}

// test compares the fit with the values that it was fitted to.
func (f *Fitted) test(ms []query.Measurement) *solver.Fit {
	tables, at := make([]solver.TableFit, len(ms)), 0
	for i, m := range ms {
		t := solver.TableFit{Clique: m.Clique, Freedom: float64(len(m.Values))}
		var s miss.Sum
		for _, y := range m.Values {
			s.Add(f.answers[at]*math.Sqrt(m.Variance)-y, m.Variance+solver.Rounding)
			at++
		}
		t.Square, t.Units = s.Square, s.Units(t.Freedom)
		tables[i] = t
	}
	return solver.NewFit(tables)
}

// clearly is by how many of its standard deviations the difference of two estimated errors has to be below 0.
const clearly = 1.5

// clearlyBetter compares the estimated errors of two fits of the same values. They differ as ‖y − q‖² does, up to
// terms that vary less: its noise has the standard deviation 2·‖q − q'‖ in units of the values' own.
func (f *Fitted) clearlyBetter(than *Fitted) bool {
	square := 0.0
	for c, q := range f.answers {
		square += (q - than.answers[c]) * (q - than.answers[c])
	}
	return f.risk < than.risk-clearly*2*math.Sqrt(square)
}

// fit is one fit from the start, and its companion's. With rows above 0 the start stands for as many rows of a public table. If most is
// finite the start may be kept itself, and there is no fit, nor an error, if the estimated error of the start is above most.
func fit(o *dense.Oracle, r *risk, start, companions []float64, rows, most float64, s FitSettings) (*Fitted, error) {
	first, limit := 1, s.MaxIterations
	if limit <= 0 {
		limit = defaultIterations
	}
	if rows > 0 {
		limit = min(limit, publicIterations)
	}
	if !math.IsInf(most, 1) {
		first = 0
	}
	u := make([]float64, len(start))
	run := newDescent(o, r, r.target, start, u)
	companion := newDescent(o, r, r.perturbed, companions, u)
	if rows > 0 {
		origin := append([]float64(nil), run.z...)
		run.hold(origin, rows/(r.total*r.total*r.precision))
		companion.hold(origin, rows/(r.total*r.total*r.precision))
	}
	best := &Fitted{Weights: append([]float64(nil), start...), RMSE: math.NaN(), Public: rows, risk: math.Inf(1)}
	var ahead outlook
	for t := first; t <= limit; t++ {
		before := run.loss()
		if t > 0 {
			run.step()
			companion.step()
		}
		if run.loss() > before { // at the same steps: the companion's difference is a derivative
			run.restart()
			companion.restart()
		}
		weighted, counts, freedom := r.estimate(run.qx, companion.qx)
		if math.IsNaN(weighted) || math.IsInf(weighted, 0) {
			return nil, errors.New("dpam: the fit left the range of floating-point numbers")
		}
		switch {
		case t > 0:
			ahead.add(weighted, freedom)
		case weighted > most:
			return nil, nil
		}
		if weighted < best.risk || rows > 0 {
			best.risk = weighted
			best.Iterations, best.RMSE = t, math.Sqrt(max(counts, 0)/float64(len(r.target)))
			copy(best.Weights, run.x)
			best.companion = append(best.companion[:0], companion.x...)
			best.answers = r.inDeviations(best.answers[:0], run.qx)
		}
		expected := limit
		if rows == 0 {
			expected = ahead.steps(best.Iterations, limit)
		}
		if t > 0 {
			s.Progress.Report("fit", t, expected)
		}
		if rows == 0 && t >= endAfter(best.Iterations) {
			break
		}
	}
	return best, nil
}

// publicIterations is the largest number of steps of a fit that the public table holds. It converges geometrically, and
// its last iterate is kept: the estimated error is flat by then, and large cells are closest.
const publicIterations = 50

// spread is the part of a public prior that the start without it has, so that no possible record is ruled out.
const spread = .01

// withPublic returns the distribution of the possible records of a public table, mixed with the start, and their number.
func withPublic(start, public []float64) (mixed []float64, rows float64) {
	if len(public) != len(start) {
		panic("dpam: the public table does not have the length of the universe")
	}
	for z, n := range public {
		if start[z] > 0 {
			rows += n
		}
	}
	mixed = make([]float64, len(start))
	for z, p := range start {
		if mixed[z] = spread * p; p > 0 {
			mixed[z] += (1 - spread) * public[z] / max(rows, 1)
		}
	}
	return mixed, rows
}

func check(p *dense.Plan, ms []query.Measurement, total float64) {
	if !(total > 0) {
		panic("dpam: the total of a fit must be above 0")
	}
	if len(ms) != len(p.Cliques()) {
		panic("dpam: measurements of another number of cliques than planned")
	}
	for i, m := range ms {
		if !m.Clique.Equal(p.Cliques()[i]) || len(m.Values) != p.Cells()[i] || !(m.Variance > 0) {
			panic("dpam: measurement of another clique than planned, or without variance")
		}
	}
}

// prior returns a copy of p that sums to 1, or the uniform distribution over k cells.
func prior(p []float64, k int) []float64 {
	if p != nil && len(p) != k {
		panic("dpam: the prior does not have the length of the universe")
	}
	out := make([]float64, k)
	sum := summation.Long(p)
	for z := range out {
		out[z] = 1 / float64(k)
		if p != nil {
			out[z] = p[z] / sum
		}
	}
	return out
}

// risk holds the flat vectors of a fit's data, and estimates the fit's squared error from them.
type risk struct {
	weight    []float64 // 1/variance of the cell's marginal, over the sum for all marginals
	target    []float64 // released values as fractions of the total
	perturbed []float64 // the companion's: target + perturbation·xi in standard deviations
	xi        []float64
	variance  []float64 // of the cell, counts²
	total     float64
	precision float64             // Σ_A 1/variance_A
	project   func(query.Answers) // of the settings
}

func newRisk(p *dense.Plan, ms []query.Measurement, total float64, s FitSettings) *risk {
	r, rng := &risk{total: total, project: s.Project}, rand.New(rand.NewPCG(s.Seed, 0x53555245))
	for _, m := range ms {
		r.precision += 1 / m.Variance
	}
	var views query.Answers
	views, r.xi = p.NewAnswers()
	for c := range r.xi {
		r.xi[c] = rng.NormFloat64()
	}
	if r.project != nil {
		r.project(views)
	}
	for _, m := range ms {
		for _, y := range m.Values {
			xi := r.xi[len(r.target)]
			r.variance = append(r.variance, m.Variance)
			r.weight = append(r.weight, 1/m.Variance/r.precision)
			r.target = append(r.target, y/total)
			r.perturbed = append(r.perturbed, (y+perturbation*math.Sqrt(m.Variance)*xi)/total)
		}
	}
	return r
}

// inDeviations appends the marginals q to dst, in standard deviations of the noise.
func (r *risk) inDeviations(dst, q []float64) []float64 {
	for c, v := range r.variance {
		dst = append(dst, q[c]*r.total/math.Sqrt(v))
	}
	return dst
}

// estimate returns Stein's unbiased estimate of the squared error of the marginals q, given the marginals of
// the companion: Σ_c res_c + 2·σ_c²·∂q_c/∂y_c − σ_c², where Σ ∂q_c/∂y_c ≈ Σ xi_c·(q'_c − q_c)/(h·σ_c).
// weighted counts a cell in units of its variance, counts in counts². Both are one number up to the
// factor σ² if all variances are equal. With a projection both are too low by a constant: the part of
// the noise that it removes. Freedom is Σ ∂q_c/∂y_c.
func (r *risk) estimate(q, companion []float64) (weighted, counts, freedom float64) {
	for c, v := range r.variance {
		e := r.total * (q[c] - r.target[c])
		slope := r.xi[c] * r.total * (companion[c] - q[c]) / (perturbation * math.Sqrt(v))
		x := e*e + 2*v*slope - v
		counts += x
		weighted += x / v
		freedom += slope
	}
	return weighted, counts, freedom
}
