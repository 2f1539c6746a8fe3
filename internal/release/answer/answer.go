package answer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/background"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Release is what a query is answered from. It is not changed.
type Release struct {
	Domain *domain.Domain // with the bins that were learned
	Model  *population.Model
	Units  float64 // the released number of people
	Errors *interval.Intervals
}

// Options say what answers are about.
type Options struct {
	Population bool // that the table's people are a random sample of
}

// Answer is a number with its error.
type Answer struct {
	Group  []string // labels of the query's keys
	Column string
	// Value, its standard error, and the ends of the 95 % interval; NaN: noise hides it.
	Value, StandardError, Low, High float64
	Hidden                          float64 // fewer people than about so many have no answer; 0: this has one
	Measured                        bool    // noisy answers of all marginals that bear on it were released; false: the model's error is predicted
	Earlier                         bool    // an earlier version made the release: the interval leaves out the fit's distance from the answers
	Range                           string  // of which values it is, if others have become the ends of a range, such as "of values up to 9"
}

// From says where the standard error comes from: "measured" or "modelled", and whether an earlier version made the release, or values
// have become the ends of their range.
func (a *Answer) From() string {
	from := "modelled"
	if a.Measured {
		from = "measured"
	}
	if a.Earlier {
		from += ", earlier version"
	}
	if a.Range != "" {
		from += ", " + a.Range
	}
	return from
}

// Texts returns value, standard error and interval with the digits that the standard error leaves; and only why they are absent if
// noise hides them.
func (a *Answer) Texts() (value, standardError, interval, hidden string) {
	if a.Hidden != 0 {
		return "", "", "", fmt.Sprintf("fewer than about %.0f people: no answer better than noise", a.Hidden)
	}
	f := func(v float64) string { return known(v, a.StandardError, 3, 9) }
	return f(a.Value), f(a.StandardError), f(a.Low) + " to " + f(a.High), ""
}

// sigmas95 is how many standard errors a 95 % interval reaches to either side.
const sigmas95 = 1.96

