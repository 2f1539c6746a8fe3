package answer

import (
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// end is an end of a column's range. Values beyond it may have become it.
type end struct {
	moved bool // others have, or one may have, which can be far off
	seen  bool // people seem to be there
	text  string
	from  float64 // values from here on to the end of the range are among those that others have become
}

// fewAtEnd is the part of all people below which nobody seems to be at an end.
const fewAtEnd = .001

// moved returns the least and the largest value of a column of the clique, and whether others have become it: values beyond it are
// expected, or far more people are at the largest one than before it.
func (v *view) moved(at int) (ends [2]end) {
	a := &v.r.Domain.Attributes[v.clique[at]]
	if a.Bins() == 0 || len(a.Values) > 0 {
		return ends
	}
	for k, code := range []int{0, a.Bins() - 1} {
		e := &ends[k]
		if low, high, ok := a.FloatEnds(domain.Code(code)); ok {
			e.text, e.from = string(domain.AppendFloat(nil, [...]float64{low, high}[k])), [...]float64{high, low}[k]
		} else if low, high, ok := a.Ends(domain.Code(code)); ok {
			e.text, e.from = string(a.AppendNative(nil, [...]int64{low, high}[k])), float64([...]int64{high, low}[k])/math.Pow10(a.Scale)
		}
		e.moved, e.seen = a.Beyond[k], v.counts[at][code] >= fewAtEnd*v.r.Units
	}
	if from, piled := v.piled(at); piled && !ends[1].moved {
		ends[1].moved, ends[1].from = true, from
	}
	return ends
}

// piled reports whether far more people are at the end of a column's range than before it, and from which number on they are: larger
// values are among them. Of a table, half a hundredth of the people is seen there at least.
func (v *view) piled(at int) (from float64, piled bool) {
	a := &v.r.Domain.Attributes[v.clique[at]]
	if a.Type.Facts().Calendar || len(a.Exact)+len(a.FloatExact) > 0 {
		return 0, false
	}
	if last := a.Bins() - 1; a.Name == domain.RowsPerPerson && last > 0 { // its last bin is the most rows alone
		at, before := v.counts[at], float64(a.Cuts[last]-a.Cuts[last-1])
		return float64(a.Cuts[last]), at[last] >= leastPiled*v.r.Units && at[last] >= steepPile*at[last-1]/before
	}
	least, most := ends(a)
	step := float64(a.Resolution) / math.Pow10(a.Scale)
	if a.Type == domain.Float64 {
		step = a.FloatResolution
	}
	n := math.Round((most-least)/step) + 1
	var below func(k float64) float64
	if d := a.Distribution(); d != nil {
		below = d.Below
	} else if int(n) == a.Bins() && n >= fewestCells {
		below = func(k float64) (sum float64) {
			for _, x := range v.counts[at][:int(k)] {
				sum += x
			}
			return sum
		}
	} else {
		return 0, false
	}
	here, before := math.Ceil(n/1000), math.Ceil(n/20)
	all := below(n)
	part, density := (all-below(n-here))/all, (below(n-here)-below(n-here-before))/all/before
	return most - here*step, part >= leastPiled && part >= steepPile*density*here
}

// A range that cuts a tail off has so many people at its end, and so many times as many as before it.
const (
	leastPiled = .005
	steepPile  = 3
	// fewestCells are told apart from the values of a scale.
	fewestCells = 8
)

// ranges says of which values an answer is where others have become the ends of a range: of the column that is computed with, and of those
// that tell people apart; and of how many rows a person, if somebody may have more. It is empty if no value has been moved.
func (v *view) ranges(out *Answer, g *group, it *Item) string {
	var said []string
	computed := -1
	if it.Top.Function != "COUNT" {
		computed = v.d.Index(it.Top.Column)
	}
	for at, i := range v.clique {
		ends := v.ends[at]
		if it.Top.Function == "QUANTILE" && i == computed { // only people between it and an end matter
			ends[0].moved, ends[1].moved = ends[0].moved && out.Low <= ends[0].from, ends[1].moved && out.High >= ends[1].from
		}
		switch {
		case i == v.rows && ends[1].moved:
			said = append(said, "of at most "+ends[1].text+" rows a person")
		case i != computed:
		case ends[0].moved && ends[1].moved:
			said = append(said, "of values from "+ends[0].text+" to "+ends[1].text)
		case ends[0].moved:
			said = append(said, "of values from "+ends[0].text+" on")
		case ends[1].moved:
			said = append(said, "of values up to "+ends[1].text)
		}
		said = append(said, v.among(g, it, at, ends, i == computed)...)
	}
	return strings.Join(said, ", ")
}

// among says which values of a column are among those of a group though they are others: beyond its range, if a condition or a key puts the
// group at its ends; or none, as NULLs that noise hid when the range was found became the fallback.
func (v *view) among(g *group, it *Item, at int, ends [2]end, computed bool) []string {
	i, words := v.clique[at], [2]string{"below", "above"}
	a := v.attrs[i]
	if a.Type.Facts().Calendar {
		words = [2]string{"before", "after"}
	}
	var beyond []string
	key := slices.ContainsFunc(v.keys, func(key grouping) bool { return key.column == at })
	conditions := slices.DeleteFunc([]*relation.Condition{v.where, v.shares[it.Top.Where]}, func(c *relation.Condition) bool { return c == nil || !c.Names(i) })
	for k, code := range []int{0, a.Bins() - 1} {
		stops := func(c *relation.Condition) bool { return c.Stops(i, k, a) }
		at := func(p piece) bool { return int(p.codes[at]) == code }
		if !computed && (key || slices.ContainsFunc(conditions, stops)) && a.Beyond[k] && ends[k].seen && slices.ContainsFunc(g.pieces, at) {
			beyond = append(beyond, words[k]+" "+ends[k].text)
		}
	}
	lost := func(p piece) bool { return v.table.Codes[at][p.cell] == v.r.Domain.Attributes[i].Fallback }
	if (computed || key || len(conditions) > 0) && a.HasFallback && a.Name != domain.RowsPerPerson && a.Beyond != [2]bool{} && slices.ContainsFunc(g.pieces, lost) {
		beyond = append(beyond, "that cannot be used")
	}
	if beyond == nil {
		return nil
	}
	return []string{"with values of " + a.Name + " " + strings.Join(beyond, " and ")}
}

// outside says why nobody can meet the condition, if it is on values that have become the ends of a range.
func (v *view) outside() (why string) {
	for at, i := range v.clique {
		if v.where == nil {
			break
		}
		a := &v.r.Domain.Attributes[i]
		if ends := v.ends[at]; ends[1].text != "" && v.where.Names(i) && (v.where.Stops(i, 0, a) || v.where.Stops(i, 1, a)) {
			why += ": values of " + a.Name + " are from " + ends[0].text + " to " + ends[1].text + ", which those beyond have become"
		}
	}
	return why
}
