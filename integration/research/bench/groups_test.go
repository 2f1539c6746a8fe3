package main

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The worst group is the one whose other columns are furthest off in the mean; values of more than a twentieth of the people
// are no group, and a group without rows is off by all.
func TestWorstGroup(t *testing.T) {
	domains := families.Coded([]string{"a", "b", "c"}, []int{3, 2, 2})
	people := func(rare [2]domain.Code) *families.Table { // 200; 4 of them have value 2 of a
		columns := make([][]domain.Code, 3)
		for r := range 200 {
			record := []domain.Code{domain.Code(r % 2), domain.Code(r / 2 % 2), domain.Code(r / 4 % 2)}
			if r < 4 {
				record = []domain.Code{2, rare[0], domain.Code(r % 2)}
				if r < 2 {
					record[1] = rare[1]
				}
			}
			for a, v := range record {
				columns[a] = append(columns[a], v)
			}
		}
		return families.NewTable("people", domains, columns)
	}
	table := people([2]domain.Code{0, 1})
	must.Equal(t, worstGroup(table, table), 0, "a table is off by: from itself")
	got := worstGroup(table, people([2]domain.Code{0, 0}))
	must.Hold(t, math.Abs(got-.25) <= 1e-12, "off by %g, want .25", got) // b is off by a half, c by 0
	none := people([2]domain.Code{0, 1})
	none = families.NewTable("none", domains, [][]domain.Code{none.Columns[0][4:], none.Columns[1][4:], none.Columns[2][4:]})
	must.Equal(t, worstGroup(table, none), 1, "without the group: off by")
}

// A column of the page without a figure is left out.
func TestFilled(t *testing.T) {
	lines := make([][]string, 2)
	for i := range lines {
		lines[i] = slices.Repeat([]string{none}, len(entryTitles)-1)
	}
	lines[0][1], lines[1][1], lines[1][2] = "mst", "rake", "8"
	got := filled(lines)
	want := [][]string{{"method", "runs"}, {"---", "---"}, {"mst", none}, {"rake", "8"}}
	for i := range want {
		must.Hold(t, slices.Equal(got[i], want[i]), "line %d: %q, want %q", i, got[i], want[i])
	}
}
