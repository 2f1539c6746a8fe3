package discover

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// The range of a column of numbers is made of three releases: the magnitudes show where it begins and ends, their eighths
// how far in a magnitude it goes, and the counts of well-known codes what a far value is. What lies far from all else, or
// would coarsen the steps that most values have, is no part of the range: it has exact values of its own.

// figures are what is released of the numbers of a column.
type figures struct{ kinds, places, sizes, details, codes noisy }

// number picks type, range and resolution of a number. A column whose places are not open has no places.
func (f *FoundColumn) number(c Column, units float64, n figures) {
	k := f.numberType(c, units, n)
	if f.Type == domain.Numeric {
		f.least = math.Pow10(-k)
	}
	ends, ok := f.extent(n.sizes)
	if !ok {
		f.Left = unseen
		return
	}
	f.reach(&ends, n, units)
	f.apart(&ends, n)
	f.within(c, ends, n, k, units)
}

// numberType picks the type of a column of text, and the number of decimal places. In doubt it is NUMERIC, in whole steps: it
// rounds decimals that nobody has seen, where INT64 would lose them.
func (f *FoundColumn) numberType(c Column, units float64, n figures) (k int) {
	if n.places.cells != nil {
		k = n.places.needed(0, cellkind.MaxPlaces+1, units)
	}
	if !c.Untyped {
		return k
	}
	if f.Written == "" { // one cell of kinds has less noise than the sum of all places
		decimals, sigma := n.kinds.cells[decimalCell], n.kinds.sigma
		switch {
		case decimals <= max(.001*units, shown*sigma) && decimals <= n.kinds.cells[wholeCell]: // most of them need no proof
			k = 0
		case k == 0:
			k = n.places.most(1, cellkind.MaxPlaces+1)
		}
		if hidden := decimals > sigma || sigma > mostHidden*units; k == 0 && hidden && f.Type != domain.Float64 && decimals+sigma > fewDecimals*units && !cellkind.SaysWhole(f.Name) {
			f.Type = domain.Numeric
		}
	}
	switch {
	case f.Type == domain.Float64:
	case k > cellkind.MaxPlaces:
		f.Type = domain.Float64
	case k > 0:
		f.Type = domain.Numeric
	}
	return k
}

// fewDecimals is the part of the values that may have decimals in an INT64, where they are unusable.
const fewDecimals = .003

// mostHidden is the part of the values that noise may blur for a column whose decimals do not show to be taken for whole.
const mostHidden = .01

// within declares the range. Its ends are the ends of the eighths that have all but a hundredth of the units, as far as noise
// lets one see. Where the steps of nine tenths of its values have room for these alone, the rest is apart.
func (f *FoundColumn) within(c Column, e extent, n figures, needed int, units float64) {
	all, places := 0., min(needed, cellkind.MaxPlaces)
	for i := e.first; i <= e.last; i++ {
		all += max(0, n.sizes.cells[i])
	}
	low, _ := within(e.first)
	step, beyond := math.Pow10(-places), 0.
	for last := e.last; last > powers && last > e.first && c.Step == "" && c.Max == "" && c.Min == ""; last-- {
		if _, high := within(last); (high-low)/step < mostValues-2 {
			for ; e.last > last; e.last-- {
				e.apart = append(e.apart, e.last)
			}
			break
		}
		if beyond += max(0, n.sizes.cells[last]); beyond > mostApart*all {
			break // steps would be coarse for the others too
		}
	}
	from, to := f.refined(c, e, n.sizes, n.details, min(units, max(all, n.sizes.sigma)))
	f.span(c, from, to, places)
	if f.Left != "" {
		return
	}
	f.common(e, n.details)
	lo, hi := decimal(f.Min), decimal(f.Max)
	slices.Sort(e.apart)
	for _, cell := range e.apart {
		for _, x := range f.standFor(cell, n) {
			if v := decimal(x); !c.beyond(v) && (v.Cmp(lo) < 0 || v.Cmp(hi) > 0) && f.isValue(x, places) {
				f.Exact = append(f.Exact, x)
			}
		}
	}
	slices.SortFunc(f.Exact, func(a, b string) int { return decimal(a).Cmp(decimal(b)) })
	f.Exact = slices.Compact(f.Exact)
	hidden := max(0, units-n.sizes.cells[magnitudeCells-1]-all) + nearly*n.sizes.sigma*math.Sqrt2
	if _, high := within(e.last); e.first == powers && high <= step {
		f.noted(hidden/max(all+hidden, 1), fmt.Sprintf("of its values 0 alone is seen, and up to %s may be others, which became 0 or 1", percent(hidden/max(all+hidden, 1))))
	}
	f.tail(e, n)
	if c.Step == "" && f.Resolution != "" {
		f.rounded(e, n.sizes, needed, all)
	}
}

