package schema

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"go.yaml.in/yaml/v3"
)

// smallRange is the largest number of values that are a cell each if neither bins nor edges nor a step are given.
const smallRange = 64

// maxScale is the number of decimal places of BigQuery's NUMERIC.
const maxScale = 9

// number reads a node as an exact decimal number. YAML and float64 take no part in it. Squares of numbers beyond the limits, times
// counts, leave float64: intervals of their means had no width, or no ends.
func (c *columnReader) number(n *yaml.Node, key string) *big.Rat {
	s, ok := c.text(n, c.what+": "+key)
	if !ok {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	good := err == nil && len(s) <= 400 && !strings.ContainsAny(s, "xXpP_iInN") && math.Abs(x) < 1e100
	if good && math.Abs(x) < 1e-100 {
		mantissa, _, _ := strings.Cut(strings.ToLower(s), "e")
		if good = !strings.ContainsAny(mantissa, "123456789"); good {
			return new(big.Rat)
		}
	}
	r := new(big.Rat)
	if good {
		_, good = r.SetString(s)
	}
	if !good {
		c.add(n, "%s: %s: got %s; a number is needed: 0, or from 1e-100 to below 1e100 in size", c.what, key, quote(s))
		return nil
	}
	return r
}

// float reads a node as the float64 nearest to a decimal number.
func (c *columnReader) float(n *yaml.Node, key string) (v float64, ok bool) {
	r := c.number(n, key)
	if r != nil {
		v, _ = r.Float64()
	}
	return v, r != nil
}

// native reads a node in the native unit of the attribute's type.
func (c *columnReader) native(n *yaml.Node, key string) (int64, bool) {
	if c.attr.Type == domain.Numeric {
		r := c.number(n, key)
		if r == nil {
			return 0, false
		}
		return c.units(n, key, r)
	}
	s, ok := c.text(n, c.what+": "+key)
	if !ok {
		return 0, false
	}
	v, ok := c.attr.ParseNative(s)
	if !ok {
		example := ""
		if f := c.attr.Type.Facts(); f.Day > 0 {
			example = ", such as " + f.Example
		}
		c.add(n, "%s: %s: got %s; %s is needed%s", c.what, key, quote(s), c.attr.Wants(), example)
	}
	return v, ok
}

// units returns r in units of 10^−Scale, which the scale was chosen to make whole.
func (c *columnReader) units(n *yaml.Node, key string, r *big.Rat) (int64, bool) {
	x := new(big.Rat).Mul(r, pow10(c.attr.Scale))
	if !x.IsInt() || !x.Num().IsInt64() {
		c.add(n, "%s: %s: a NUMERIC with %d decimal places has to lie within ±%s; use fewer places or smaller numbers",
			c.what, key, c.attr.Scale, new(big.Rat).Quo(new(big.Rat).SetInt64(math.MaxInt64), pow10(c.attr.Scale)).FloatString(0))
		return 0, false
	}
	return x.Num().Int64(), true
}

func pow10(n int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
}

// bins reads the cut points and the resolution of every type with whole native units.
func (c *columnReader) bins() {
	count := c.count()
	if count < 0 || c.attr.Type == domain.Numeric && !c.scale(count) {
		return
	}
	c.resolution()
	if c.has("edges") {
		c.attr.Cuts = edges(c, true, c.native)
		return
	}
	lo, okLo := c.native(c.values["min"], "min")
	hi, okHi := c.native(c.values["max"], "max")
	if !okLo || !okHi {
		return
	}
	if lo > hi {
		c.fault("max", "got %s, which is below min; exchange them", quote(c.values["max"].Value))
		return
	}
	width := uint64(hi) - uint64(lo)
	if c.has("step") {
		c.steps(lo, hi)
		return
	}
	if count == 0 {
		if c.attr.Type != domain.Int64 || width >= smallRange || c.attr.Resolution > 1 || c.has("exact") {
			c.attr.Cuts = []int64{lo, hi}
			c.learn()
			return
		}
		count = int(width) + 1
	}
	if uint64(count-1) > width {
		c.fault("bins", "got %d; between min and max there are %d different values, so that at most %d are possible", count, width+1, width+1)
		return
	}
	c.attr.Cuts = domain.EqualCuts(lo, hi, count)
}

// learn makes bins that are learned from a release, or a cell of each value if there are few.
func (c *columnReader) learn() {
	c.attr.Learned = domain.DefaultLearned
	n := c.attr.Fine()
	beyond := 0
	if n > 0 && n <= domain.MaxFine && c.has("exact") {
		c.exact()
		c.attr.ReserveExact()
		beyond = c.attr.Fine() - n
		c.attr.Learned = min(max(c.attr.Learned, 2*(len(c.attr.Exact)+len(c.attr.FloatExact))+1), c.attr.Fine(), domain.MaxSize-1) // each has a bin
	}
	switch {
	case n+beyond > domain.MaxFine:
		c.add(c.node, "%s: at its resolution there are more than 2^20 = %d values between min and max; add a larger resolution%s, or bins: NUMBER%s",
			c.what, domain.MaxFine, c.fitting(), insteadOfBins(c.attr.Type))
	case n > smallRange:
		return
	case n > 0 && c.has("exact"):
		if c.attr.Learned = n + beyond; beyond == 0 {
			c.inexact(n)
		}
		return
	case n > 0:
		c.attr.Learned = n
		d := &domain.Domain{Attributes: []domain.Attribute{c.attr}}
		starts := make([]int, n)
		for i := range starts {
			starts[i] = i
		}
		// What else is wrong with the column is found when it is validated.
		d.Attributes[0].Null = true
		if d, err := d.WithBins([]domain.LearnedBins{{Starts: starts}}); err == nil {
			c.attr.Cuts, c.attr.FloatCuts = d.Attributes[0].Cuts, d.Attributes[0].FloatCuts
		}
	default:
		c.add(c.node, "%s: no multiple of its resolution lies between min and max; use a smaller resolution", c.what)
	}
	c.attr.Learned = 0
}

// inexact refuses values beside a range whose values are a cell each.
func (c *columnReader) inexact(n int) {
	c.fault("exact", "the range has %d values at its resolution, and each of them is a cell; list all values with values: [A, B], or take a smaller resolution", n)
}

// exact reads the values that are written as they are.
func (c *columnReader) exact() {
	for _, n := range c.list(c.values["exact"], c.what+": exact") {
		if c.attr.Type == domain.Float64 {
			if v, ok := c.float(n, "exact"); ok {
				c.attr.FloatExact = append(c.attr.FloatExact, v)
			}
		} else if v, ok := c.native(n, "exact"); ok {
			c.attr.Exact = append(c.attr.Exact, v)
		}
	}
	slices.Sort(c.attr.Exact)
	slices.Sort(c.attr.FloatExact)
}

// fitting names the shortest resolution of a time at which there are few enough values.
func (c *columnReader) fitting() string {
	if c.attr.Type != domain.DateTime && c.attr.Type != domain.Timestamp && c.attr.Type != domain.Time {
		return ""
	}
	for _, name := range []string{"second", "minute", "hour", "day"} {
		a := c.attr
		if a.Resolution = unitNames[name]; a.Fine() <= domain.MaxFine {
			return " (" + name + " will do)"
		}
	}
	return ""
}

// insteadOfBins says what else makes cells between min and max.
func insteadOfBins(t domain.Type) string {
	if steps := stepList(t); steps != "" {
		return ", or step: and one of " + steps
	}
	return ""
}

// stepList names the steps that fit a type.
func stepList(t domain.Type) string {
	var s []string
	for step := domain.Minute; step <= domain.Year; step++ {
		if step.Fits(t) {
			s = append(s, step.String())
		}
	}
	return strings.Join(s, ", ")
}

// count reads bins: 0 without any, −1 after a fault.
func (c *columnReader) count() int {
	if !c.has("bins") {
		return 0
	}
	s, ok := c.text(c.values["bins"], c.what+": bins")
	if !ok {
		return -1
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < 1:
		c.fault("bins", "got %s; a whole number of at least 1 is needed", quote(s))
		return -1
	case n > domain.MaxSize-1:
		c.fault("bins", "got %s; at most %d are possible; use fewer, wider bins", quote(s), domain.MaxSize-1)
		return -1
	}
	return n
}

// scale chooses the decimal places of a NUMERIC: enough for every number given and, unless its values are listed, for the
// default resolution, and, if up to 9 do, for exact cut points of equal bins.
func (c *columnReader) scale(bins int) bool {
	least, good := 2, true
	if c.has("resolution") || c.has("values") {
		least = 0
	}
	look := func(n *yaml.Node, key string) *big.Rat {
		if n == nil { // to be found
			return nil
		}
		r := c.number(n, key)
		if r == nil {
			good = false
			return nil
		}
		p := 0
		for p <= maxScale && !new(big.Rat).Mul(r, pow10(p)).IsInt() {
			p++
		}
		if p > maxScale {
			c.add(n, "%s: %s: got %s; a NUMERIC has at most %d decimal places", c.what, key, quote(n.Value), maxScale)
			good = false
		}
		least = max(least, p)
		return r
	}
	if c.has("resolution") {
		look(c.values["resolution"], "resolution")
	}
	for _, n := range c.list(c.values["exact"], c.what+": exact") {
		look(n, "exact")
	}
	for _, key := range [...]string{"edges", "values"} {
		if c.has(key) {
			for _, n := range c.list(c.values[key], c.what+": "+key) {
				look(n, key)
			}
			c.attr.Scale = least
			return good
		}
	}
	lo, hi := look(c.values["min"], "min"), look(c.values["max"], "max")
	if c.attr.Scale = least; good && bins > 0 {
		c.attr.Scale = exactScale(lo, hi, bins, least)
	}
	return good
}

// exactScale returns the smallest scale from least on at which equal bins have exact cut points that
// fit an int64, or least.
func exactScale(lo, hi *big.Rat, bins, least int) int {
	width := new(big.Rat).Sub(hi, lo)
	width.Quo(width, new(big.Rat).SetInt64(int64(bins)))
	for s := least; s <= maxScale; s++ {
		fits := func(r *big.Rat) bool { return new(big.Rat).Mul(r, pow10(s)).Num().IsInt64() }
		if new(big.Rat).Mul(width, pow10(s)).IsInt() && fits(lo) && fits(hi) {
			return s
		}
	}
	return least
}

// edges reads explicit cut points, the last two of them equal at most if closed; nil after a fault.
func edges[T cmp.Ordered](c *columnReader, closed bool, value func(*yaml.Node, string) (T, bool)) (cuts []T) {
	items := c.list(c.values["edges"], c.what+": edges")
	if !c.enough(len(items)) {
		return nil
	}
	for i, n := range items {
		v, ok := value(n, "edges")
		if !ok {
			return nil
		}
		if i > 0 && (v < cuts[i-1] || v == cuts[i-1] && !(closed && i == len(items)-1)) {
			c.add(n, "%s: edges: %s is not above the one before it; put them in ascending order", c.what, quote(n.Value))
			return nil
		}
		cuts = append(cuts, v)
	}
	return cuts
}

// enough checks the number of edges.
func (c *columnReader) enough(n int) bool {
	switch {
	case n == 1:
		c.fault("edges", "one cut point; at least two are needed, the least and the largest value")
	case n > domain.MaxSize:
		c.fault("edges", "%d cut points; at most %d are possible; use fewer, wider cells", n, domain.MaxSize)
	}
	return n > 1 && n <= domain.MaxSize
}

// steps makes cells of calendar steps.
func (c *columnReader) steps(lo, hi int64) {
	s, ok := c.text(c.values["step"], c.what+": step")
	if !ok {
		return
	}
	step, ok := domain.ParseStep(s)
	if !ok || !step.Fits(c.attr.Type) {
		c.fault("step", "got %s; the steps of %s are %s", quote(s), c.attr.Type, stepList(c.attr.Type))
		return
	}
	if c.attr.Cuts = domain.CalendarCuts(c.attr.Type, lo, hi, step); c.attr.Cuts == nil || len(c.attr.Cuts) > domain.MaxSize {
		c.fault("step", "%s makes more than %d cells between min and max; use a longer step, or bins", s, domain.MaxSize-1)
		c.attr.Cuts = nil
	}
}

// inside reports whether s lies between the first and the last cut point.
func (c *columnReader) inside(s string) bool {
	if c.attr.Type == domain.Float64 {
		v, err := strconv.ParseFloat(s, 64)
		f := c.attr.FloatCuts
		return err == nil && f[0] <= v && v <= f[len(f)-1]
	}
	v, ok := c.attr.ParseNative(s)
	return ok && c.attr.Cuts[0] <= v && v <= c.attr.Cuts[len(c.attr.Cuts)-1]
}
