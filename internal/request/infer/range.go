package infer

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

const (
	// maxCodes is the most numbers, far apart, that are proposed for a cell each.
	maxCodes = 40

	// nearlyAll is the share of records whose numbers are to be among those that are proposed for a cell each.
	nearlyAll = .99

	// maxValues is the most whole numbers that a domain file takes for a cell each.
	maxValues = 64

	// exactWidth is the width from which on ranges of whole numbers are rounded outward: day 32 and minute 60 are not
	// friendly, they are impossible.
	exactWidth = 100

	// roundedParts is in how many parts at most the unit divides a range that is rounded to it.
	roundedParts = 200
)

// coarser is the remark on a resolution that not all values are multiples of.
const coarser = "its values are rounded to multiples of the resolution, as a column has at most 2^20 of them"

// farAway is the remark on a range that leaves out what is far from all else.
const farAway = "values far from the others are exact, or the nearest of these and the ends"

// number returns the cells of an INT64, NUMERIC or FLOAT64, and a remark on them.
func (t *tally) number() (cells keys, remark string) {
	lo, hi, far := t.ends()
	if far {
		remark = farAway
	}
	if width := new(big.Rat).Sub(hi, lo); t.Type == domain.Int64 && width.Cmp(big.NewRat(maxValues, 1)) < 0 {
		t.from, t.to = lo, hi
		return keys{{"min", t.decimal(lo)}, {"max", t.decimal(hi)}}, remark
	}
	step := t.grain.step()
	switch {
	case step != nil:
	case t.Type != domain.Float64:
		step = t.exact(1)
	case lo.Cmp(hi) == 0:
		step = big.NewRat(1, 1)
	}
	from, to := t.outward(lo, hi, step)
	resolution := fit(from, to, step)
	if step == nil || resolution.Cmp(step) != 0 {
		remark = coarser
	}
	if lo.Sign() > 0 && from.Sign() == 0 && resolution.Cmp(lo) <= 0 {
		from = resolution // what is above 0 stays so
	}
	t.from, t.to = from, to
	cells = keys{{"min", t.decimal(from)}, {"max", t.decimal(to)}}
	if t.Type != domain.Int64 || resolution.Cmp(big.NewRat(1, 1)) != 0 {
		cells = append(cells, key{"resolution", t.decimal(resolution)})
	}
	return cells, remark
}

// exactShare is the least share of the records whose number is proposed to be written as it is.
const exactShare = .01

// exactly declares the frequent numbers that the proposed cells would round: logarithms of amounts that many have in
// common, and codes beyond the range.
func (t *tally) exactly(cells keys, units bool) keys {
	d, err := parsed(proposal{name: "x", keys: append(append(keys{{"type", t.Type.String()}}, cells...), key{"null", "true"})})
	if err != nil || t.form != nil {
		return nil
	}
	var numbers []*big.Rat
	taken, encoder := map[domain.Code]bool{}, domain.NewEncoder(d)
	often, _ := t.values.supported(units)
	for _, v := range often {
		value, ok := new(big.Rat).SetString(v)
		code, usable := encoder.FromString(0, v)
		switch {
		case !ok || !usable:
			continue
		case value.Cmp(t.from) < 0 || value.Cmp(t.to) > 0: // each has a cell of its own
		case !d.Learns() || taken[code] || !t.values.all([]string{v}, exactShare):
			continue
		default:
			if rounded, ok := new(big.Rat).SetString(d.Attributes[0].Label(code)); !ok || rounded.Cmp(value) == 0 {
				continue
			}
			taken[code] = true
		}
		numbers = append(numbers, value)
	}
	slices.SortFunc(numbers, (*big.Rat).Cmp)
	if numbers = slices.CompactFunc(numbers, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }); len(numbers) == 0 {
		return nil
	}
	texts := lists.Of(numbers, t.decimal)
	return keys{{"exact", yamltext.List(texts, yamltext.Plain)}}
}

// exact returns a native number in ones.
func (t *tally) exact(native int64) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(native), cellkind.Unit(t.scale))
}

// outward rounds a range to a multiple of step, so that 0 and 100 stay ends. It leaves an end as it is if the type has
// no room for the rounded one, and both in a narrow range of whole numbers.
func (t *tally) outward(lo, hi, step *big.Rat) (from, to *big.Rat) {
	width := new(big.Rat).Sub(hi, lo)
	if width.Sign() == 0 {
		return lo, new(big.Rat).Add(hi, step)
	}
	if t.Type == domain.Int64 && width.Cmp(big.NewRat(exactWidth, 1)) < 0 {
		return lo, hi
	}
	part := new(big.Rat).Quo(width, big.NewRat(roundedParts, 1))
	unit := roundAbove(part, step, 1)
	from, to = cellkind.FloorTo(lo, unit), cellkind.FloorTo(new(big.Rat).Neg(hi), unit)
	to.Neg(to)
	if !t.holds(from, lo) {
		from = lo
	}
	if !t.holds(to, hi) {
		to = hi
	}
	return from, to
}

// widths are the bits of whole numbers in files. What one of 8 bits holds is not rounded beyond it.
var widths = []uint{7, 8, 15, 16, 31, 32}

