package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

// A bound of 1 or more is called what it is.
func TestTheorySaysNothing(t *testing.T) {
	const vacuous = "vacuous"
	for _, tt := range []struct {
		method  string
		epsilon dp.Epsilon
		proved  bool
		words   bool
	}{{"dpam", 1, true, false}, {"dpam", 1e-4, true, true}, {"rake", 1, false, false}, {"mwem", 1e-9, false, true}} {
		measured := []Noisy{{Clique: domain.Clique{0, 1}, Variance: 50 / float64(tt.epsilon*tt.epsilon)}}
		w := query.AllMarginals([]int{3, 4}, 2, 100)
		p := &Plan{Method: tt.method, Universe: 12, Workload: Workload{Cells: 19, MeasCells: 12},
			Problem: solver.Problem{Units: 10_000, Workload: w, Epsilon: tt.epsilon, Delta: 1e-9}}
		p.Theory = p.stated(measured)
		var b strings.Builder
		writeTheory(&b, p)
		if math.IsNaN(p.Proved) == tt.proved || strings.Contains(b.String(), vacuous) != tt.words {
			t.Errorf("%s at ε = %g: %q", tt.method, float64(tt.epsilon), b.String())
		}
		if want := math.Sqrt(math.Log(2*19/.05) / 20_000); math.Abs(p.Sampling-want) > 1e-12 || !strings.Contains(b.String(), "no ε changes that") {
			t.Errorf("sampling %g, want %g: %q", p.Sampling, want, b.String())
		}
	}
}

// dpfw and its published form have bounds with constants, in plans of ten binary columns as of a direct computation; other
// methods have rates. Answers in [−1, 1] are sampled with twice the error.
func TestTheoryOfMethods(t *testing.T) {
	sizes := slices.Repeat([]int{2}, 10)
	d := &domain.Domain{}
	for i := range sizes {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("x", i), Type: domain.String, Values: []string{"no", "yes"}, HasFallback: true})
	}
	p := solver.Problem{Domain: d, Workload: query.AllMarginals(sizes, 3, 8), Epsilon: 1, Delta: 1e-8, Units: 10_000}
	of := func(method string) Theory {
		made, err := Make(p, method, 0, true, 0, nil)
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
