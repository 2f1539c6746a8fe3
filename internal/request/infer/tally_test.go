package infer

import (
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