// fewSteps is the number of steps below which a number is moved by a hundredth, in the middle.
const fewSteps = 50

// rounded notes a resolution that coarsens the numbers; where a FLOAT64 has many, it matters near 0 alone.
func (f *FoundColumn) rounded(e extent, sizes noisy, places int, all float64) {
	near, step, cells := 0., parsed(f.Resolution), 0.
	for i := e.first; i <= e.last; i++ {
		if low, high := within(i); i != powers && max(-low, high) <= fewSteps*step {
			near, cells = near+sizes.cells[i], cells+1
		}
	}
	near /= max(all, 1)
	seen := near > max(leastNoted, 3*sizes.sigma*math.Sqrt(cells)/max(all, 1))
	switch note := "its values are rounded to multiples of " + f.Resolution; {
	case decimal(f.Resolution).Cmp(cellkind.Unit(places)) <= 0:
	case seen:
		f.noted(near, fmt.Sprintf("%s, which moves about %s of them by a hundredth or more", note, percent(near)))
	case f.Type != domain.Float64:
		f.noted(0, note)
	}
}

// tail notes how many numbers lie outside of the range, and have no exact value of their own.
func (f *FoundColumn) tail(e extent, n figures) {
	all, beyond, noise := sum(n.sizes.cells[e.first:e.last+1]), 0., 0.
	for _, cell := range e.apart {
		if all += n.sizes.cells[cell]; len(n.codesIn(cell)) == 0 {
			beyond, noise = beyond+n.sizes.cells[cell], math.Hypot(noise, n.sizes.sigma)
		}
	}
	if part := beyond / max(all, 1); part > max(leastNoted, shown*noise/max(all, 1)) {
		f.noted(part, fmt.Sprintf("about %s of its values are beyond its range, and became the nearest exact value or end", percent(part)))
	}
}

// limit is an end of a range. An open one is no value itself. Beyond a final one no values are expected.
type limit struct {
	at          *big.Rat
	open, final bool
}

func limitAt(x float64, open bool) limit { return limit{at: new(big.Rat).SetFloat64(x), open: open} }

// limitBy returns an end that the name of a column says.
func limitBy(x float64) limit { return limit{at: new(big.Rat).SetFloat64(x), final: true} }

// refined returns the ends of the range from one magnitude to another: without the eighths at both ends that have at most a
// hundredth of the units together, as far as noise lets one see, or what the name of the column says where that lies in them and
// no values pass it. An end at 0 is final where no values of the other sign are seen, and others are.
func (f *FoundColumn) refined(c Column, e extent, sizes, n noisy, units float64) (from, to limit) {
	low, _ := within(e.first)
	_, high := within(e.last)
	from, to = limitAt(low, e.first < powers), limitAt(high, e.last > powers)
	mirrored := sum(sizes.cells[2*powers-e.last:2*powers-e.first+1]) - sizes.cells[powers]
	none := e.first < e.last && mirrored <= nearly*sizes.sigma*math.Sqrt(float64(e.last-e.first))
	from.final, to.final = none && e.first == powers, none && e.last == powers
	if n.cells != nil {
		if cut := n.idle(e.last*details, 1, units); e.last > powers && cut > 0 {
			_, high := detailWithin((e.last+1)*details - 1 - cut)
			to = limitAt(high, true)
		}
		if cut := n.idle((e.first+1)*details-1, -1, units); e.first != powers && cut > 0 {
			low, _ := detailWithin(e.first*details + cut)
			from = limitAt(low, e.first < powers)
		}
	}
	if least, most, ok := cellkind.Limits(f.Name); ok {
		if x := parsed(most); magnitude(x) == e.last && !n.passes(x, 1, units) {
			to = limitBy(x)
		}
		if x := parsed(least); magnitude(x) == e.first && !n.passes(x, -1, units) {
			from = limitBy(x)
		}
	}
	return from, to
}

// passes reports whether values of the magnitude of a public limit stand out of the noise beyond it: more than a hundredth of
// the units in the eighths behind its own one, or a twentieth in its own, if that lies nearly all beyond it.
func (n noisy) passes(limit float64, direction int, units float64) bool {
	if n.cells == nil {
		return false
	}
	own, beyond, cells := detail(limit), 0., 0.
	for i := own + direction; i/details == own/details && i >= 0; i += direction {
		beyond, cells = beyond+n.cells[i], cells+1
	}
	low, high := detailWithin(own)
	part := (high - limit) / (high - low)
	if direction < 0 {
		part = 1 - part
	}
	return beyond > max(.01*units, shown*n.sigma*math.Sqrt(cells)) || part > .8 && n.cells[own] > max(.05*units, shown*n.sigma)
}

