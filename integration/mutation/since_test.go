package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestPick(t *testing.T) {
	var list []defect
	for i := range 400 {
		list = append(list, defect{name: fmt.Sprint("defect ", i), file: fmt.Sprintf("room%d/a.go", i%40), dir: fmt.Sprintf("room%d", i%40)})
	}
	for _, c := range []struct {
		changed []string
		whole   string // a room whose defects are all picked
	}{{nil, ""}, {[]string{"room3/a.go"}, "room3"}, {[]string{"room5/b.go", "room5/b_test.go", "room50/a.go"}, ""}} {
		seen := map[string]bool{}
		for _, commit := range []string{"one", "two", "three", "four"} {
			got := pick(list, c.changed, commit)
			for _, d := range got {
				seen[d.name] = true
			}
			for _, d := range list {
				must.Hold(t, d.dir != c.whole || slices.Contains(got, d), "%v: %s of %s is left out", c.changed, d.name, d.dir)
			}
			n := len(got)
			must.Hold(t, n >= 60 && n <= 160, "%v, commit %s: %d of %d picked", c.changed, commit, n, len(list)) // 100 ± 8.7 of 400, and 10 more: a fixed draw
		}
		must.Hold(t, len(seen) >= 240, "%v: four commits try %d of %d", c.changed, len(seen), len(list))
	}
}
