package domain

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func learning() *Domain {
	return &Domain{Attributes: []Attribute{
		{Name: "fare", Type: Numeric, Scale: 2, Cuts: []int64{0, 1000}, Resolution: 5, Learned: 4, Null: true},
		{Name: "weight", Type: Float64, FloatCuts: []float64{0, 10}, FloatResolution: 0.1, Learned: 3, HasFallback: true, Fallback: 50},
	}}
}

// TestFineCodes: values go to the nearest multiple, times to the earlier one, values outside to the ends.
func TestFineCodes(t *testing.T) {
	d := &Domain{Attributes: []Attribute{
		{Name: "a", Type: Int64, Cuts: []int64{-12, 95}, Resolution: 10, Learned: 2, Null: true}, // −10 … 90
		{Name: "b", Type: Float64, FloatCuts: []float64{0, 1}, FloatResolution: 0.1, Learned: 2, Null: true},
		{Name: "c", Type: Time, Cuts: []int64{0, microsPerDay - 1}, Resolution: 3600 * microsPerSecond, Learned: 2, Null: true},
		{Name: "d", Type: Int64, Cuts: []int64{math.MaxInt64 - 100, math.MaxInt64}, Resolution: 1, Learned: 2, Null: true},
		{Name: "e", Type: Int64, Cuts: []int64{math.MinInt64, math.MinInt64 + 100}, Resolution: 3, Learned: 2, Null: true},
		{Name: "f", Type: Numeric, Scale: 2, Cuts: []int64{-1000, 1000}, Resolution: 1, Learned: 2, Null: true},
		{Name: "g", Type: Numeric, Scale: 2, Cuts: []int64{0, 1000}, Resolution: 5, Learned: 2, Null: true},
		{Name: "h", Type: Numeric, Scale: 2, Cuts: []int64{0, 1000}, Resolution: 2, Learned: 2, Null: true},
		{Name: "i", Type: Numeric, Scale: 2, Cuts: []int64{math.MaxInt64 - 100, math.MaxInt64}, Resolution: 1, Learned: 2, Null: true},
	}}
	must.Do(t, d.Validate())
	enc := NewEncoder(d)
	for _, test := range []struct {
		attr int
		text string
		want string
	}{
		{0, "-10", "-10"}, {0, "-12", "-10"}, {0, "-9999999999", "-10"}, {0, "4", "0"}, {0, "5", "10"}, {0, "-5", "0"}, {0, "-6", "-10"},
		{0, "95", "90"}, {0, "9223372036854775807", "90"}, {0, "-9223372036854775808", "-10"}, {0, "x", "NULL"},
		{1, "0.3", "0.3"}, {1, "0.29", "0.3"}, {1, "0.7", "0.7"}, {1, "1e300", "1"}, {1, "-5", "0"}, {1, "NaN", "NULL"},
		{2, "00:59:59", "00:00:00"}, {2, "23:00:00", "23:00:00"}, {2, "23:59:59.999999", "23:00:00"},
		{3, "9223372036854775807", "9223372036854775807"}, {3, "5", "9223372036854775707"},
		{4, "-9223372036854775808", "-9223372036854775806"}, {4, "9223372036854775807", "-9223372036854775710"},
		{5, "1.2349", "1.23"}, {5, "1.235", "1.24"}, {5, "-1.2349", "-1.23"}, {5, "-1.2351", "-1.24"}, {5, "1.23", "1.23"}, {5, "99", "10"}, {5, "1e400", "10"},
		{6, "1.0249", "1"}, {6, "1.026", "1.05"}, {7, "1.0096", "1"}, {7, "1.0101", "1.02"},
		{8, "92233720368547758.079", "92233720368547758.07"}, {8, "92233720368547757.5", "92233720368547757.5"},
	} {
		code, _ := enc.FromString(test.attr, test.text)
		must.Equal(t, d.Attributes[test.attr].Label(code), test.want, "attribute %d: %s is coded as", test.attr, test.text)
	}
}

