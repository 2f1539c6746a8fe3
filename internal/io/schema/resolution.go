package schema

import (
	"math/big"

	"github.com/dapple-dp/dapple/dp/domain"
	"go.yaml.in/yaml/v3"
)

// unitNames are the resolutions with a name, in microseconds.
var unitNames = map[string]int64{
	"microsecond": 1, "millisecond": 1000, "second": 1_000_000, "minute": 60_000_000,
	"hour": 3_600_000_000, "day": 86_400_000_000,
}

// resolution reads the resolution of every type with whole native units. One without a name counts the
// type's default: one for INT64, a day for DATE, a second for the other times. NUMERIC has cents for a
// default, or the last decimal place in use if that is finer.
func (c *columnReader) resolution() {
	f := c.attr.Type.Facts()
	c.attr.Resolution = f.Resolution
	if c.attr.Type == domain.Numeric && !c.has("resolution") {
		c.attr.Resolution = c.places()
	}
	if !c.has("resolution") {
		return
	}
	n := c.values["resolution"]
	if v, ok := unitNames[n.Value]; ok && f.Day > 0 {
		// What is shorter than the native unit is 0, which is refused.
		c.setResolution(new(big.Rat).SetInt64(v / (unitNames["day"] / f.Day)))
		return
	}
	r := c.number(n, "resolution")
	if r == nil {
		return
	}
	if c.attr.Type == domain.Numeric {
		c.setResolution(new(big.Rat).Mul(r, pow10(c.attr.Scale)))
		return
	}
	c.setResolution(r.Mul(r, new(big.Rat).SetInt64(f.Resolution)))
}

// setResolution takes a resolution in native units.
func (c *columnReader) setResolution(r *big.Rat) {
	if !r.IsInt() || r.Sign() <= 0 || !r.Num().IsInt64() {
		c.fault("resolution", "got %s; %s", quote(c.values["resolution"].Value), allowedResolution(c.attr.Type))
		return
	}
	c.attr.Resolution = r.Num().Int64()
}

// allowedResolution says which resolutions a type can have.
func allowedResolution(t domain.Type) string {
	switch f := t.Facts(); {
	case t == domain.Numeric:
		return "a number above 0 is needed"
	case f.Day == 0:
		return "a whole number of at least 1 is needed"
	case f.Day == 1:
		return "day, or a whole number of days, is needed"
	case f.Most < f.Day:
		return "microsecond, millisecond, second, minute or hour is needed, or a number of seconds"
	}
	return "microsecond, millisecond, second, minute, hour or day is needed, or a number of seconds"
}

// places returns the default resolution of a NUMERIC: 0.01, or the last decimal place of the numbers
// given if that is finer.
func (c *columnReader) places() int64 {
	given := 2
	for _, key := range []string{"min", "max", "edges"} {
		if !c.has(key) {
			continue
		}
		for _, n := range append(c.values[key].Content, c.values[key]) {
			if n.Kind != yaml.ScalarNode {
				continue
			}
			r := c.number(n, key)
			for r != nil && given < c.attr.Scale && !new(big.Rat).Mul(r, pow10(given)).IsInt() {
				given++
			}
		}
	}
	v := int64(1)
	for range c.attr.Scale - given {
		v *= 10
	}
	return v
}

// floatBins reads the cut points and the resolution of a FLOAT64.
func (c *columnReader) floatBins() {
	if c.has("resolution") {
		if r := c.number(c.values["resolution"], "resolution"); r != nil {
			if c.attr.FloatResolution, _ = r.Float64(); !(c.attr.FloatResolution > 0) {
				c.fault("resolution", "got %s; a number above 0 is needed", quote(c.values["resolution"].Value))
			}
		}
	}
	if c.has("edges") {
		c.attr.FloatCuts = edges(c, false, c.float)
		return
	}
	bins := c.count()
	lo, hi := c.number(c.values["min"], "min"), c.number(c.values["max"], "max")
	switch {
	case bins < 0 || lo == nil || hi == nil:
	case lo.Cmp(hi) >= 0:
		c.fault("max", "got %s, which is not above min; exchange them, or widen the range", quote(c.values["max"].Value))
	default:
		l, _ := lo.Float64()
		h, _ := hi.Float64()
		switch {
		case bins == 0 && !c.has("resolution"):
			c.add(c.node, "%s: no resolution; add resolution: NUMBER, such as 0.01, whose multiples the values are, or bins: NUMBER", c.what)
			return
		case bins == 0 && c.attr.FloatResolution > 0:
			c.attr.FloatCuts = []float64{l, h}
			c.learn()
			return
		case bins == 0:
			return
		}
		if c.attr.FloatCuts = domain.EqualFloatCuts(l, h, bins); c.attr.FloatCuts == nil {
			c.fault("bins", "got %d; float64 cannot tell so many cut points apart between min and max; use fewer", bins)
		}
	}
}
