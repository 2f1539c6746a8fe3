package infer

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

// maxBins is the most bins that are proposed for a column of numbers.
const maxBins = 20

// maxValues is the most whole numbers that a domain file takes for a cell each.
const maxValues = 64

// outward returns friendly cut points around whole numbers: multiples of 1, 2 or 5 times a power of ten,
// at most maxBins bins. If they would not fit an int64 it returns lo and hi.
func outward(lo, hi int64) (from, to int64, bins int) {
	for power := big.NewInt(1); ; power.Mul(power, big.NewInt(10)) {
		for _, m := range []int64{1, 2, 5} {
			step := new(big.Int).Mul(power, big.NewInt(m))
			first := new(big.Int).Div(big.NewInt(lo), step) // rounds down, as the step is positive
			last := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(big.NewInt(hi)), step))
			if first.Cmp(last) == 0 {
				last.Add(last, big.NewInt(1))
			}
			n := new(big.Int).Sub(last, first)
			if n.Cmp(big.NewInt(maxBins)) > 0 {
				continue
			}
			first.Mul(first, step)
			last.Mul(last, step)
			if !first.IsInt64() || !last.IsInt64() {
				return lo, hi, maxBins
			}
			return first.Int64(), last.Int64(), int(n.Int64())
		}
	}
}

// whole returns the cells of an INT64 or NUMERIC.
func (t *tally) whole() string {
	lo, hi, bins := outward(t.lo, t.hi)
	switch width := uint64(t.hi) - uint64(t.lo); {
	case t.typ != domain.Int64:
	case width < maxValues:
		return fmt.Sprintf("min: %d, max: %d", t.lo, t.hi)
	case width < 100: // day 32 and minute 60 are not friendly, they are impossible
		lo, hi = t.lo, t.hi
	}
	s := fmt.Sprintf("min: %s, max: %s, bins: %d", t.text(lo), t.text(hi), bins)
	if t.typ == domain.Numeric && t.scale < 2 {
		s += ", resolution: " + t.text(1)
	}
	return s
}

// real returns the cells of a FLOAT64.
func (t *tally) real() string {
	width := t.fhi - t.flo
	if width == 0 {
		width = max(math.Abs(t.flo), 1)
	}
	exponent := int(math.Floor(math.Log10(width / maxBins)))
	for _, m := range []float64{1, 2, 5, 10, 20} {
		first, last := math.Floor(t.flo/m/math.Pow10(exponent)), math.Ceil(t.fhi/m/math.Pow10(exponent))
		if first == last {
			last++
		}
		if last-first <= maxBins && math.Abs(first) < 1e15 && math.Abs(last) < 1e15 {
			return fmt.Sprintf("min: %s, max: %s, bins: %d", scaledText(first*m, exponent), scaledText(last*m, exponent), int(last-first))
		}
	}
	return fmt.Sprintf("min: %s, max: %s, bins: %d", domain.AppendFloat(nil, t.flo), domain.AppendFloat(nil, t.fhi), maxBins)
}

// scaledText returns n·10^exponent in decimal, for a whole n.
func scaledText(n float64, exponent int) string {
	v, err := strconv.ParseFloat(fmt.Sprintf("%.0fe%d", n, exponent), 64)
	if err != nil {
		return fmt.Sprintf("%.0fe%d", n, exponent) // refused later, by the reader of domain files
	}
	return string(domain.AppendFloat(nil, v))
}

// calendar returns the cells of a DATE, DATETIME or TIMESTAMP: whole hours, days, months, quarters or
// years, with both ends rounded outward to them.
func (t *tally) calendar() string {
	from, to := t.typ.Time(t.lo), t.typ.Time(t.hi)
	days := to.Sub(from).Hours() / 24
	switch {
	case days <= 2 && t.typ.Facts().Day > 1:
		return t.period(from.Truncate(time.Hour), to.Truncate(time.Hour).Add(time.Hour), "step: hour")
	case days <= 31:
		return t.period(midnight(from), midnight(to).AddDate(0, 0, 1), "step: day")
	case days <= 3*366:
		return t.period(month(from, 1), month(to, 1).AddDate(0, 1, 0), "step: month")
	case days <= 10*366:
		return t.period(month(from, 3), month(to, 3).AddDate(0, 3, 0), "step: quarter")
	case days <= 100*366:
		return t.period(month(from, 12), month(to, 12).AddDate(1, 0, 0), "step: year")
	}
	return t.period(month(from, 12), month(to, 12).AddDate(1, 0, 0), fmt.Sprintf("bins: %d", maxBins))
}

func midnight(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// month returns the first day of the n months that t is in.
func month(t time.Time, n int) time.Time {
	m := (int(t.Month())-1)/n*n + 1
	return time.Date(t.Year(), time.Month(m), 1, 0, 0, 0, 0, time.UTC)
}

// period writes a range that ends just before end.
func (t *tally) period(from, end time.Time, cells string) string {
	first, _ := t.typ.FromTime(from)
	last, _ := t.typ.FromTime(end.Add(-time.Second))
	return fmt.Sprintf("min: %s, max: %s, %s", t.text(first), t.text(last), cells)
}

// text returns a native value as a domain file has it.
func (t *tally) text(v int64) string {
	a := domain.Attribute{Type: t.typ, Scale: t.scale}
	return plain(string(a.AppendNative(nil, v)))
}
