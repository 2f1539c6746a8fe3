package domain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// coupledDomain has three columns of one bin of 1000 values each, or two, the second following the first.
func coupledDomain(t *testing.T, strength float64, with ...int) (*Domain, error) {
	t.Helper()
	d, bins := &Domain{}, []LearnedBins{}
	for i := range 3 {
		d.Attributes = append(d.Attributes, Attribute{Name: string(rune('a' + i)), Type: Int64, Cuts: []int64{0, 999}, Resolution: 1, Learned: 2, Null: true})
		b := LearnedBins{Attribute: i, Starts: []int{0, 500}, Runs: []Run{{0, .3}, {100, .7}}}
		if i < len(with) && with[i] >= 0 {
			b.Coupling = &Coupling{With: with[i], Strength: []float64{strength, strength / 2}, Width: []float64{1, 2}}
		}
		bins = append(bins, b)
	}
	return d.WithBins(bins)
}

// TestCoupling: places in bins follow each other as their strength says, and each column keeps its own distribution.
// 20,000 records: standard deviations of 1/√20,000 = .007, bounds of 5 of them.
func TestCoupling(t *testing.T) {
	const n = 20_000
	for _, c := range []struct{ strength, least, most float64 }{{0, -.035, .035}, {6, .6, .75}, {50, .98, 1}, {-50, -1, -.98}, {1e9, .98, 1}} {
		d := must.Value(coupledDomain(t, c.strength, 2, 0, -1))(t)
		codes := slices.Repeat([]Code{1, 1, 1}, n)
		rng := rand.New(rand.NewPCG(1, 2))
		var chunk Chunk
		NewDecoder(d).Decode(&chunk, codes, func(int, int) uint64 { return rng.Uint64() })
		for pair, columns := range [][2]int{{0, 2}, {1, 0}} {
			r := pearson(chunk.Columns[columns[0]].Ints, chunk.Columns[columns[1]].Ints)
			must.Hold(t, r >= c.least && r <= c.most, "strength %g: pair %d has a correlation of %.3f, want %g to %g", c.strength, pair, r, c.least, c.most)
		}
		for a := range d.Attributes {
			values := slices.Clone(chunk.Columns[a].Ints)
			slices.Sort(values)
			off := 0.0
			for i, v := range values {
				off = max(off, math.Abs(float64(v-500)/500-float64(i)/n))
			}
			must.Hold(t, off <= .016, "strength %g: column %d is off by %.3f", c.strength, a, off) // Kolmogorov's 2.2/√n: 1e-4
		}
	}
	for _, with := range [][]int{{0}, {1, 0}, {1, 2, 0}, {7}} {
		must.Fails(coupledDomain(t, 1, with...))(t, "", "couplings %v are taken", with)
	}
	must.Fails(coupledDomain(t, math.NaN(), 1))(t, "", "a strength of NaN is taken")
	d, _ := coupledDomain(t, 1, 1)
	d.Recouple(1, []Code{0, 0, 1, 2})
	d.Recouple(0, []Code{0, 1, 1, 2})
	// The bins of the domain are still two: as many of the parts are taken.
	c := d.Attributes[0].Coupling
	must.Hold(t, slices.Equal(c.Strength, []float64{1, 1}) && slices.Equal(c.Width, []float64{1, 2}), "after a split: %+v", c)
}

func pearson(x, y []int64) float64 {
	n, sx, sy, xx, yy, xy := float64(len(x)), 0., 0., 0., 0., 0.
	for i := range x {
		a, b := float64(x[i]), float64(y[i])
		sx, sy, xx, yy, xy = sx+a, sy+b, xx+a*a, yy+b*b, xy+a*b
	}
	return (xy - sx*sy/n) / math.Sqrt((xx-sx*sx/n)*(yy-sy*sy/n))
}

// In bins that hold tails the values furthest out come together, at whichever end they are, and positions remain uniform:
// Kolmogorov's 2.2/√n, a false alarm in 1e4 if the noise were not fixed.
func TestTailsComeTogether(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		other, own int8
		strength   float64
	}{{1, 1, 6}, {-1, -1, 6}, {1, -1, -6}, {-1, 1, -6}, {1, 1, 60}, {1, 1, .01}} {
		with := Coupling{Strength: []float64{c.strength}, Width: []float64{1}, Tails: []int8{c.other}, OwnTails: []int8{c.own}}
		without := with
		without.Tails, without.OwnTails = nil, nil
		far, plain, few := 0., 0., 0.
		var places []float64
		for range n {
			u, w := rng.Float64(), rng.Float64()
			v := with.place(u, w, 0, 0)
			places = append(places, v)
			out := func(x float64, tail int8) float64 { // how far out, from 0 to 1
				if tail > 0 {
					return x
				}
				return 1 - x
			}
			if out(u, c.other) > .98 {
				few++
				far += out(v, c.own)
				plain += out(without.place(u, w, 0, 0), c.own)
			}
		}
		slices.Sort(places)
		for i, v := range places {
			must.Need(t, math.Abs(v-float64(i)/n) <= .016, "%+v: %g of the positions are below %g", c, float64(i)/n, v)
		}
		must.Hold(t, math.Abs(c.strength) != 6 || far/few >= .93 && plain/few <= .88,
			"%+v: the values furthest out come with values at %.3f, without tails at %.3f", c, far/few, plain/few)
	}
	d := must.Value(coupledDomain(t, 1, 1))(t)
	for _, tails := range [][2][]int8{{{1, 0}, nil}, {{1}, {1}}, {{2, 0}, {0, 0}}} {
		d.Attributes[0].Coupling.Tails, d.Attributes[0].Coupling.OwnTails = tails[0], tails[1]
		must.Fails(d.couple())(t, "", "tails %v are taken", tails)
	}
	d.Attributes[0].Coupling.Tails, d.Attributes[0].Coupling.OwnTails = []int8{1, 0}, []int8{0, -1}
	must.Passes(d.couple())(t)
	d.Recouple(0, []Code{1, 0, 2})
	must.Hold(t, slices.Equal(d.Attributes[0].Coupling.OwnTails, []int8{-1, 0}), "after a split: %+v", d.Attributes[0].Coupling)
}
