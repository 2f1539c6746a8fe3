package families_test

import (
	"bytes"
	"testing"

	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestHistories: tables are the same for a seed, and their domain files are valid with an order and without one.
func TestHistories(t *testing.T) {
	for _, h := range families.Histories() {
		h.People = 300
		var a, b, c bytes.Buffer
		for seed, out := range map[uint64][]*bytes.Buffer{1: {&a, &b}, 2: {&c}} {
			for _, w := range out {
				must.Do(t, h.Write(w, seed))
			}
		}
		must.Hold(t, bytes.Equal(a.Bytes(), b.Bytes()) && !bytes.Equal(a.Bytes(), c.Bytes()) && bytes.Count(a.Bytes(), []byte("\n")) >= 2*h.People,
			"%s: tables do not follow their seeds, or have few rows", h.Name)
		for _, ordered := range []bool{true, false} {
			f, err := schema.Parse(h.Name, []byte(h.File(ordered)))
			must.Hold(t, err == nil && f.Domain.Ordered() == ordered, "%s: %v", h.Name, err)
		}
	}
}
