package methods

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	rakes "github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/solver"
)

// Choose returns the method called name, or for solver.Auto and for no name the one that the public rule picks, and the
// reason. It fails if there is no such method, and with the method's own error if it does not apply to p.
func Choose(p solver.Problem, name string) (m solver.Method, why string, err error) {
	why = "named in the request"
	if cmp.Or(name, solver.Auto) == solver.Auto {
		name, why = rule(p)
	}
	if m, err = Lookup(name); err != nil {
		return solver.Method{}, "", err
	}
	_, err = m.Accesses(p)
	return m, why, err
}

// rule picks a method from public figures alone: δ, the domain, the number of measured marginals and the planning
// number of units. The package comment gives the measurements behind it.
func rule(p solver.Problem) (name, why string) {
	if n := p.Workload.Linear(); n > 0 {
		if p.Delta > 0 {
			return "dpam", fmt.Sprintf("δ > 0, and %d linear queries: one release of all answers", n)
		}
		return "dpfw", fmt.Sprintf("δ = 0, and %d linear queries: selection", n)
	}
	if p.Delta > 0 {
		return ruleOfGaussian(p)
	}
	if p.Domain != nil && p.Domain.Learns() {
		return "rake", "δ = 0, and the bins of some columns are learned"
	}
	if p.Public != nil {
		return "dpam", "δ = 0, and a public table: one release, to which the table is compared"
	}
	measured := float64(len(p.Workload.Maximal().Marginals))
	limit := 6 * math.Pow(p.Units*float64(p.Epsilon), 0.4)
	if _, err := must("dpam").Accesses(p); err != nil {
		return "rake", "δ = 0, and no other method takes the domain: noisy scores find the tables worth measuring"
	}
	if measured <= limit {
		return "dpam", fmt.Sprintf("δ = 0 and %.0f marginals are at most 6·(units·ε)^0.4 = %.0f: one release", measured, limit)
	}
	return "dpfw", fmt.Sprintf("δ = 0 and %.0f marginals are more than 6·(units·ε)^0.4 = %.0f: selection", measured, limit)
}

// Delta returns the δ at which a request for the method called name is best made: p's, or 0 for solver.Auto and no name
// if one release without δ is better than all that Gaussian noise allows. Laplace noise of M marginals has the variance 2M²/ε²,
// Gaussian noise M/μ². The more noise there is, the more of it rake wins back by scores and priors: on parts of Adult and of a made-up
// table rake errs as much at .53·noise^−.19 of the Gaussian variance, by 15 to 27 % more at .58 of it with little noise (.02 to .06 of
// the units), and by 7 to 15 % less at .73 with much (.2 to 1). With more noise than units the fit of one release depends on the table:
// at a variance of .42/noise of the Gaussian one, on made-up tables of three columns, it errs by 14 % less to 17 % more where cells
// are full, and by two thirds less where one column follows from another.
func Delta(p solver.Problem, name string) dp.Delta {
	if cmp.Or(name, solver.Auto) != solver.Auto || p.Delta == 0 || p.Composed || p.Workload.Linear() > 0 || p.Domain != nil && p.Domain.Learns() {
		return p.Delta
	}
	marginals, ratio := float64(len(p.Workload.Maximal().Marginals)), float64(p.Epsilon)/solver.GaussianMu(p.Epsilon, p.Delta)
	moves := float64(p.Neighbouring.UnitChanges()) // of cells of a marginal
	variance := 2 * moves * marginals / (ratio * ratio)
	noise := rakes.ReleaseNoise(p) * math.Sqrt(variance) // of the units
	most := .53 * math.Pow(noise, -.19)
	if noise > 1 {
		most = .42 / noise
	}
	if !(variance <= most) {
		return p.Delta
	}
	pure := p
	pure.Delta = 0
	if name, _ := rule(pure); name != "dpam" {
		return p.Delta
	}
	if _, err := must("dpam").Accesses(pure); err != nil {
		return p.Delta
	}
	return 0
}

// Widest is the number of columns of the widest marginals of a workload.
func Widest(w query.Workload) (n int) {
	for _, m := range w.Marginals {
		n = max(n, len(m.Clique))
	}
	return n
}

// mostNoise is the noise up to which one release of wide marginals is better than smaller tables.
const mostNoise = .25

// ruleOfGaussian is the rule for δ > 0.
func ruleOfGaussian(p solver.Problem) (name, why string) {
	rake, widest := must("rake"), Widest(p.Workload)
	if p.Domain != nil && p.Domain.Learns() {
		return "rake", "δ > 0, and the bins of some columns are learned"
	}
	const usual = "δ > 0: noisy scores find the tables worth measuring, in any domain"
	if p.Public != nil && widest <= rake.Widest {
		if _, err := rake.Accesses(p); err != nil {
			return "dpam", "δ > 0, and a public table, which rake uses if there are few possible records"
		}
	}
	if widest <= rake.Widest || rakes.MeasuresAll(p) {
		return "rake", usual
	}
	if _, err := must("dpam").Accesses(p); err != nil {
		return "rake", fmt.Sprintf("%s; no method measures marginals of %d columns of this one", usual, widest)
	}
	noise := rakes.ReleaseNoise(p)
	if noise <= mostNoise {
		return "dpam", fmt.Sprintf("δ > 0, marginals of %d columns: the noise of one release of all, %.2g of the units, is at most %g", widest, noise, mostNoise)
	}
	return "rake", fmt.Sprintf("δ > 0, marginals of %d columns: the noise of one release of all, %.2g of the units, is more than %g, so that smaller tables tell more", widest, noise, mostNoise)
}

// must returns a built-in method.
func must(name string) solver.Method {
	m, err := Lookup(name)
	if err != nil {
		panic(err)
	}
	return m
}
