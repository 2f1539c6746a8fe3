package synth

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// drawable returns model file and errors of a column of two values, from one release of the given variance.
func drawable(t *testing.T, variance float64) (model, errors []byte) {
	t.Helper()
	f := &modelfile.File{Version: "v0", Method: "dpam", Guarantee: "none", Units: 1000, Domain: domain.Domain{Attributes: []domain.Attribute{
		{Name: "a", Type: domain.String, Values: []string{"x", "y"}, HasFallback: true}}}, Cliques: []domain.Clique{{0}}, Model: &population.Model{Sizes: []int{2}, Weights: []float64{400, 600}}}
	model, err := f.Encode()
	must.Do(t, err)
	r := &solver.Result{Model: f.Model, Total: query.Total{Units: 1000}, RMSE: math.NaN()}
	if variance > 0 {
		r.RMSE, r.Measurements = math.Sqrt(variance), []query.Measurement{{Clique: domain.Clique{0}, Values: []float64{400, 600}, Variance: variance}}
	}
	errors, err = json.Marshal(interval.New(r))
	must.Do(t, err)
	return model, errors
}

// TestDraws: draws are model files of the same domain whose shares scatter as the noise does; a release without figures on its errors,
// and what is none, has no draws.
func TestDraws(t *testing.T) {
	model, errors := drawable(t, 100)
	var shares []float64
	for b, err := range Draws(model, errors, 3, 50) {
		must.Do(t, err)
		_, f, err := readSaved(b)
		must.Need(t, err == nil && f.Domain.Attributes[0].Name == "a", "%v", err)
		shares = append(shares, f.Model.Weights[0]/f.Model.Total())
	}
	sum, square := 0.0, 0.0
	for _, x := range shares {
		sum, square = sum+x-.4, square+(x-.4)*(x-.4)
	}
	if s := math.Sqrt(square / 50); len(shares) != 50 || s < .004 || s > .03 || math.Abs(sum/50) > s { // noise of 10 in 1,000; less than 1e-9 of all seeds fail
		t.Errorf("%d shares scatter by %.4f", len(shares), s)
	}
	_, unknown := drawable(t, 0)
	for name, tt := range map[string]struct {
		model, errors []byte
		says          string
	}{"nothing known": {model, unknown, "another method"}, "no model": {[]byte("x"), errors, "model"}, "no errors": {model, []byte("x"), "interval"}} {
		for b, err := range Draws(tt.model, tt.errors, 3, 2) {
			must.Hold(t, b == nil && err != nil && strings.Contains(err.Error(), tt.says), "%s: %v, want %q", name, err, tt.says)
		}
	}
}

// TestCombine: of normal draws, 94 to 96 % of 20,000 intervals hold: at five standard deviations of 95 %, less than 1e-6 of all seeds
// fail. Both errors count, that between draws and that which estimators state.
func TestCombine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 19))
	for _, m := range []int{5, 20} {
		held := map[bool]float64{}
		const n = 20_000
		for range n {
			own := 3 * rng.NormFloat64() // of the table, given the release
			people := own + 2*rng.NormFloat64()
			draws, stated := make([]float64, m), slices.Repeat([]float64{4}, m)
			for k := range draws {
				draws[k] = 3 * rng.NormFloat64()
			}
			for drawn, truth := range map[bool]float64{false: own, true: people} {
				var variances []float64
				if drawn {
					variances = stated
				}
				c := must.Value(Combine(draws, variances))(t)
				if c.Low <= truth && truth <= c.High {
					held[drawn] += 1. / n
				}
			}
		}
		for drawn, part := range held {
			must.Hold(t, part >= .94 && part <= .965, "%d draws, of the population %v: %.4f of the intervals hold", m, drawn, part)
		}
	}
	for _, df := range []float64{4, 5, 9, 19, 99, 1e6} {
		if want := (distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}).Quantile(.975); math.Abs(student(df)/want-1) > .003 {
			t.Errorf("%g degrees of freedom: %g, want %g", df, student(df), want)
		}
	}
	c, err := Combine([]float64{1, 1, 1, 1, 1}, []float64{4, 4, 4, 4, 4})
	must.Hold(t, err == nil && c.StandardError == 2 && math.Abs(c.High-1-2*1.96) <= .001, "draws that agree: %+v, %v", c, err)
	// The example of combine in Python has the same figures.
	if c, err := Combine([]float64{1, 2, 3, 4, 5}, nil); err != nil || math.Abs(c.StandardError-1.732) > 5e-4 || math.Abs(c.Low-(-1.797)) > 5e-4 || math.Abs(c.High-7.797) > 5e-4 {
		t.Errorf("five draws: %+v, %v", c, err)
	}
	if c, err := Combine([]float64{1, 1, 1, 1, 1}, nil); err != nil || c.Low != 1 || c.High != 1 {
		t.Errorf("nothing differs: %+v, %v", c, err)
	}
	for _, bad := range [][2][]float64{{{1, 2, 3, 4}, nil}, {{1, 2, 3, 4, 5}, {1, 2}}} {
		must.Fails(Combine(bad[0], bad[1]))(t, "; give", "%v", bad)
	}
}
