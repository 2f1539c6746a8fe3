package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Of a domain that is too large the columns are named whose coarsening helps, with sizes that do.
func TestRefusalNamesColumns(t *testing.T) {
	sizes := make([]int, 30)
	for i := range sizes {
		sizes[i] = 2
	}
	sizes[3], sizes[17] = 400, 90 // 36,000 times 2^28
	const limit = 256 << 30       // bytes; a small machine could not hold even 30 columns of two cells
	p := problem(2, sizes...)
	p.MemoryLimit = limit
	_, _, err := methods.Choose(p, "dpam")
	must.Need(t, err != nil && TooLarge(err), "a domain of 2^43 cells was taken: %v", err)
	what, fix := Refusal(p, "dpam", err)
	must.Hold(t, strings.Contains(what, "cells") && strings.Contains(what, "GB"), "what: %s", what)
	for _, want := range []string{"c3 from 400 to ", "c17 from 90 to "} {
		must.Hold(t, strings.Contains(fix, want), "fix %q lacks %q", fix, want)
	}
	for i := range sizes {
		name := fmt.Sprintf("c%d from", i)
		must.Hold(t, i == 3 || i == 17 || !strings.Contains(fix, name), "fix %q coarsens a column of two cells", fix)
	}

	// With those sizes it fits.
	var c3, c17 int
	for part := range strings.SplitSeq(fix, ", ") {
		part = strings.TrimPrefix(part, "coarsen ")
		if n, _ := fmt.Sscanf(part, "c3 from 400 to %d", &c3); n == 0 {
			_, _ = fmt.Sscanf(part, "c17 from 90 to %d", &c17)
		}
	}
	must.Need(t, c3 >= 2 && c17 >= 2, "fix %q has sizes %d and %d", fix, c3, c17)
	sizes[3], sizes[17] = c3, c17
	p = problem(2, sizes...)
	p.MemoryLimit = limit
	_, _, err = methods.Choose(p, "dpam")
	must.Hold(t, err == nil, "with %d and %d cells: %v", c3, c17, err)
}

// Where coarsening cannot help it is not named.
func TestRefusalOfTooManyColumns(t *testing.T) {
	sizes := make([]int, 60)
	for i := range sizes {
		sizes[i] = 3
	}
	p := problem(2, sizes...)
	_, _, err := methods.Choose(p, "dpam")
	_, fix := Refusal(p, "dpam", err)
	must.Hold(t, fix == "drop columns, or raise --memory_limit; --method=auto takes any domain", "fix %q", fix)
	p = problem(2, sizes...)
	same := must.Value(query.NewLinear([][]float64{{1, -1, 0, -1, 1, 0, 0, 0, .5}}))(t)
	p.Workload.Marginals = append(p.Workload.Marginals, query.Marginal{Clique: domain.Clique{0, 1}, Weight: 1, Queries: same})
	_, _, err = methods.Choose(p, "dpam")
	if _, fix := Refusal(p, "dpam", err); fix != "drop columns, or raise --memory_limit" {
		t.Errorf("fix %q", fix)
	}
	what, _ := Refusal(p, "magic", errors.New("methods: no method is called \"magic\""))
	must.Hold(t, strings.Contains(what, "want auto or "), "what %q", what)
}

// A table that is too small for its columns is told so, with the number of units that would do, by the same prediction.
func TestTooSmall(t *testing.T) {
	text := func(units float64) (*Plan, string) {
		p := problem(3, 20, 20, 30, 9, 12)
		p.Units = units
		made := must.Value(Make(p, "auto", 0, true, 0, nil))(t)
		var b strings.Builder
		must.Do(t, made.WriteText(&b))
		return made, b.String()
	}
	small, said := text(344)
	want := fmt.Sprintf("poor: 344 rows are too few; about %s would do", page.Count(small.Enough))
	must.Hold(t, small.AverageTV > FewTV && small.Enough >= 1000 && strings.Contains(said, want),
		"average TV %v, enough %v; no %q in\n%s", small.AverageTV, small.Enough, want, said)
	large, said := text(small.Enough)
	must.Hold(t, large.AverageTV <= FewTV && large.Enough == 0 && !strings.Contains(said, "too few"),
		"%.0f units: average TV %v, enough %v\n%s", small.Enough, large.AverageTV, large.Enough, said)
	fewer, _ := text(small.Enough / 2.6)
	must.Hold(t, fewer.AverageTV > FewTV, "%.0f units would do, and so would %.0f", small.Enough, small.Enough/2.6)
}
