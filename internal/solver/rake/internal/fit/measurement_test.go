package fit

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRidge: the ridge is noise variance × base / prior variance.
func TestRidge(t *testing.T) {
	got := ridge([]float64{100, 1, 1}, .01, .1)
	scale := .1 * 102 / (math.Pow(100, .75) + 2)
	if want := 100 * 100 / (scale * scale * 1000); math.Abs(got[0]-want) > 1e-6*want {
		t.Errorf("ridge %g, want %g", got[0], want)
	}
}

// TestApart: the less the measured triples say beyond their pairs, the more raked weights count; they count as usual if nothing tells.
func TestApart(t *testing.T) {
	for _, x := range []struct{ pairs, triples, want float64 }{{.5, .02, 2}, {.2, .05, 1.4}, {.2, .1, 1}, {.02, .5, 1}, {.2, math.NaN(), 1}, {math.NaN(), .1, 1}} {
		f := &Fit{Candidates: &choose.Candidates{}, measured: map[string]*measurement{}}
		put := func(relative float64, list ...domain.Clique) (out []*choose.Candidate) {
			for i, c := range list {
				if out = append(out, &choose.Candidate{Clique: c}); !math.IsNaN(relative) && i > 0 { // the first is not measured
					f.measured[c.Key()] = &measurement{relative: relative}
				}
			}
			return out
		}
		f.Pairs, f.Triples = put(x.pairs, domain.Clique{0, 1}, domain.Clique{0, 2}, domain.Clique{1, 2}), put(x.triples, domain.Clique{0, 1, 2}, domain.Clique{0, 1, 3})
		must.Hold(t, math.Abs(f.apart()-x.want) < 1e-9, "%+v: %g", x, f.apart())
	}
}