// Answer answers a query. The error lists all faults.
func (r *Release) Answer(q *Query, o Options) ([]Answer, error) {
	if _, err := r.look(q); err != nil {
		return nil, err
	}
	asked := slices.Clone(q.Items)
	for _, c := range q.Having {
		asked = append(asked, c.Item)
	}
	views, named := make([]*view, len(asked)), make([]map[string]*group, len(asked))
	var groups []*group        // of the first
	same := map[string]int{}   // items by what they look at
	for i, it := range asked { // each looks at its own columns, so that it is answered as if it were asked alone
		v, err := r.look(&Query{Items: []Item{it}, Table: q.Table, Where: q.Where, Keys: q.Keys})
		if err != nil {
			return nil, err
		}
		looks := fmt.Sprint(v.columns, v.numbers, slices.Sorted(maps.Keys(v.shares)))
		if first, known := same[looks]; known {
			views[i], named[i] = views[first], named[first]
			continue
		}
		if err := v.fill(); err != nil {
			return nil, err
		}
		v.population, views[i], same[looks] = o.Population, v, i
		var list []*group
		if list, named[i] = v.groups(); i == 0 {
			groups = list
		}
	}
	first := views[0]
	if len(groups) == 0 {
		if len(q.Keys) > 0 || !first.possible() {
			return nil, errors.New("query: nobody can meet WHERE " + q.Where + first.outside() + "; weaken it")
		}
		groups = []*group{{}}
	}
	rows := make([]row, len(groups))
	err := background.OnAllCores(context.Background(), len(rows), func(next func() (int, bool)) {
		for i, ok := next(); ok; i, ok = next() {
			rows[i].group = groups[i]
			for k, v := range views {
				g := named[k][groups[i].name()]
				if g == nil {
					g = &group{labels: groups[i].labels}
				}
				rows[i].answers = append(rows[i].answers, v.answer(g, &asked[k]))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	hidden, known := 0.0, 0
	rows = slices.DeleteFunc(rows, func(r row) bool {
		for k, c := range q.Having {
			if !compare(r.answers[len(q.Items)+k].Value, c.Op, c.Value) {
				return true
			}
		}
		return false
	})
	for i := range rows {
		rows[i].answers = rows[i].answers[:len(q.Items)]
		for _, a := range rows[i].answers {
			if hidden = max(hidden, a.Hidden); a.Hidden == 0 {
				known++
			}
		}
	}
	if hidden > 0 && known == 0 {
		return nil, tooFew(hidden)
	}
	first.q = q
	return first.arrange(rows), nil
}

func compare(x float64, op string, y float64) bool {
	switch op {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "!=":
		return x != y
	}
	return x == y
}

// answer computes one column of a group.
func (v *view) answer(g *group, it *Item) Answer {
	out := Answer{Group: g.labels, Column: it.Name, Measured: v.linear.Source() == interval.Measured && !v.cut && !v.computes(it), Earlier: v.r.Errors.Earlier()}
	top := v.sum(g, &it.Top)
	switch {
	case it.Down != nil:
		down := v.sum(g, it.Down)
		v.ratio(&out, g, top, down)
	case it.Top.Function == "COUNT" || it.Top.Function == "SUM":
		out.Value = top.value
		out.StandardError = v.error(g, top)
		if out.StandardError == 0 && len(g.pieces) == 0 {
			out.StandardError = v.floor()
		}
		out.Low, out.High = out.Value-sigmas95*out.StandardError, out.Value+sigmas95*out.StandardError
		if it.Top.Function == "COUNT" {
			sigmas := sigmas95
			if !v.cut { // inside of cells nobody knows the law of errors
				sigmas = interval.SigmasAbove(out.Value, out.StandardError)
			}
			out.High = out.Value + max(sigmas*out.StandardError, v.above(g, top, sigmas))
		}
	case it.Top.Function == "AVG":
		v.ratio(&out, g, top, v.sum(g, &Aggregate{Function: "COUNT", Column: it.Top.Column}))
	case it.Top.Function == "SHARE":
		whole := v.all
		if it.Top.Where != "" {
			whole = g
		}
		down := v.sum(whole, &Aggregate{Function: "COUNT"})
		v.ratio(&out, whole, top, down)
		out.High = max(out.High, out.Value+v.above(whole, top, sigmas95)/down.value)
	default:
		count := v.sum(g, &Aggregate{Function: "COUNT", Column: it.Top.Column})
		if v.hides(&out, g, count) {
			break
		}
		if it.Top.Function == "QUANTILE" {
			v.quantile(&out, g, &it.Top, count)
		} else {
			v.variance(&out, g, &it.Top, count)
		}
	}
	if out.Hidden == 0 {
		out.Range = v.ranges(&out, g, it)
	}
	if it.Top.Function == "SUM" || it.Top.Function == "AVG" {
		v.round(&out, g, it)
	}
	least, most := v.bounds(it)
	out.Low, out.High = max(least, out.Low), min(most, out.High)
	return out
}

// bounds returns what an answer can be at least and at most, whatever the table.
func (v *view) bounds(it *Item) (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	first, last := 0.0, 0.0
	if it.Top.Column != "" {
		first, last = ends(v.attrs[v.d.Index(it.Top.Column)])
	}
	switch {
	case it.Down != nil:
		if it.Top.Function == "COUNT" && it.Down.Function == "COUNT" {
			least = 0
		}
	case it.Top.Function == "COUNT":
		least = 0
	case it.Top.Function == "SUM" && first >= 0:
		least = 0
	case it.Top.Function == "SUM" && last <= 0:
		most = 0
	case it.Top.Function == "AVG":
		least, most = first, last
	case it.Top.Function == "SHARE":
		least, most = 0, 1
	case it.Top.Function == "STDDEV":
		least, most = 0, (last-first)/2
	case it.Top.Function == "VARIANCE":
		least, most = 0, (last-first)*(last-first)/4
	}
	return least, most
}

// ends returns the least and the largest number that a column can have.
func ends(a *domain.Attribute) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	unit := math.Pow10(a.Scale)
	for c := range domain.Code(a.Size()) {
		low, high, ok := a.FloatEnds(c)
		if lo, hi, whole := a.Ends(c); whole {
			low, high, ok = float64(lo)/unit, float64(hi)/unit, true
		}
		if ok {
			least, most = min(least, low), max(most, high)
		}
	}
	for _, x := range a.Exact {
		least, most = min(least, float64(x)/unit), max(most, float64(x)/unit)
	}
	for _, x := range a.FloatExact {
		least, most = min(least, x), max(most, x)
	}
	return least, most
}

// ratio writes top/down. Pieces are g's, which has the pieces of both.
func (v *view) ratio(out *Answer, g *group, top, down sum) {
	if v.hides(out, g, down) {
		return
	}
	first := 0.0 // what all have has no rounding error
	if i := slices.IndexFunc(g.pieces, func(p piece) bool { return down.part(&p) > 0 }); i >= 0 {
		first = top.part(&g.pieces[i]) / down.part(&g.pieces[i])
	}
	for i := range g.pieces {
		p := &g.pieces[i]
		out.Value += p.weight * (top.part(p) - first*down.part(p)) / down.value
	}
	out.Value += first
	out.StandardError = v.deviation(g, func(p *piece) float64 { return (top.part(p) - out.Value*down.part(p)) / down.value },
		func(p *piece) float64 { return top.spread(p) / (down.value * down.value) }, v.farther)
	out.Low, out.High = out.Value-sigmas95*out.StandardError, out.Value+sigmas95*out.StandardError
}

// fewest people have a mean.
const fewest = 5

// hides reports whether noise hides the number of people that something is divided by, and says so in out.
func (v *view) hides(out *Answer, g *group, down sum) bool {
	s := v.error(g, down)
	if s == 0 {
		s = v.floor()
	}
	if out.Hidden = math.Ceil(max(2*s, fewest)); down.value >= out.Hidden {
		out.Hidden = 0
		return false
	}
	out.Value, out.StandardError, out.Low, out.High = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	return true
}

// variance writes a variance or its root.
func (v *view) variance(out *Answer, g *group, a *Aggregate, count sum) {
	k := v.place(a.Column)
	first := g.pieces[slices.IndexFunc(g.pieces, func(p piece) bool { return count.part(&p) > 0 })].values[k].mean
	mean, square := first, 0.0
	for i := range g.pieces { // from a first value, and around the mean: of large numbers that hardly differ nothing is lost
		p := &g.pieces[i]
		mean += p.weight * count.part(p) * (p.values[k].mean - first) / count.value
	}
	for i := range g.pieces {
		p := &g.pieces[i]
		d := p.values[k].mean - mean
		square += p.weight * count.part(p) * (d*d + p.values[k].variance())
	}
	out.Value = square / count.value
	out.StandardError = v.deviation(g, func(p *piece) float64 {
		x := p.values[k]
		return count.part(p) * ((x.mean-mean)*(x.mean-mean) + x.variance() - out.Value) / count.value
	}, func(p *piece) float64 { // of the square of a value in a cell, which is taken to be even in it
		s, d := p.values[k].variance(), p.values[k].mean-mean
		return (4*d*d*s + .8*s*s) / (count.value * count.value)
	}, func(at, code int, deviation float64) float64 {
		if v.far[at] == nil {
			deviation *= math.Sqrt(5. / 3) // squares of even values reach farther than even values
		} else if x := inCell(&v.r.Domain.Attributes[v.clique[at]], domain.Code(code)); v.far[at][code] > 0 {
			people := v.r.Errors.Inside(v.clique[at], domain.Code(code)) // whom noise may hide at one end of the bin
			width := v.far[at][code] * math.Sqrt(x.variance()) / people
			deviation = math.Sqrt(x.variance()) * (width + 2*math.Abs(x.mean-mean)) / count.value
		}
		return v.farther(at, code, deviation)
	})
	off := sigmas95 * v.deviation(g, func(p *piece) float64 { return count.part(p) * (p.values[k].mean - mean) / count.value },
		func(p *piece) float64 { return count.part(p) * p.values[k].variance() / (count.value * count.value) }, v.farther)
	out.Low, out.High = out.Value-sigmas95*out.StandardError-off*off, out.Value+sigmas95*out.StandardError // squares around a mean that is off are larger
	if a.Function == "STDDEV" {
		out.Value, out.Low, out.High = math.Sqrt(out.Value), math.Sqrt(max(0, out.Low)), math.Sqrt(out.High)
	}
	out.StandardError = (out.High - out.Low) / (2 * sigmas95)
}
