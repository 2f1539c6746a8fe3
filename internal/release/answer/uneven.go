package answer

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// addUneven adds what is known of the values inside the cells of a column of the clique.
func (v *view) addUneven(column int) {
	a, counts := &v.r.Domain.Attributes[column], v.r.Model.Marginal(domain.Clique{column}, nil)
	v.uneven = append(v.uneven, unevenness(a, counts, v.r.Model.Total()))
	var far []float64
	if len(a.Runs) > 0 {
		far = v.farOf(column)
	}
	for c := range counts {
		counts[c] *= v.r.Units / v.r.Model.Total()
	}
	v.far, v.counts = append(v.far, far), append(v.counts, counts)
}

// seasons makes bins that keys cut into several months or quarters wholly uneven: bins beside them tell nothing of the seasons inside.
func (v *view) seasons(at int, keys []Key) {
	if slices.ContainsFunc(keys, func(k Key) bool { return k.Step > 0 && k.Part != "year" && k.Step != domain.Year }) {
		for c, parts := range v.parts[at] {
			if len(parts) > 2 {
				v.uneven[at][c] = 1
			}
		}
	}
}

// slope is unevenness inside a cell of the table that is cut, or computed with, if several columns have cells of many values: where they
// depend on each other, as beside a diagonal, people of a cell are at one of its ends though each column on its own is even.
func (v *view) slope(cell int) float64 {
	most := 0.0
	for at, stride := range v.strides {
		code := int(v.table.Codes[at][cell])
		if len(v.parts[at][code]) == 1 && !slices.Contains(v.numbers, v.clique[at]) {
			continue
		}
		here := v.address(cell)
		most = max(most, unlike(&v.r.Domain.Attributes[v.clique[at]], code, func(next int) float64 { return v.people[here+(next-code)*stride] }))
	}
	return leastUneven + mostSlope*most*most
}

// address returns the place of a cell of the table in people.
func (v *view) address(cell int) (here int) {
	for at, stride := range v.strides {
		here += int(v.table.Codes[at][cell]) * stride
	}
	return here
}

// unlike returns by which part the densities of a cell and of those beside it differ at most.
func unlike(a *domain.Attribute, code int, people func(code int) float64) (most float64) {
	x := people(code) / width(a, code)
	for _, next := range []int{code - 1, code + 1} {
		if next < 0 || next >= a.Bins() {
			continue
		}
		if y := people(next) / width(a, next); x+y > 0 {
			most = max(most, math.Abs(x-y)/(x+y))
		}
	}
	return most
}

// mostSlope is how uneven a cell beside an empty one is: with 1 means of learned bins were a fifth of a standard error off.
const mostSlope = .6

// width is how many values a cell of a column has, or how wide it is.
func width(a *domain.Attribute, code int) float64 {
	if lo, hi, ok := a.Ends(domain.Code(code)); ok {
		return float64(hi-lo)/float64(max(a.Resolution, 1)) + 1
	} else if lo, hi, ok := a.FloatEnds(domain.Code(code)); ok {
		return max(hi-lo, math.SmallestNonzeroFloat32)
	}
	return 1
}

// unevenness returns for every cell of a column by which part of its spread the mean of the values inside may be off: the more,
// the more the density of values differs from the density of the cells beside it. It is chosen, see the package comment.
func unevenness(a *domain.Attribute, counts []float64, total float64) []float64 {
	out := make([]float64, a.Size())
	for c := range out {
		most := 0.0
		if c < a.Bins() {
			most = unlike(a, c, func(c int) float64 { return counts[c] })
		}
		out[c] = leastUneven + (1-leastUneven)*most*most
		if counts[c] > total/2 { // the bins beside it tell little of the law of most people
			out[c] = max(out[c], most)
		}
	}
	return out
}

// farOf returns for every learned bin of a column the people who noise may hide at one end of it, see [interval.Intervals.Inside],
// times its width in standard deviations of the values inside.
func (v *view) farOf(column int) []float64 {
	a := &v.r.Domain.Attributes[column]
	out := make([]float64, a.Size())
	for c := range out {
		x := inCell(a, domain.Code(c))
		width := 0.0
		if lo, hi, whole := a.Ends(domain.Code(c)); whole {
			width = float64(hi-lo) / math.Pow10(a.Scale)
		} else if lo, hi, float := a.FloatEnds(domain.Code(c)); float {
			width = hi - lo
		}
		if s := x.variance(); x.ok && s > 0 {
			out[c] = v.r.Errors.Inside(column, domain.Code(c)) * width / math.Sqrt(s)
		}
	}
	return out
}

