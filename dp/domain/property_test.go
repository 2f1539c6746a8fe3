package domain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRandomBins: over random cut points and resolutions, of all magnitudes, an attribute that Validate
// accepts decodes every bin to multiples of the resolution inside it.
func TestRandomBins(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	accepted := 0
	for range 20_000 {
		a := randomBins(rng)
		if a.Validate() != nil {
			continue
		}
		accepted++
		d := &Domain{Attributes: []Attribute{a}}
		enc, dec := NewEncoder(d), NewDecoder(d)
		for b := range a.Bins() {
			for _, word := range []uint64{0, math.MaxUint64, rng.Uint64()} {
				var c Chunk
				dec.Decode(&c, []Code{Code(b)}, func(int, int) uint64 { return word })
				got := make([]Code, 1)
				enc.Encode(&c, got)
				must.Need(t, got[0] == Code(b), "%+v: bin %d with word %d decodes to %+v in bin %d", a, b, word, c.Columns[0], got[0])
				inside(t, &a, &c.Columns[0])
			}
		}
	}
	must.Hold(t, accepted >= 5000, "only %d of 20000 attributes are valid: the test says little", accepted)
}

// inside checks a decoded number against the ends of the attribute and its resolution.
func inside(t *testing.T, a *Attribute, c *Column) {
	t.Helper()
	if c.Form == Ints {
		v := c.Ints[0]
		must.Need(t, v >= a.Cuts[0] && v <= a.Cuts[len(a.Cuts)-1] && v%a.Resolution == 0, "%+v: decoded %d", a, v)
		return
	}
	v, r := c.Floats[0], a.FloatResolution
	must.Need(t, v >= a.FloatCuts[0] && v <= a.FloatCuts[len(a.FloatCuts)-1], "%+v: decoded %g", a, v)
	k := math.Round(v / r)
	must.Need(t, r <= 0 || math.Abs(v-k*r) <= 1e-15*math.Abs(v), "%+v: decoded %g, which is no multiple", a, v)
}

// randomBins returns an INT64 or a FLOAT64 with up to 6 bins, not always valid.
func randomBins(rng *rand.Rand) Attribute {
	n := 2 + rng.IntN(6)
	if rng.IntN(2) == 0 {
		a := Attribute{Name: "x", Type: Int64, Resolution: 1 + rng.Int64N(20), Null: true}
		shift := rng.IntN(64)
		for range n {
			a.Cuts = append(a.Cuts, int64(rng.Uint64())>>shift)
		}
		slices.Sort(a.Cuts)
		return a
	}
	a := Attribute{Name: "x", Type: Float64, Null: true}
	scale := math.Pow(10, float64(rng.IntN(30)-15))
	for range n {
		a.FloatCuts = append(a.FloatCuts, rng.NormFloat64()*scale)
	}
	slices.Sort(a.FloatCuts)
	switch rng.IntN(3) {
	case 0:
		a.FloatResolution = scale / math.Pow(10, float64(rng.IntN(4)))
	case 1:
		a.FloatResolution = scale * rng.Float64() / 50
	}
	return a
}
