package interval

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// dealing is a pair of the number of rows and another column, where several numbers of rows have one answer: the model takes the other
// column to be independent of which of them a person has, and queries multiply people by it. Where rows go with a column the answer is
// off by all that the people of these numbers can be dealt differently.
type dealing struct {
	row, other []int32   // of each cell
	people     []float64 // of each cell, with those whom the noise of its number of rows may hide
	group      []int32   // of each number of rows: those with one answer have the same; −1: its answer is its own
}

// deals returns the dealing of a pair with the number of rows at position i, of whose values noise is the variance; nil if each has an
// answer of its own.
func (p *part) deals(i int, pooled []bool, noise []float64) *dealing {
	n, all := len(p.base), make([]float64, len(pooled))
	for j, code := range p.codes[i] {
		all[code] += p.base[j]
	}
	d := &dealing{make([]int32, n), make([]int32, n), slices.Clone(p.base), slices.Repeat([]int32{-1}, len(pooled))}
	for j, code := range p.codes[i] {
		if d.row[j], d.other[j] = int32(code), int32(p.codes[1-i][j]); !pooled[code] || all[code] == 0 {
			continue
		}
		d.people[j] *= 1 + math.Sqrt(noise[code])/all[code]
		if d.group[code] = 0; p.missed != nil {
			d.group[code] = p.missed.lines[i][p.missed.cell[j]]
		}
	}
	if slices.Max(d.group) < 0 {
		return nil
	}
	return d
}

// side is a value of one column of a dealing in a group: its people, and what a query counts for each beyond the means of both columns, as
// a product with the other column's effect.
type side struct{ people, mean, effect float64 }

// off returns by how much a query with the means q in the cells is likely to be off at most.
func (d *dealing) off(q []float64) (off float64) {
	for group := range slices.Max(d.group) + 1 {
		off += d.offIn(group, q)
	}
	return off
}

func (d *dealing) offIn(group int32, q []float64) float64 {
	rows, others, all, mean := make([]side, len(d.group)), make([]side, slices.Max(d.other)+1), 0.0, 0.0
	elsewhere := map[int32][]float64{} // people by the other column, of each other number of rows
	for j, row := range d.row {
		if r, o, n := &rows[row], &others[d.other[j]], d.people[j]; d.group[row] == group {
			r.people, r.mean = r.people+n, r.mean+n*q[j]
			o.people, o.mean = o.people+n, o.mean+n*q[j]
			all, mean = all+n, mean+n*q[j]
			continue
		}
		if elsewhere[row] == nil {
			elsewhere[row] = make([]float64, len(others))
		}
		elsewhere[row][d.other[j]] += d.people[j]
	}
	if all == 0 { // an answer of one number of rows
		return 0
	}
	for _, list := range [][]side{rows, others} {
		for i := range list {
			list[i].mean /= max(list[i].people, math.SmallestNonzeroFloat64)
			list[i].effect = float64(i) // to begin with
		}
	}
	// fits sets the effects of one column that fit those of the other best.
	fits := func(list, given []side, at, givenAt []int32) {
		square := 0.0
		for _, x := range given {
			square += x.people * x.effect * x.effect / all
		}
		for i := range list {
			list[i].effect = 0
		}
		for j, row := range d.row {
			if x := &list[at[j]]; d.group[row] == group && square > 0 {
				x.effect += d.people[j] * (q[j] - rows[row].mean - others[d.other[j]].mean + mean/all) * given[givenAt[j]].effect / (x.people * square)
			}
		}
	}
	for range productRounds {
		fits(others, rows, d.other, d.row)
		fits(rows, others, d.row, d.other)
	}
	apart := 0.0
	for _, list := range elsewhere {
		differ, both, sum := 0.0, math.SmallestNonzeroFloat64, floats.Sum(list)
		for i, o := range others {
			differ += math.Abs(o.effect * (o.people/all - list[i]/sum))
			both += math.Abs(o.effect * (o.people/all + list[i]/sum))
		}
		apart = max(apart, differ/both)
	}
	if apart = leastApart + perApart*apart; len(elsewhere) == 0 { // nothing tells
		apart = 1
	}
	alike := sorted(rows, others)
	for i := range others {
		others[i].effect *= -1
	}
	return min(1, apart) * max(alike, sorted(rows, others))
}

// sorted returns what people add up to of whom those with the largest effect of one column have the largest of the other.
func sorted(rows, others []side) (sum float64) {
	byEffect := func(a, b side) int { return cmp.Compare(a.effect, b.effect) }
	rows, others = slices.SortedFunc(slices.Values(rows), byEffect), slices.SortedFunc(slices.Values(others), byEffect)
	k, left := 0, rows[0].people
	for _, o := range others {
		for o.people > 0 {
			for k+1 < len(rows) && left <= 0 {
				k++
				left = rows[k].people
			}
			n := min(o.people, left)
			if k+1 == len(rows) { // rounding
				n = o.people
			}
			sum, o.people, left = sum+n*o.effect*rows[k].effect, o.people-n, left-n
		}
	}
	return sum
}

// People of numbers of rows with one answer may be dealt the more differently, the more the other column differs between these numbers
// and another. Of 192 releases of 5,000 people whose rows, up to 10 or 20, go with a column, 91 to 97 % of the sums, means, shares and
// counts held at ε = .3, where 64 to 79 % had, and 92 to 100 % at ε = 1, where 78 to 93 % had.
const (
	leastApart    = .1
	perApart      = 4
	productRounds = 4
)