// idle returns how many of the eighths of a magnitude, from the far end on, have at most a hundredth of the units together. The
// nearest one has values.
func (n noisy) idle(nearest, direction int, units float64) (cut int) {
	sum := 0.
	for i := range details - 1 {
		sum += n.cells[nearest+(details-1-i)*direction]
		if max(0, sum)+n.sigma*math.Sqrt(float64(i+1)) > .01*units {
			break
		}
		cut = i + 1
	}
	return cut
}

// span declares the range from one end to another at a resolution of so many decimal places, or the finest at which there
// are no more values than a domain can have. What the column declares stays, but a resolution of too many values. A column
// whose range the type has no room for is left out. Its work is bounded by the digits of a number, whatever was drawn.
func (f *FoundColumn) span(c Column, from, to limit, places int) {
	step := cellkind.Unit(places)
	if c.Step != "" {
		step = decimal(c.Step)
	}
	c.declared(&from, &to)
	c.clip(&from)
	c.clip(&to)
	if !f.holds(from.at, places) || !f.holds(to.at, places) {
		f.Left = fmt.Sprintf("its numbers come near the ends of %v, and a range has to stay away from them; they may be identifiers", f.Type)
		return
	}
	declared, width := step, new(big.Rat).Sub(to.at, from.at)
	for i := 0; new(big.Rat).Quo(width, step).Cmp(big.NewRat(mostValues-2, 1)) > 0; i++ {
		step = new(big.Rat).Mul(step, [...]*big.Rat{big.NewRat(2, 1), big.NewRat(5, 2), big.NewRat(2, 1)}[i%3]) // 2, 5, 10, 20, …
	}
	lo, hi := cellkind.FloorTo(from.at, step), cellkind.FloorTo(to.at, step)
	if fine := step.Cmp(declared) == 0 && lo.Cmp(from.at) < 0; fine || !f.holds(lo, places) || c.beyond(lo) { // the next value is the first
		lo.Add(lo, step)
	}
	if hi.Cmp(to.at) == 0 && to.open {
		hi.Sub(hi, step)
	}
	if lo.Cmp(from.at) == 0 && from.open {
		lo.Add(lo, step)
	}
	switch {
	case lo.Cmp(hi) < 0:
	case c.Max != "":
		lo.Sub(hi, step)
	default:
		hi.Add(lo, step)
	}
	f.Min, f.Max = cmp.Or(c.Min, cellkind.Digits(lo)), cmp.Or(c.Max, cellkind.Digits(hi))
	f.Beyond = [2]bool{!from.final, !to.final}
	if c.Step == "" || step.Cmp(declared) != 0 {
		f.Resolution = cellkind.Digits(step)
	}
}

// declared puts what is declared of a range in place of what was found.
func (c *Column) declared(from, to *limit) {
	switch {
	case c.Min != "":
		if *from = (limit{at: decimal(c.Min), final: true}); to.at.Cmp(from.at) < 0 {
			to.at = from.at
		}
	case c.Max != "":
		if *to = (limit{at: decimal(c.Max), final: true}); from.at.Cmp(to.at) > 0 {
			from.at = to.at
		}
	}
}

// clip takes an end to the nearest number that the column's field holds.
func (c *Column) clip(end *limit) {
	if c.Least != "" && end.at.Cmp(decimal(c.Least)) < 0 {
		*end = limit{at: decimal(c.Least), final: true}
	}
	if c.Most != "" && end.at.Cmp(decimal(c.Most)) > 0 {
		*end = limit{at: decimal(c.Most), final: true}
	}
}

// beyond reports whether the column's field does not hold a number.
func (c *Column) beyond(x *big.Rat) bool {
	end := limit{at: x}
	c.clip(&end)
	return end.at.Cmp(x) != 0
}

// isValue reports whether the type has room for a number that stands for others.
func (f *FoundColumn) isValue(x string, places int) bool {
	if f.Type == domain.Int64 {
		_, ok := (&domain.Attribute{Type: domain.Int64}).ParseNative(x)
		return ok
	}
	return f.holds(decimal(x), max(places, 2))
}

// decimal reads a number of a domain file, whose reader has accepted it.
func decimal(s string) *big.Rat {
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		panic("discover: a column declares what is no number")
	}
	return x
}

// holds reports whether the type has room for a number, with so many decimal places.
func (f *FoundColumn) holds(x *big.Rat, places int) bool {
	most := new(big.Rat).Mul(big.NewRat(math.MaxInt64/2, 1), cellkind.Unit(places))
	return f.Type == domain.Float64 || new(big.Rat).Abs(x).Cmp(most) <= 0
}
