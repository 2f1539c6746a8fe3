package rake

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// switches returns n records of 23 binary columns among which are near copies, implications, exclusions and
// disjunctions, so that most pairs and triples have cells without records.
func switches(n int) records {
	rng := rand.New(rand.NewPCG(23, 1))
	chance := func(p float64) domain.Code {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	r := records{sizes: slices.Repeat([]int{2}, 23), columns: make([][]domain.Code, 23)}
	for range n {
		age, x := rng.Float64(), make([]domain.Code, 23)
		x[0], x[1] = chance(.5), chance(.2+.6*age)
		for i := 2; i < 8; i++ {
			x[i] = chance(.01 + .12*age*age)
		}
		for i := 8; i < 23; i++ {
			switch i % 4 {
			case 0:
				x[i] = x[i-5] & chance(.9)
			case 1:
				x[i] = x[i-7] ^ chance(.001)
			case 2:
				x[i] = x[i-3] | x[i-6]
			case 3:
				x[i] = (1 - x[i-2]) & chance(.3+.4*age)
			}
		}
		for a, v := range x {
			r.columns[a] = append(r.columns[a], v)
		}
	}
	return r
}

// TestStructuralZerosWithLittleNoise: the fit meets tables with many empty cells at ε = 10 and 20, where raking
// towards targets that move with the model ends at a total variation of .3. Fixed seeds.
func TestStructuralZerosWithLittleNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: ten seconds for two fits of 23 columns; make integration runs it")
	}
	data := switches(47_461)
	p := problem(data.sizes, 3, dp.AddRemove)
	p.Workload, p.Units = p.Workload.Maximal(), 50_000
	for _, epsilon := range []float64{10, 20} {
		p.Epsilon = dp.Epsilon(epsilon)
		r := solved(t, p, data, 1)
		some := p.Workload // every tenth triple, to save time
		some.Marginals = nil
		for i := 0; i < len(p.Workload.Marginals); i += 10 {
			some.Marginals = append(some.Marginals, p.Workload.Marginals[i])
		}
		got := tv(r.Model, data, some)
		t.Logf("ε = %g: total variation %.5f after %d sweeps, %v", epsilon, got, r.Iterations, r.Status)
		must.Hold(t, got <= .002, "ε = %g: total variation %.5f, want at most .002", epsilon, got)
	}
}

// TestFitHoldsOfNearConstants: noise explains how far a fit is from its answers where nearly all units have one value of some columns, so that
// the answers to pairs with another column are about what the column's own are about, and a fit that follows those is off from these
// by both noises. The noise is fixed. With the noise of pairs alone 2 of 72 fits are said to miss their answers.
func TestFitHoldsOfNearConstants(t *testing.T) {
	number := domain.Attribute{Type: domain.Int64, Cuts: []int64{0, 99}, Resolution: 1, Learned: 20, Null: true}
	d := &domain.Domain{Attributes: []domain.Attribute{{Type: domain.String, Values: []string{"a", "b"}, Null: true}, number, {Type: domain.Bool, Values: []string{"false", "true"}, Null: true}, number}}
	rng, missed := rand.New(rand.NewPCG(47, 1)), 0
	for seed := range uint64(72) {
		n, k, d := 5000+rng.IntN(15_000), 20+rng.IntN(80), d
		epsilon := []dp.Epsilon{1, 3, 10, .3, .3, .3}[seed%6]
		if epsilon < 1 {
			n, d = 2000+n/10, &domain.Domain{Attributes: d.Attributes[1:]}
		}
		varies := len(d.Attributes) - 1
		data := records{sizes: d.RecordSizes(), columns: make([][]domain.Code, varies+1)}
		for i := range n {
			for a := range varies {
				data.columns[a] = append(data.columns[a], domain.Code(max(0, 1-i))) // but for one unit 0
			}
			data.columns[varies] = append(data.columns[varies], domain.Code(rng.IntN(k)))
		}
		p := solver.Problem{Domain: d, Workload: query.AllMarginals(d.Sizes(), 3, 10_000), Units: float64(n), Epsilon: epsilon, Delta: 1e-9}
		if r := solved(t, p, data, seed); !r.Fit.Holds() {
			t.Logf("ε = %v, %d units: %+v", p.Epsilon, n, r.Fit.Off)
			missed++
		}
	}
	must.Hold(t, missed <= 0, "%d of 72 fits are said to miss their answers", missed)
}

// TestFitHoldsOfOrders: noise explains how far a fit is from its answers where one number is never below another, with little noise; and the model is
// off by no more than noise in all cells with people. Of 200,000 people at ε = 3 and 10 no fit held, since the sums of the base, whose sweeps end
// early, stood for the answers of columns: models were four times further off. Fixed seeds.
func TestFitHoldsOfOrders(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(47, seed))
		k, wide := 25+rng.IntN(35), 3+rng.IntN(8)
		data := records{sizes: []int{k, k + wide}, columns: make([][]domain.Code, 2)}
		for range 200_000 {
			x := rng.IntN(k)
			data.columns[0] = append(data.columns[0], domain.Code(x))
			data.columns[1] = append(data.columns[1], domain.Code(x+rng.IntN(wide)))
		}
		p := problem(data.sizes, 2, dp.AddRemove)
		p.Units, p.Epsilon, p.Delta = 200_000, []dp.Epsilon{3, 10}[seed%2], 1e-9
		p.Domain = &domain.Domain{}
		for x := 1; x < k; x++ {
			e := domain.Exclusion{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{domain.Code(x)}, nil}}
			for y := range x {
				e.Codes[1] = append(e.Codes[1], domain.Code(y))
			}
			p.Domain.StructuralZeros = append(p.Domain.StructuralZeros, e)
		}
		r := solved(t, p, data, seed)
		if off := tv(r.Model, data, p.Workload.Maximal()); !r.Fit.Holds() || off > .006 {
			t.Errorf("ε = %g, %d values: off by %.4f; the answers are missed by %.0f of %.0f", float64(p.Epsilon), k, off, r.Fit.Square, r.Fit.Freedom)
		}
	}
}