// holds reports whether a value of the column's type can be r, and an integer of as many bits as an end of its range has.
func (t *tally) holds(r, end *big.Rat) bool {
	if t.Type == domain.Float64 {
		v, _ := r.Float64()
		return !math.IsInf(v, 0)
	}
	for _, n := range widths {
		if t.Type == domain.Int64 && end.Cmp(big.NewRat(1<<n, 1)) < 0 && end.Cmp(big.NewRat(-1<<n, 1)) >= 0 {
			return r.Cmp(big.NewRat(1<<n, 1)) < 0 && r.Cmp(big.NewRat(-1<<n, 1)) >= 0
		}
	}
	return new(big.Rat).Quo(r, cellkind.Unit(t.scale)).Num().IsInt64()
}

// roundAbove returns the least of every n-th round number, among them 1, that is r > 0 or above and a multiple of step.
func roundAbove(r, step *big.Rat, n int) *big.Rat {
	v, _ := r.Float64()
	k := rounds * (int(math.Floor(math.Log10(max(v, math.SmallestNonzeroFloat64)))) - 1)
	for roundNumber(k).Cmp(r) < 0 || !isMultiple(roundNumber(k), step) {
		k += n
	}
	return roundNumber(k)
}

// fit returns the resolution of a range: step, or the least power of ten at which a domain file can have all
// values between its ends, and float64 tells them apart.
func fit(from, to, step *big.Rat) *big.Rat {
	least := new(big.Rat).Sub(to, from)
	least.Quo(least, big.NewRat(domain.MaxFine-1, 1))
	for _, end := range []*big.Rat{from, to} {
		end = new(big.Rat).Quo(new(big.Rat).Abs(end), big.NewRat(1<<52, 1))
		if least.Cmp(end) < 0 {
			least = end
		}
	}
	if step != nil && step.Cmp(least) >= 0 {
		return step
	}
	return roundAbove(least, step, rounds)
}

// decimal returns a number as a domain file has it.
func (t *tally) decimal(r *big.Rat) string {
	if t.Type == domain.Float64 {
		v, _ := r.Float64()
		return string(domain.AppendFloat(nil, v))
	}
	return cellkind.Digits(r)
}

// calendar returns the cells of a DATE, DATETIME or TIMESTAMP, with both ends rounded outward to hours, days, months
// or years, and a remark on them.
func (t *tally) calendar() (cells keys, remark string) {
	first, last, _ := t.span()
	from, to := t.Type.Time(first), t.Type.Time(last)
	switch days := to.Sub(from).Hours() / 24; {
	case days <= 2 && t.Type.Facts().Day > 1:
		return t.period(from.Truncate(time.Hour), to.Truncate(time.Hour).Add(time.Hour))
	case days <= 31:
		return t.period(midnight(from), midnight(to).AddDate(0, 0, 1))
	case days <= 10*366:
		return t.period(month(from, 1), month(to, 1).AddDate(0, 1, 0))
	}
	return t.period(month(from, 12), month(to, 12).AddDate(1, 0, 0))
}

func midnight(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// month returns the first day of the n months that t is in.
func month(t time.Time, n int) time.Time {
	m := (int(t.Month())-1)/n*n + 1
	return time.Date(t.Year(), time.Month(m), 1, 0, 0, 0, 0, time.UTC)
}

// period declares a range that ends just before end.
func (t *tally) period(from, end time.Time) (cells keys, remark string) {
	first, _ := t.Type.FromTime(from)
	last, _ := t.Type.FromTime(end.Add(-time.Second))
	return t.moments(first, last)
}

// clock returns the cells of a TIME: any time of a day.
func (t *tally) clock() (cells keys, remark string) {
	f := t.Type.Facts()
	last := f.Most
	if t.grain.unit%(f.Day/86_400) == 0 { // no parts of seconds
		last -= last % f.Resolution
	}
	return t.moments(f.Least, last)
}

// exactDays declares the frequent dates that are far from the range.
func (t *tally) exactDays() keys {
	_, _, far := t.span()
	if len(far) == 0 {
		return nil
	}
	texts := lists.Of(far, t.text)
	return keys{{"exact", "[" + strings.Join(texts, ", ") + "]"}}
}

// moments declares a range of dates or times at the longest resolution that all of them are multiples of, or at
// the shortest that a domain file can have for it.
func (t *tally) moments(first, last int64) (cells keys, remark string) {
	f := t.Type.Facts()
	cells = keys{{"min", t.text(first)}, {"max", t.text(last)}}
	fits := func(unit int64) bool { return (last-first)/unit < domain.MaxFine-1 }
	if f.Day == 1 {
		if !fits(1) {
			return append(cells, key{"resolution", "10"}), coarser
		}
		return cells, ""
	}
	names := []string{"second", "minute", "hour", "day"}
	units := []int64{f.Day / 86_400, f.Day / 1440, f.Day / 24, f.Day}
	if f.Most < f.Day {
		names, units = names[:3], units[:3]
	}
	exact := 0
	for exact+1 < len(units) && t.grain.unit != 0 && t.grain.unit%units[exact+1] == 0 {
		exact++
	}
	i := exact
	for i+1 < len(units) && !fits(units[i]) {
		i++
	}
	if i > exact || t.grain.unit%units[0] != 0 {
		remark = coarser
	}
	if i > 0 {
		cells = append(cells, key{"resolution", names[i]})
	}
	return cells, remark
}

// text returns a native value as a domain file has it.
func (t *tally) text(v int64) string {
	a := domain.Attribute{Type: t.Type, Scale: t.scale}
	return yamltext.Plain(string(a.AppendNative(nil, v)))
}
