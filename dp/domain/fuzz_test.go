package domain

import (
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// FuzzFromText: any text becomes a declared cell, the unusable cell if it was not usable, and a usable
// number reads back from its canonical text as the same cell.
func FuzzFromText(f *testing.F) {
	for _, s := range []string{"", "Male", "-0", "1e9", "12.345", "2024-02-29", "2024-02-29T12:34:56.7Z", "12:00", "true", "\xff", "1e-400"} {
		f.Add(s)
	}
	d := allTypes(f)
	enc := NewEncoder(d)
	f.Fuzz(func(t *testing.T, s string) {
		for a := range d.Attributes {
			attr := &d.Attributes[a]
			code, ok := enc.FromText(a, []byte(s))
			if int(code) >= attr.RecordSize() {
				t.Fatalf("%s: code %d of %d cells", attr.Name, code, attr.RecordSize())
			}
			must.Need(t, ok || code == enc.columns[a].unusable, "%s: an unusable value became cell %d", attr.Name, code)
			v, native := attr.ParseNative(s)
			if !native || !ok || attr.Type == Timestamp { // a zone may leave years 1..9999
				continue
			}
			if _, exact, _ := parseExact(s, attr.Scale); attr.Type == Numeric && attr.Learned > 0 && !exact { // rounded to the nearer multiple, not down
				continue
			}
			back, _ := enc.FromText(a, attr.AppendNative(nil, v))
			must.Need(t, back == code, "%s: canonical text of cell %d is of cell %d", attr.Name, code, back)
		}
	})
}
