package relation

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Together returns the names of attributes whose values Repair makes together: those of all orders, and those of
// each date. Given equal codes, values and words of one list, Repair does the same to it, whatever else differs.
func Together(d *domain.Domain) (lists [][]string) {
	var ordered []string
	for _, o := range d.Orders {
		ordered = append(ordered, o.Columns...)
	}
	if slices.Sort(ordered); len(ordered) > 0 {
		lists = append(lists, slices.Compact(ordered))
	}
	for _, p := range d.Dates {
		lists = append(lists, []string{p.Year, p.Month, p.Day})
	}
	return lists
}
