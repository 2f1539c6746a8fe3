package rivals_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/methods"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/solver"
)

// dpfw and its published form have bounds with constants, in plans of ten binary columns as of a direct computation; other
// methods have rates. Answers in [−1, 1] are sampled with twice the error.
func TestTheoryOfMethods(t *testing.T) {
	sizes := slices.Repeat([]int{2}, 10)
	d := &domain.Domain{}
	for i := range sizes {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("x", i), Type: domain.String, Values: []string{"no", "yes"}, HasFallback: true})
	}
	p := solver.Problem{Domain: d, Workload: query.AllMarginals(sizes, 3, 8), Epsilon: 1, Delta: 1e-8, Units: 10_000}
	of := func(method string) plan.Theory {
		made, err := plan.Make(p, method, 0, true, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		return made.Theory
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got/want-1) < .02) {
			t.Errorf("%s: %.4g, want %.4g", what, got, want)
		}
	}
	near("dpfw", of("dpfw").Proved, .1468) // ½·(2·√(ln 1024/(2·712)) + b·(ln 120 + 8·ln 2)/n), b = 2·√(712/(8·.93·rho))
	near("dpfw, rate", of("dpfw").Rate, .160)
	near("least", of("dpfw").Least, .045)
	if x := of("dpfw-paper"); !(x.Proved > 1) {
		t.Errorf("the published bound is %g, which was vacuous", x.Proved)
	}
	near("mwem, rate", of("mwem").Rate, .210)
	near("dpam-paper, rate", of("dpam-paper").Rate, .200)
	gaussian := of("dpam").Proved
	p.Delta = 0
	if x := of("dpam").Proved; !(gaussian < 1) || !math.IsNaN(x) {
		t.Errorf("dpam has the bound %g, and with Laplace noise that of Gaussian noise, %g", gaussian, x)
	}
	p.Delta = 1e-8
	plain := of("fem").Sampling
	signs, err := query.NewLinear([][]float64{{1, -1, -1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	p.Workload.Marginals = append(p.Workload.Marginals, query.Marginal{Clique: domain.Clique{0, 1}, Weight: 1, Queries: signs})
	near("sampling of signs", of("fem").Sampling, 2*plain)
}

// Where a universe is too large for the method that was asked for, one that answers linear queries without it is named.
func TestRefusalNamesAMethodForLinearQueries(t *testing.T) {
	d, sizes := &domain.Domain{}, slices.Repeat([]int{3}, 40)
	for i := range sizes {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("x", i), Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true})
	}
	same, err := query.NewLinear([][]float64{{1, -1, 0, -1, 1, 0, 0, 0, .5}})
	if err != nil {
		t.Fatal(err)
	}
	w := query.AllMarginals(sizes, 2, 1000)
	w.Marginals = append(w.Marginals, query.Marginal{Clique: domain.Clique{0, 1}, Weight: 1, Queries: same})
	p := solver.Problem{Domain: d, Workload: w, Epsilon: 1, Delta: 1e-9, Units: 10_000}
	_, _, err = methods.Choose(p, "mwem")
	if _, fix := plan.Refusal(p, "mwem", err); !strings.HasSuffix(fix, "drop columns, or raise --memory_limit; --method=dualquery answers linear queries in any domain") {
		t.Errorf("fix %q", fix)
	}
}