// TestWithBins: bins of values, distributions inside them, and the fallback's bin.
func TestWithBins(t *testing.T) {
	d := learning()
	must.Do(t, d.Validate())
	if got := d.RecordSizes(); !slices.Equal(got, []int{202, 101}) || !slices.Equal(d.Sizes(), []int{5, 3}) {
		t.Fatalf("record sizes %v, sizes %v", got, d.Sizes())
	}
	out := must.Value(d.WithBins([]LearnedBins{
		{Attribute: 1, Starts: []int{0, 50, 51}, Runs: []Run{{0, 1}}},
		{Attribute: 0, Starts: []int{0, 1, 3, 200}, Runs: []Run{{0, 0.5}, {1, 0}, {2, 0.1}, {3, 0.2}, {103, 0.1}, {200, 0.1}}},
	}))(t)
	var labels []string
	for a, n := range out.Sizes() {
		for c := range n {
			labels = append(labels, out.Attributes[a].Label(Code(c)))
		}
	}
	want := "[0, 0.05) [0.05, 0.15) [0.15, 10) 10 NULL [0, 5) [5, 5.1) [5.1, 10]"
	must.Equal(t, strings.Join(labels, " "), want, "labels")
	must.Hold(t, out.Attributes[1].Fallback == 1, "fallback %d, want the bin of 5", out.Attributes[1].Fallback)
	dec, enc := NewDecoder(out), NewEncoder(out)
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[int64]int{}
	const n = 20_000
	for range n {
		var c Chunk
		dec.Decode(&c, []Code{2, 1}, func(int, int) uint64 { return rng.Uint64() })
		v := c.Columns[0].Ints[0]
		code, _ := enc.FromNative(0, v)
		must.Need(t, code == 2 && v%5 == 0 && c.Columns[1].Floats[0] == 5, "decoded %d and %g", v, c.Columns[1].Floats[0])
		seen[v/515]++ // values 3 … 102 hold two thirds of the bin, 103 … 199 one third
	}
	// A binomial standard deviation is 67; five of them are passed once in 1.7 million runs.
	got := seen[0]
	must.Hold(t, math.Abs(float64(got)-n*2/3.) <= 335, "%d of %d values below 5.15, want two thirds", got, n)
	var c Chunk
	dec.Decode(&c, []Code{1, 0}, func(int, int) uint64 { return 0 })
	must.Equal(t, c.Columns[0].Ints[0], 10, "a value of a run without a share was drawn")
}

// TestWithBinsRefuses what fits no attribute.
func TestWithBinsRefuses(t *testing.T) {
	good := LearnedBins{Attribute: 0, Starts: []int{0, 1, 3, 200}, Runs: []Run{{0, 1}}}
	other := LearnedBins{Attribute: 1, Starts: []int{0, 1, 2}, Runs: []Run{{0, 1}}}
	for name, list := range map[string][]LearnedBins{
		"one is missing":  {good},
		"twice":           {good, good, other},
		"outside":         {good, other, {Attribute: 2}},
		"too few":         {{Attribute: 0, Starts: []int{0, 1, 3}, Runs: good.Runs}, other},
		"beyond the end":  {{Attribute: 0, Starts: []int{0, 1, 3, 201}, Runs: good.Runs}, other},
		"not from 0":      {{Attribute: 0, Starts: []int{1, 2, 3, 4}, Runs: good.Runs}, other},
		"share":           {{Attribute: 0, Starts: good.Starts, Runs: []Run{{0, -1}}}, other},
		"run beyond":      {{Attribute: 0, Starts: good.Starts, Runs: []Run{{0, 1}, {201, 1}}}, other},
		"runs not from 0": {{Attribute: 0, Starts: good.Starts, Runs: []Run{{1, 1}}}, other},
		"NaN":             {{Attribute: 0, Starts: good.Starts, Runs: []Run{{0, math.NaN()}}}, other},
		"run before":      {{Attribute: 0, Starts: good.Starts, Runs: []Run{{0, 1}, {0, 1}}}, other},
	} {
		must.Fails(learning().WithBins(list))(t, "", "%s: no error", name)
	}
	must.Passes(learning().WithBins([]LearnedBins{good, other}))(t)
}

// TestLearnedFaults: what an attribute with learned bins cannot have.
func TestLearnedFaults(t *testing.T) {
	for want, a := range map[string]Attribute{
		"more than 2^20":   {Type: Int64, Cuts: []int64{0, MaxFine}, Resolution: 1, Learned: 20, Null: true},
		"fewer than its":   {Type: Int64, Cuts: []int64{0, 18}, Resolution: 1, Learned: 20, Null: true},
		"no other cells":   {Type: Int64, Cuts: []int64{0, 18, 90}, Resolution: 1, Learned: 20, Null: true},
		"and a resolution": {Type: Float64, FloatCuts: []float64{0, 18}, Learned: 20, Null: true},
		"-1 learned":       {Type: Int64, Cuts: []int64{0, 100}, Resolution: 1, Learned: -1, Null: true},
		"cell 101":         {Type: Int64, Cuts: []int64{0, 100}, Resolution: 1, Learned: 5, HasFallback: true, Fallback: 101},
	} {
		a.Name = "x"
		must.Fail(t, a.Validate(), want)
	}
	d := learning()
	d.StructuralZeros = Exclusions{{Clique: Clique{0, 1}, Codes: [][]Code{{1}, {1}}}}
	must.Fail(t, d.Validate(), "bins are learned", "an exclusion of learned bins")
}

