package discover

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// TestNothingIsFoundAfterAFailedBundle: a worker of prism whose bundle failed may read a part of the table alone. Nothing
// is drawn from it, charged or kept. A runner that attempts the draw again has tried the failed bundle again before.
func TestNothingIsFoundAfterAFailedBundle(t *testing.T) {
	synth.Watch() // as Discover does
	worker, _ := transformtest.FailedBundle(t)
	p := params("id", "a")
	part := counted(t, p, rowsOf(100, func(int) []string { return []string{"p", "x"} })).encode()
	dir := t.TempDir()
	for i, c := range []struct {
		worker  context.Context
		run     string
		kept    bool
		charged int
	}{
		{worker, "one", true, 0},
		{worker, "two", true, 0},
		{worker, "three", false, 0},
		{worker, "three", false, 0},
		{worker, "one", true, 1},
		{t.Context(), "four", true, 1}, // another worker
	} {
		f := &drawFn{Params: p.withDefaults()}
		f.Params.RunID = c.run
		if c.kept {
			f.Params.Store = archive.In(dir)
		}
		seed := must.Value(mechanism.SeedFromBytes([]byte("a fixed seed is for tests alone!")))(t)
		found := 0
		err := f.ProcessElement(c.worker, 0, once(seed), once(part), func(string) { found++ })
		if drawn, _ := filepath.Glob(filepath.Join(dir, c.run+"*")); (err == nil) != (c.charged == 1) || found != c.charged || (len(drawn) > 0) != (c.charged == 1) {
			t.Errorf("attempt %d, run %s: error %v, found %d, kept %v", i, c.run, err, found, drawn)
		}
	}
}

// once iterates over one element.
func once[T any](e T) func(*T) bool {
	left := 1
	return func(p *T) bool {
		*p = e
		left--
		return left == 0
	}
}
