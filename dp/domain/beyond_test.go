package domain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// withCodes makes an attribute with exact values beyond its range, on one side or both.
func withCodes(r *rand.Rand) Attribute {
	a := Attribute{Name: "x", Type: []Type{Int64, Numeric, Date, DateTime, Float64}[r.IntN(5)], Null: true, Resolution: 1 + r.Int64N(9)}
	lo := r.Int64N(400) - 200
	hi := lo + a.Resolution*(20+r.Int64N(60))
	var codes []int64
	for range r.IntN(3) {
		codes = append(codes, lo-1-r.Int64N(1<<20))
	}
	for range 1 + r.IntN(3) {
		codes = append(codes, hi+1+r.Int64N(1<<20))
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	if a.Type == Float64 {
		a.Resolution, a.FloatResolution, a.FloatCuts = 0, float64(a.Resolution)/4, []float64{float64(lo) / 4, float64(hi) / 4}
		for _, c := range codes {
			a.FloatExact = append(a.FloatExact, float64(c)/4)
		}
	} else {
		a.Cuts, a.Exact = []int64{lo, hi}, codes
	}
	a.ReserveExact()
	a.Learned = min(1+r.IntN(30), a.whole().Fine())
	return a
}

// TestValuesBeyondTheRange: exact values beyond the range have numbers, cells, means and labels of their own, in the order of all
// values; every other value beyond becomes what is nearest; and none of it widens the steps of the range.
func TestValuesBeyondTheRange(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	for range 60 {
		a := withCodes(r)
		err := a.Validate()
		must.Need(t, err == nil, "%+v: %v", a, err)
		fine, n := newFine(&a), a.Fine()
		value := func(k int) float64 {
			if fine.grid != nil {
				return fine.float(k)
			}
			return float64(fine.native(k))
		}
		var values []float64
		for k := range n {
			values = append(values, value(k))
			must.Need(t, k == 0 || values[k] > values[k-1], "%+v: value %d does not rise: %g", a, k, values[k])
		}
		for _, x := range a.Exact {
			must.Need(t, slices.Contains(values, float64(x)), "%+v: %d is no value", a, x)
		}
		d := &Domain{Attributes: []Attribute{a}}
		bins := LearnedBins{Starts: []int{0}, Runs: []Run{{From: 0, Share: .5}, {From: n / 2, Share: .5}}}
		for _, k := range r.Perm(n - 1)[:a.Learned-1] {
			bins.Starts = append(bins.Starts, k+1)
		}
		slices.Sort(bins.Starts)
		after, err := d.WithBins([]LearnedBins{bins})
		must.Need(t, err == nil, "%+v: %v", a, err)
		b := &after.Attributes[0]
		encode := func(d *Domain, x float64) Code {
			code, ok := Code(0), false
			if a.Type == Float64 {
				code, ok = NewEncoder(d).FromFloat(0, x)
			} else {
				code, ok = NewEncoder(d).FromNative(0, int64(x))
			}
			must.Need(t, ok, "%+v: %g is not usable", a, x)
			return code
		}
		binOf := func(k int) Code {
			i, found := slices.BinarySearch(bins.Starts, k)
			if !found {
				i--
			}
			return Code(i)
		}
		labels := map[string]bool{}
		for k, x := range values {
			got := encode(d, x)
			must.Need(t, got == Code(k), "%+v: value %d, %g, has the number %d", a, k, x, got)
			if got := encode(after, x); got != binOf(k) {
				t.Fatalf("%+v with bins %v: value %d, %g, is in bin %d, want %d", a, bins.Starts, k, x, got, binOf(k))
			}
			labels[a.Label(Code(k))] = true
		}
		must.Need(t, len(labels) == n, "%+v: %d labels of %d values", a, len(labels), n)
		for range 20 { // of values beyond the range, one becomes what is nearest
			x := math.Floor(4*(values[0]+(values[n-1]-values[0])*(1.2*r.Float64()-.1))) / 4
			if a.Type != Float64 {
				x = math.Floor(x)
			}
			k := int(encode(d, x))
			for _, v := range values {
				if away := math.Abs(x - values[k]); math.Abs(x-v) < away && (away > float64(max(a.Resolution, 1)) || a.rounds()) && a.Type != Float64 {
					t.Fatalf("%+v: %g becomes %g, and %g is nearer", a, x, values[k], v)
				}
			}
			if encode(after, x) != binOf(k) {
				t.Fatalf("%+v with bins %v: %g has number %d and bin %d", a, bins.Starts, x, k, encode(after, x))
			}
		}
		checkSplitBeyond(t, b, values, r)
		checkMomentsBeyond(t, b, values)
	}
}

// checkSplitBeyond compares the cells of a split with the values on both sides of where it is.
func checkSplitBeyond(t *testing.T, b *Attribute, values []float64, r *rand.Rand) {
	t.Helper()
	k := r.IntN(len(values))
	at := values[k] - float64(r.IntN(2))
	out, of, _ := b.Split([]int64{int64(at)}, []float64{at})
	err := out.Validate()
	must.Need(t, err == nil, "split at %g: %v", at, err)
	e, before := NewEncoder(&Domain{Attributes: []Attribute{*out}}), NewEncoder(&Domain{Attributes: []Attribute{*b}})
	code := func(e *Encoder, x float64) Code {
		if b.Type == Float64 {
			c, _ := e.FromFloat(0, x)
			return c
		}
		c, _ := e.FromNative(0, int64(x))
		return c
	}
	first := slices.IndexFunc(values, func(v float64) bool { return v >= at })
	for i, x := range values {
		if of[code(e, x)] != code(before, x) {
			t.Fatalf("%+v split at %g: %g is in a part of another cell", *b, at, x)
		}
		if i > 0 && first > 0 && (code(e, values[first]) == code(e, values[first-1])) {
			t.Fatalf("%+v split at %g: %g and %g are in one cell of %+v", *b, at, values[first-1], values[first], out.Cuts)
		}
	}
}

// checkMomentsBeyond compares means of cells with sums over their values.
func checkMomentsBeyond(t *testing.T, b *Attribute, values []float64) {
	t.Helper()
	unit := math.Pow10(b.Scale)
	for c, of := range b.numbered() {
		weight, sum := 0., 0.
		for k := of[0]; k < of[1]; k++ {
			w := b.Distribution().Below(float64(k+1)) - b.Distribution().Below(float64(k))
			weight, sum = weight+w, sum+w*values[k]/unit
		}
		if mean, _, ok := b.Moments(Code(c)); !ok || math.Abs(mean-sum/weight) > 1e-6*(1+math.Abs(mean)) {
			t.Fatalf("%+v: cell %d has mean %g, want %g", *b, c, mean, sum/weight)
		}
	}
}

// TestExactDates: a date that stands for no end is a value, whatever the days between.
func TestExactDates(t *testing.T) {
	a := Attribute{Name: "ends", Type: Date, Null: true, Resolution: 1}
	day := func(s string) int64 { v, _ := a.ParseNative(s); return v }
	a.Cuts, a.Exact = []int64{day("2020-01-01"), day("2024-12-31")}, []int64{day("9999-12-31")}
	a.ReserveExact()
	a.Learned = 20
	must.Do(t, a.Validate())
	e := NewEncoder(&Domain{Attributes: []Attribute{a}})
	for cell, want := range map[string]string{"9999-12-31": "9999-12-31", "2022-05-07": "2022-05-07", "2025-03-01": "2024-12-31", "9000-01-01": "9999-12-31", "1990-01-01": "2020-01-01"} {
		if code, ok := e.FromString(0, cell); !ok || a.Label(code) != want {
			t.Errorf("%s becomes %s, want %s", cell, a.Label(code), want)
		}
	}
}