// assumed reports whether a column has declared cells of several values: nothing was released of what lies inside.
func (v *view) assumed(column int) bool {
	if column >= v.r.Domain.Len() {
		return false
	}
	a := &v.r.Domain.Attributes[column]
	for c := range a.Bins() {
		if list := a.Stretches(domain.Code(c)); len(a.Runs) == 0 && (len(list) > 1 || len(list) == 1 && list[0].Values > 1) {
			return true
		}
	}
	return false
}

// computes reports whether an item computes with what is assumed.
func (v *view) computes(it *Item) bool {
	of := func(a *Aggregate) bool {
		return a.Column != "" && a.Function != "COUNT" && v.assumed(v.d.Index(a.Column))
	}
	return of(&it.Top) || it.Down != nil && of(it.Down)
}

// hidden is how many more people noise may hide at one value inside a bin than at one of its ends: of counts of round amounts 92 % hold,
// 83 % with 1, and 36 % if they were taken to be even.
const hidden = 1.5

// narrow is the part of a bin from which on a condition asks for more than a few of its values.
const narrow = .1

// farther is what people at the far end of a bin add to a sum of numbers: as much as they are beyond its middle. Of a declared bin it is
// what all of its people add there.
func (v *view) farther(at, code int, deviation float64) float64 {
	if v.far[at] == nil {
		return deviation
	}
	if !v.counted(v.clique[at]) {
		return 0
	}
	return v.far[at][code] * deviation
}

// round widens a sum of numbers, or its ratio, by what rounding them to the resolution of their column has moved it: each by chance, those of
// a cell of one value as cells of several are uneven, and all in one direction those in the middle of two multiples.
func (v *view) round(out *Answer, g *group, it *Item) {
	column := v.d.Index(it.Top.Column)
	resolution, tie := rounding(&v.d.Attributes[column])
	people := v.sum(g, &Aggregate{Function: "COUNT", Column: it.Top.Column}).value
	down := 1.0
	if it.Down != nil {
		down = v.sum(g, it.Down).value
	} else if it.Top.Function == "AVG" {
		down = people
	}
	if out.Hidden != 0 || resolution == 0 || !(people > 0) {
		return
	}
	off := people
	if at := slices.Index(v.clique, column); at >= 0 {
		cells := make([]float64, len(v.uneven[at]))
		for i := range g.pieces {
			cells[v.table.Codes[at][g.pieces[i].cell]] += g.pieces[i].weight * g.pieces[i].rows.mean
		}
		for c, x := range cells {
			if known := inCell(&v.r.Domain.Attributes[column], domain.Code(c)); known.ok && known.variance() == 0 {
				off += x * x * v.uneven[at][c] * v.uneven[at][c]
			}
		}
	}
	out.StandardError = math.Hypot(out.StandardError, resolution*math.Sqrt(off/12)/down) + tie*people/down/sigmas95
	out.Low, out.High = out.Value-sigmas95*out.StandardError, out.Value+sigmas95*out.StandardError
}

// rounding returns the resolution that numbers were rounded to, and by how much their mean may rise since those in the middle are rounded up:
// half of a unit of the numbers before, of which the resolution is an even multiple. Numbers with decimals are taken to have the fewest.
func rounding(a *domain.Attribute) (resolution, tie float64) {
	switch {
	case a.Type == domain.Float64:
		resolution = a.FloatResolution
	case a.Type == domain.Numeric:
		resolution = float64(a.Resolution) / math.Pow10(a.Scale)
	case a.Type == domain.Int64 && a.Resolution > 1:
		return float64(a.Resolution), float64(1-a.Resolution%2) / 2
	}
	if resolution == 0 {
		return 0, 0
	}
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(resolution, 'e', -1, 64), "e")
	power, _ := strconv.Atoi(exponent)
	tie = math.Pow10(power-len(strings.Replace(digits, ".", "", 1))+1) / 2 // half of a unit of the last digit
	if (digits[len(digits)-1]-'0')%2 == 1 {
		tie /= 10
	}
	return resolution, tie
}

// leastUneven is how uneven cells are where densities change nowhere.
const leastUneven = .05
