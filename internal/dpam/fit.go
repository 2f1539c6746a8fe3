package dpam

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dense"
	"github.com/dapple-dp/dapple/internal/summation"
	"github.com/dapple-dp/dapple/solver"
)

const (
	// DefaultIterations is the largest number of steps of a fit that states none; the stopping rule
	// ends most fits before 200.
	DefaultIterations = 600
	// perturbation is the size of the companion's extra noise in standard deviations of the release.
	perturbation = .3
	// patience is the least number of steps without improvement before a fit stops.
	patience = 10
)

// Settings configures a Fit. Zero fields mean their defaults.
type Settings struct {
	MaxIterations int       // default DefaultIterations
	Prior         []float64 // public distribution over the universe to start from, whose zeros stay; nil: uniform
	Seed          uint64    // of the companion's perturbation
	Progress      solver.Progress

	// Project is an orthogonal projection of answers, in place, that the values and their noise have gone
	// through, such as the centring of residuals; Variance is that of the noise before it. Only the projected
	// part of the marginals is fitted. nil: none.
	Project func(query.Answers)
}

// Fitted is a distribution fitted to measurements.
type Fitted struct {
	Weights    []float64 // over the universe; sums to 1
	RMSE       float64   // predicted root mean square error of a measured cell in counts
	Iterations int       // the step whose iterate was kept
	Status     solver.Status
}

// Fit minimises Σ_A ‖M_A(x) − values_A/total‖²/variance_A over distributions x on the universe and
// stops where the estimated squared error of the measured marginals is least. Measurement i must be of
// clique i of the oracle's plan, and total above 0; Fit panics otherwise. It reads nothing private: two
// runs side by side, about 70 bytes for each cell of the universe, no allocation in the loop. An error
// means that the numbers overflowed.
func Fit(o *dense.Oracle, ms []query.Measurement, total float64, s Settings) (*Fitted, error) {
	check(o.Plan(), ms, total)
	limit := s.MaxIterations
	if limit <= 0 {
		limit = DefaultIterations
	}
	r := newRisk(o.Plan(), ms, total, s)
	start := prior(s.Prior, o.Plan().Len())
	u := make([]float64, len(start))
	run := newDescent(o, r, r.target, start, u)
	companion := newDescent(o, r, r.perturbed, start, u)
	run.x = start
	best := &Fitted{Weights: append([]float64(nil), start...), RMSE: math.NaN(), Status: solver.IterationLimit}
	least := math.Inf(1)
	for t := 1; t <= limit; t++ {
		run.step()
		companion.step()
		weighted, counts := r.estimate(run.qx, companion.qx)
		if math.IsNaN(weighted) || math.IsInf(weighted, 0) {
			return nil, errors.New("dpam: the fit left the range of floating-point numbers")
		}
		s.Progress.Report("fit", t, limit)
		if weighted < least {
			least = weighted
			best.Iterations, best.RMSE = t, math.Sqrt(max(counts, 0)/float64(len(r.target)))
			copy(best.Weights, run.x)
		} else if t > best.Iterations+max(patience, best.Iterations/3) {
			best.Status = solver.Converged
			break
		}
	}
	return best, nil
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
	project   func(query.Answers) // of the settings
}

func newRisk(p *dense.Plan, ms []query.Measurement, total float64, s Settings) *risk {
	r, rng, sum := &risk{total: total, project: s.Project}, rand.New(rand.NewPCG(s.Seed, 0x53555245)), 0.0
	for _, m := range ms {
		sum += 1 / m.Variance
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
			r.weight = append(r.weight, 1/m.Variance/sum)
			r.target = append(r.target, y/total)
			r.perturbed = append(r.perturbed, (y+perturbation*math.Sqrt(m.Variance)*xi)/total)
		}
	}
	return r
}

// estimate returns Stein's unbiased estimate of the squared error of the marginals q, given those of
// the companion: Σ_c res_c + 2·σ_c²·∂q_c/∂y_c − σ_c², where Σ ∂q_c/∂y_c ≈ Σ xi_c·(q'_c − q_c)/(h·σ_c).
// weighted counts a cell in units of its variance, counts in counts². Both are one number up to the
// factor σ² if all variances are equal. With a projection both are too low by a constant: the part of
// the noise that it removes.
func (r *risk) estimate(q, companion []float64) (weighted, counts float64) {
	for c, v := range r.variance {
		e := r.total * (q[c] - r.target[c])
		slope := r.xi[c] * r.total * (companion[c] - q[c]) / (perturbation * math.Sqrt(v))
		x := e*e + 2*v*slope - v
		counts += x
		weighted += x / v
	}
	return weighted, counts
}