// TestExact: exact values are written as they are, on either side of their multiple of the resolution, and are coded as
// what they were drawn from, before bins are learned and after, at the beginning of a bin and inside.
func TestExact(t *testing.T) {
	d := &Domain{Attributes: []Attribute{
		{Name: "log", Type: Numeric, Scale: 3, Cuts: []int64{0, 8000}, Resolution: 100, Learned: 5, Null: true, Exact: []int64{693, 1099, 1386, 2827}},
		{Name: "float", Type: Float64, FloatCuts: []float64{0, 8}, FloatResolution: .1, Learned: 5, Null: true,
			FloatExact: []float64{.6931471805599453, 1.0986122886681098, 1.3862943611198906, 2.827258872223978}},
	}}
	must.Do(t, d.Validate())
	bins := []LearnedBins{
		{Attribute: 0, Starts: []int{0, 7, 8, 11, 28}, Runs: []Run{{0, 1}, {7, 1}, {8, 1}}},
		{Attribute: 1, Starts: []int{0, 7, 8, 11, 28}, Runs: []Run{{0, 1}, {7, 1}, {8, 1}}},
	}
	learned := must.Value(d.WithBins(bins))(t)
	seen := map[string]bool{}
	for _, x := range []*Domain{d, learned} {
		enc, dec, rng := NewEncoder(x), NewDecoder(x), rand.New(rand.NewPCG(1, 2))
		var chunk Chunk
		for c := range Code(x.RecordSizes()[0] - 1) {
			for range 50 {
				dec.Decode(&chunk, []Code{c, c}, func(int, int) uint64 { return rng.Uint64() })
				for a, text := range []string{string(x.Attributes[0].AppendNative(nil, chunk.Columns[0].Ints[0])), string(AppendFloat(nil, chunk.Columns[1].Floats[0]))} {
					seen[text] = true
					got, ok := enc.FromString(a, text)
					must.Need(t, ok && got == c, "attribute %d: %s of cell %d is coded as %d", a, text, c, got)
				}
			}
		}
	}
	for a, exact := range [][]string{{"0.693", "1.099", "2.827"}, {"0.6931471805599453", "1.0986122886681098", "2.827258872223978"}} {
		for i, bin := range []Code{1, 3, 4} { // begins at the value, or below it
			code, _ := NewEncoder(learned).FromString(a, exact[i])
			value, x := must.Value(strconv.ParseFloat(exact[i], 64))(t), learned.Attributes[a]
			begins := slices.Concat(x.FloatCuts, floats(x.Cuts, 1000))[bin]
			must.Hold(t, code == bin && begins <= value, "%s is in bin %d, and bin %d begins at %g", exact[i], code, bin, begins)
		}
	}
	for _, want := range []string{"0.693", "1.099", "2.827", "0.6931471805599453", "2.827258872223978", "0.5"} {
		must.Hold(t, seen[want], "%s was never written", want)
	}
	for _, never := range []string{"0.7", "1.1", "2.8"} {
		must.Hold(t, !seen[never], "%s was written", never)
	}
	if split, _, _ := learned.Attributes[0].Split([]int64{700, 1100}, nil); !slices.Equal(split.Cuts, slices.Insert(slices.Clone(learned.Attributes[0].Cuts), 4, 1200)) {
		t.Errorf("split at 0.7 and 1.1: cut points %v; 0.693 and 1.099 stand for both", split.Cuts)
	}
	for name, change := range map[string]func(a, b *Attribute){
		"twice rounded to one": func(a, _ *Attribute) { a.Exact = []int64{693, 701} },
		"descending":           func(_, b *Attribute) { b.FloatExact = []float64{1, .5} },
		"no number":            func(_, b *Attribute) { b.FloatExact = []float64{math.NaN()} },
		"of another type":      func(_, b *Attribute) { b.Exact = []int64{1} },
		"bins":                 func(a, _ *Attribute) { a.Learned = 0 },
	} {
		x := *d
		x.Attributes = slices.Clone(d.Attributes)
		change(&x.Attributes[0], &x.Attributes[1])
		must.Fail(t, x.Validate(), "exact value", "%s", name)
	}
}

// floats returns numbers whose units are a part of 1.
func floats(list []int64, scale float64) (out []float64) {
	for _, v := range list {
		out = append(out, float64(v)/scale)
	}
	return out
}
