package dptest

import (
	"slices"

	"github.com/dapple-dp/dapple/dp"
)

// Tables returns every table of counts over a universe of the given cells with at most most units.
func Tables(cells, most int) [][]int64 {
	tables := [][]int64{make([]int64, cells)}
	for units, first := 0, 0; units < most; units++ {
		last := len(tables)
		for _, t := range tables[first:last] {
			for c := range t {
				if slices.IndexFunc(t[c+1:], func(n int64) bool { return n > 0 }) >= 0 {
					continue // each table once: units are added in order of cells
				}
				tables = append(tables, changed(t, c, 1))
			}
		}
		first = last
	}
	return tables
}

// Neighbours returns every neighbour of a table under the relation.
func Neighbours(n dp.Neighbouring, table []int64) [][]int64 {
	var all [][]int64
	for from, count := range table {
		if n == dp.AddRemove {
			all = append(all, changed(table, from, 1))
		}
		if count == 0 {
			continue
		}
		removed := changed(table, from, -1)
		if n == dp.AddRemove {
			all = append(all, removed)
			continue
		}
		for to := range table {
			if to != from {
				all = append(all, changed(removed, to, 1))
			}
		}
	}
	return all
}

func changed(table []int64, cell int, by int64) []int64 {
	t := slices.Clone(table)
	t[cell] += by
	return t
}
