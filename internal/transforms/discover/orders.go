package discover

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Cells of orderOf: how the dates of two columns of a record lie.
const (
	notBoth = iota // one of them is missing
	ascends
	equals
	descends
	orderCells
)

const (
	nextColumns = 8             // behind a column whose dates are compared with its own
	noMoment    = math.MinInt64 // what is no date has no microseconds since 1970

	// A pair is in order if no more people are out of it than noise hides, or than outOfOrder of them, and noise hides fewer than
	// mostUncertain. It is worth an order if independent columns had leastReversed of the people out of it: ages are not modelled in
	// place of days that all lie behind them.
	outOfOrder, mostUncertain, leastReversed = .002, .03, .1
)

// orders counts how the dates of each column lie to the dates of the columns behind it.
type orders [][nextColumns][orderCells]int64

// add counts units that have a date in both columns, with the moments of each column; nil: none has a date there.
func (o orders) add(moments [][]int64) {
	for k, first := range moments {
		if first == nil {
			continue
		}
		for i, second := range moments[k+1 : min(k+1+nextColumns, len(moments))] {
			cells := &o[k][i]
			for row, y := range second {
				switch x := first[row]; {
				case x == noMoment || y == noMoment:
				case x < y:
					cells[ascends]++
				case x == y:
					cells[equals]++
				default:
					cells[descends]++
				}
			}
		}
	}
}

// counts returns the cells of a column: who of the units is in no other cell has not both dates.
func (o orders) counts(column int, units int64) (list [][]int64) {
	for i := range o[column] {
		cells := o[column][i][:]
		cells[notBoth] = units - cells[ascends] - cells[equals] - cells[descends]
		list = append(list, cells)
	}
	return list
}

// datePairs lists the columns of dates whose order is asked for, if all of a domain is to be found.
func (f *Found) datePairs(p Params, dates []int) (pairs [][2]int) {
	for _, i := range dates {
		for _, j := range dates {
			if p.Rows == AllOfRows && i < j && j <= i+nextColumns && f.Columns[i].Type == f.Columns[j].Type {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// askOrders releases how dates lie to each other, and picks the orders that hold: each column is in one of them at most. Columns of
// people have none, as a domain has it.
func (f *Found) askOrders(c asker, pairs [][2]int, years map[int]noisy, s dp.Share) error {
	indices := lists.Of(pairs, func(q [2]int) int { return attribute(q[0], orderOf+q[1]-q[0]-1) })
	m, err := measure(c, ordersStage, s, indices...)
	if err != nil {
		return err
	}
	before, first := map[[2]int]bool{}, map[int]int{} // first: how many columns a column is before
	for i, q := range pairs {
		x, y := &f.Columns[q[0]], &f.Columns[q[1]]
		person := f.MaxRows > 1 && (slices.Contains(f.Person, x.Name) || slices.Contains(f.Person, y.Name))
		n, hidden := sum(m[i].cells[ascends:]), 3*m[i].sigma
		if hidden > mostUncertain*n || person || x.Left+y.Left != "" || x.Resolution != y.Resolution || len(x.Exact)+len(y.Exact) > 0 {
			continue
		}
		if m[i].cells[descends] > max(outOfOrder*n, hidden) {
			if m[i].cells[ascends] > max(outOfOrder*n, hidden) {
				continue
			}
			q[0], q[1] = q[1], q[0]
		}
		if reversed(years[q[0]], years[q[1]]) >= leastReversed {
			before[q] = true
			first[q[0]]++
		}
	}
	f.chain(before, first)
	return nil
}

// chain makes orders of columns that are before others: the columns before most others come first.
func (f *Found) chain(before map[[2]int]bool, first map[int]int) {
	var list [][]int
	columns := domain.All(len(f.Columns))
	slices.SortStableFunc(columns, func(a, b int) int { return first[b] - first[a] })
	for _, i := range columns {
		at := slices.IndexFunc(list, func(order []int) bool {
			return !slices.ContainsFunc(order, func(j int) bool { return !before[[2]int{j, i}] })
		})
		if at < 0 {
			list = append(list, []int{i})
			continue
		}
		last := &f.Columns[list[at][len(list[at])-1]]
		f.Columns[i].Max = max(last.Max, f.Columns[i].Max) // both are of one form
		list[at] = append(list[at], i)
	}
	for _, order := range list {
		if len(order) > 1 {
			names := lists.Of(order, func(k int) string { return f.Columns[k].Name })
			f.Orders = append(f.Orders, names)
		}
	}
}

// reversed is the part of independent dates whose first is behind the second, by their years: half of the dates of one year are.
func reversed(first, second noisy) float64 {
	part, below, all := 0., 0., 0.
	for i := range yearCells - 1 {
		x, y := max(0, first.cells[i]), max(0, second.cells[i])
		part += x * (below + y/2)
		below, all = below+y, all+x
	}
	return part / max(all*below, 1)
}
