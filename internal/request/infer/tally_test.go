package infer

import (
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestNumbersBeyondTheType: a column with a number beyond its type comes as texts. Its range and values come from the other
// numbers, and the draft says so; the number is no value and no end of a range.
func TestNumbersBeyondTheType(t *testing.T) {
	for _, typ := range domain.Types() {
		if typ.Facts().Form != domain.Ints || typ == domain.Bool {
			continue
		}
		numbers, texts := newTally(table.Column{Name: "x", Type: typ}, 1), newTally(table.Column{Name: "x", Type: typ}, 1)
		a := domain.Attribute{Type: typ}
		ints := domain.Column{Form: domain.Ints}
		text := domain.Column{Form: domain.Text, Offsets: []uint32{0}}
		add := func(s string) {
			text.Bytes = append(text.Bytes, s...)
			text.Offsets = append(text.Offsets, uint32(len(text.Bytes)))
		}
		for i := range int64(1000) {
			ints.Ints = append(ints.Ints, i%50)
			add(string(a.AppendNative(nil, i%50)))
		}
		add("beyond the type")
		numbers.add(&ints, 1000, nil)
		texts.add(&text, 1001, nil)
		s := &Source{}
		want, got := s.fromData(numbers), s.fromData(texts)
		must.Hold(t, strings.Contains(got.review, "some numbers are beyond "+typ.String()), "%v: review %q", typ, got.review)
		none := newTally(table.Column{Name: "x", Type: typ}, 1)
		none.add(&domain.Column{Form: domain.Text, Offsets: []uint32{0, 6}, Bytes: []byte("beyond")}, 1, nil)
		p := s.fromData(none)
		must.Hold(t, typ == domain.Time || p.out && strings.Contains(p.review, "all its numbers are beyond "+typ.String()), "%v: all are beyond it: %v", typ, p)
		if plain := strings.Replace(got.keys.String(), ", null: true", "", 1); texts.lo != 0 || texts.hi != 49 || !strings.HasPrefix(want.keys.String(), strings.Split(plain, ", fallback")[0]) {
			t.Errorf("%v: %s, beside numbers alone %s", typ, got.keys.String(), want.keys.String())
		}
	}
}

// TestGrain: the resolution is the largest round number that all values are multiples of, with the rounding of float64, if that
// takes no more cells than there may be.
func TestGrain(t *testing.T) {
	for _, test := range []struct {
		value func(k int) float64
		n     int
		want  string
	}{
		{func(k int) float64 { return float64(k) / 8 }, 40, "min: 0, max: 4.875, resolution: 0.025"},
		{func(k int) float64 { return float64(k) * 1.1507812345678 }, 2, "min: 0, max: 1.16, resolution: 1e-05"},
		{func(k int) float64 { return math.Sqrt(float64(k)) }, 40, "min: 0, max: 6.25, resolution: 1e-05"},
	} {
		x := newTally(table.Column{Type: domain.Float64}, 1)
		for k := range test.n {
			x.float(test.value(k))
		}
		if cells, _ := x.number(); cells.String() != ", "+test.want {
			t.Errorf("%d values up to %g: %s; want %s", test.n, test.value(test.n-1), cells, test.want)
		}
	}
}
