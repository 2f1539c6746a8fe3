package main

import (
	"go/format"
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/integration/internal/repo"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestSwitchesApply: each edit finds its place, the code that it leaves out is there, and all compile. Edits of different
// switches are built together where their places differ.
func TestSwitchesApply(t *testing.T) {
	root := must.Value(repo.Root())(t)
	names := map[string]bool{}
	for _, c := range switches {
		must.Hold(t, !names[c.name], "two switches are called %q", c.name)
		names[c.name] = true
		files, err := c.applied(root)
		must.Hold(t, err == nil, "%v", err)
		for name, text := range files {
			must.Passes(format.Source([]byte(text)))(t, "%s: %s", c.name, name)
		}
		must.Passes(codeLines(root, c.code))(t, "%s", c.name)
	}
	w := &workshop{root, t.TempDir()}
	for left := slices.Clone(switches); len(left) > 0; {
		together, later := change{name: "together"}, []change(nil)
		for _, c := range left {
			if both := (change{c.name, slices.Concat(together.edits, c.edits), nil}); len(together.edits) == 0 || both.builds(root) {
				together.edits = both.edits
			} else {
				later = append(later, c)
			}
		}
		files := must.Value(together.applied(root))(t)
		must.Do(t, w.build(files, together.name, "", "./internal/solver/rake", "./internal/model/population"))
		left = later
	}
}

// builds reports whether all edits find their places.
func (c change) builds(root string) bool {
	_, err := c.applied(root)
	return err == nil
}

func TestEffect(t *testing.T) {
	base := []point{{"a", 1, 0, .1, 2}, {"a", 1, 1, .3, 2}, {"b", 1, 0, .001, 1}, {"b", 1, 1, .001, 1}}
	without := []point{{"a", 1, 0, .2, 3}, {"a", 1, 1, .3, 3}, {"b", 1, 0, .001, 1}} // b is not touched, and not run again
	e := must.Value(effectOf(base, without))(t)
	must.Hold(t, math.Abs(e.mean-.125) <= 1e-9 && math.Abs(e.se-.125) <= 1e-9 && e.best == "a" && math.Abs(e.most-.25) <= 1e-9 && e.worst == "b" && e.least == 0 && math.Abs(e.cpu-.4) <= 1e-9,
		"%+v", e)
}
