package native

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestDecimal compares numbers near all powers of two and of ten, with exact arithmetic.
func TestDecimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		x := new(big.Int).Lsh(big.NewInt(1), uint(rng.IntN(254)))
		if rng.IntN(2) == 0 {
			x.Exp(big.NewInt(10), big.NewInt(rng.Int64N(77)), nil)
		}
		x.Add(x, big.NewInt(rng.Int64N(5)-2))
		if rng.IntN(2) == 0 {
			x.Neg(x)
		}
		places := rng.IntN(153) - 76
		b := twos(x)
		for range rng.IntN(3) { // a sign of more bytes
			b = append([]byte{byte(int8(b[0]) >> 7)}, b...)
		}
		if got, want := Decimal(b, places), exact(x, places); got != want {
			t.Fatalf("%v moved by %d: %d, want %d", x, places, got, want)
		}
		if x.IsInt64() {
			got, want := Scaled(x.Int64(), places), exact(x, places)
			must.Need(t, got == want, "scaled %v by %d: %d, want %d", x, places, got, want)
		}
	}
	must.Equal(t, Decimal(twos(new(big.Int).Lsh(big.NewInt(1), 300)), 0), Beyond, "2^300")
	must.Equal(t, Decimal(nil, 3), 0, "no byte")
}

// twos returns a number in two's complement, the highest byte first.
func twos(x *big.Int) []byte {
	n := x.BitLen()/8 + 1
	m := new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(8*n)), big.NewInt(1)))
	return m.FillBytes(make([]byte, n))
}

// exact returns ⌊x·10^places⌋, or Beyond.
func exact(x *big.Int, places int) int64 {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(places, -places))), nil)
	y := new(big.Int)
	if places >= 0 {
		y.Mul(x, p)
	} else {
		y.Div(x, p) // rounds down, as the divisor is positive
	}
	if !y.IsInt64() {
		return Beyond
	}
	return y.Int64()
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit    Unit
		v, want int64
	}{
		{Micros, -7, -7}, {Nanos, 1999, 1}, {Nanos, -1, -1}, {Nanos, -1000, -1}, {Nanos, math.MinInt64, math.MinInt64/1000 - 1},
		{Millis, -2, -2000}, {Seconds, 3, 3_000_000}, {Millis, math.MaxInt64 / 1000, math.MaxInt64 / 1000 * 1000},
		{Millis, math.MaxInt64/1000 + 1, Beyond}, {Seconds, math.MinInt64 / 1000, Beyond},
	} {
		must.Equal(t, c.unit.ToMicros(c.v), c.want, "%d of unit %d", c.v, c.unit)
	}
	for v, want := range map[uint64]int64{0: 0, math.MaxInt64: math.MaxInt64, 1 << 63: Beyond, math.MaxUint64: Beyond} {
		must.Equal(t, Unsigned(v), want, "%d", v)
	}
	got := []int64{Days(-1), Days(-86_400_000), Days(86_399_999)}
	must.Hold(t, fmt.Sprint(got) == "[-1 -1 0]", "days %v", got)
}

// TestSettle: whatever stands beside a number that a type does not have, all others encode to the cells that they have alone,
// and the number is unusable. All types, values at and near their ends, cells that are bins and cells that are values.
func TestSettle(t *testing.T) {
	for _, typ := range domain.Types() {
		facts := typ.Facts()
		if facts.Form != domain.Ints {
			continue
		}
		for _, a := range attributes(typ) {
			checkSettled(t, &a)
		}
	}
}

func attributes(typ domain.Type) (list []domain.Attribute) {
	facts := typ.Facts()
	a := domain.Attribute{Name: typ.String(), Type: typ, Null: true}
	for _, scale := range map[bool][]int{true: {0, 2, 9}, false: {0}}[typ == domain.Numeric] {
		a.Scale = scale
		if facts.Bins {
			b := a
			b.Resolution = facts.Resolution
			b.Cuts = []int64{max(facts.Least, -1000), 0, min(facts.Most, 1000)}
			list = append(list, b)
		}
		if facts.Categories {
			b := a
			b.Other, b.OtherValue = typ != domain.Bool, "5"
			for _, v := range []int64{0, 1, math.MaxInt64} {
				if v <= facts.Most {
					b.Values = append(b.Values, string(a.AppendNative(nil, v)))
				}
			}
			list = append(list, b)
		}
	}
	return list
}

func checkSettled(t *testing.T, a *domain.Attribute) {
	facts := a.Type.Facts()
	var inside, outside []int64
	for _, v := range []int64{Beyond, Beyond + 1, facts.Least - 1, facts.Least, facts.Least + 1, -1, 0, 1, 7, facts.Most - 1, facts.Most, facts.Most + 1, math.MaxInt64} {
		if v > Beyond && v >= facts.Least && v <= facts.Most {
			inside = append(inside, v)
		} else {
			outside = append(outside, v)
		}
	}
	encoder := domain.NewEncoder(&domain.Domain{Attributes: []domain.Attribute{*a}})
	encode := func(c domain.Column, rows int) []domain.Code {
		codes := make([]domain.Code, rows)
		encoder.Encode(&domain.Chunk{Rows: rows, Columns: []domain.Column{c}}, codes)
		return codes
	}
	want := encode(domain.Column{Form: domain.Ints, Ints: inside}, len(inside))
	bad, usable := encoder.FromText(0, []byte(unusable))
	must.Hold(t, !usable || a.Other, "%s can use %q", a.Name, unusable)
	for _, odd := range outside {
		c := domain.Column{Form: domain.Ints, Ints: append([]int64{odd, odd}, inside...), Nulls: make([]bool, len(inside)+2)}
		c.Nulls[1] = true // says nothing
		Settle(&c, a)
		must.Need(t, c.Form == domain.Text, "%s: %d is kept as a number", a.Name, odd)
		got := encode(c, len(inside)+2)
		must.Hold(t, got[0] == bad && fmt.Sprint(got[2:]) == fmt.Sprint(want),
			"%s, scale %d, beside %d: cells %v, want %d, NULL, and %v", a.Name, a.Scale, odd, got, bad, want)
	}
	c := domain.Column{Form: domain.Ints, Ints: inside}
	Settle(&c, a)
	must.Hold(t, c.Form == domain.Ints, "%s: numbers of the type are turned into texts", a.Name)
}

// TestSingle: a float of 32 bits is the decimal number of up to five places that it is nearest to, if there is one, and no other
// float of 32 bits.
func TestSingle(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 200_000 {
		places := rng.IntN(6)
		x, err := strconv.ParseFloat(fmt.Sprintf("%.*f", places, (rng.Float64()-.5)*math.Pow10(1+rng.IntN(7-places))), 64)
		got := Single(float32(x))
		must.Need(t, err == nil && got == x, "%v is read as %v (%v)", x, got, err)
		if v := math.Float32frombits(rng.Uint32()); float32(Single(v)) != v && v == v {
			t.Fatalf("%v is read as %v", v, Single(v))
		}
	}
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0} {
		got := Single(float32(v))
		must.Hold(t, fmt.Sprint(got) == fmt.Sprint(v), "%v is read as %v", v, got)
	}
}
