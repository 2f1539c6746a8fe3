package domain

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestParseDecimal compares ⌊x·10^scale⌋ with exact rational arithmetic, on random numbers with random
// forms, near and beyond int64.
func TestParseDecimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50_000 {
		text := []string{"", "-", "+"}[rng.IntN(3)]
		for range rng.IntN(14) {
			text += strconv.Itoa(rng.IntN(10))
		}
		text += strconv.Itoa(rng.IntN(10))
		if rng.IntN(2) == 0 {
			text += "." + []string{"", "0", "00", "5", "25", "999999999999", "0000000001"}[rng.IntN(7)]
		}
		if rng.IntN(2) == 0 {
			text += fmt.Sprintf("e%d", rng.IntN(41)-20)
		}
		scale := rng.IntN(10)
		got, ok := parseDecimal(text, scale)
		want := exactDecimal(t, text, scale)
		must.Need(t, got == want && ok, "%s at scale %d: %d, %v; want %d", text, scale, got, ok, want)
	}
}

// exactDecimal is the slow way to ⌊x·10^scale⌋, at most MaxInt64 in size.
func exactDecimal(t *testing.T, text string, scale int) int64 {
	x, ok := new(big.Rat).SetString(text)
	must.Need(t, ok, "%s is not a number", text)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	x.Mul(x, new(big.Rat).SetInt(unit))
	n := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, which is ⌊⌋ for a positive divisor
	limit := big.NewInt(math.MaxInt64)
	if n.CmpAbs(limit) > 0 {
		return int64(n.Sign()) * math.MaxInt64
	}
	return n.Int64()
}

// TestParseWhole: an INT64 written as a decimal number is read exactly, and only if it is whole.
func TestParseWhole(t *testing.T) {
	for text, want := range map[string]int64{"2.0": 2, "-2.00": -2, "+2.": 2, ".0": 0, "-.0": 0, "0.000": 0, "1e3": 1000, "-1.5E1": -15, "1200e-2": 12,
		"9223372036854775807.0": math.MaxInt64, "-9223372036854775808.0": math.MinInt64, "1e+16": 1e16, "1.0e18": 1e18, "0e99999999999999999999": 0} {
		got, ok := parseInt(text)
		must.Hold(t, got == want && ok, "%q: %d, %v; want %d", text, got, ok, want)
	}
	for _, text := range []string{".", "+.", "2.5", "2.0.0", "2.0x", "1e", "1e-1", "e3", ".e3", "1e3.0", "9223372036854775808.0", "1e19", "-1e19", "1e99999999999999999999", "2,0", "2. 0"} {
		got, ok := parseInt(text)
		must.Hold(t, !ok, "%q passes for %d", text, got)
	}
}

// TestParseInt agrees with strconv on numbers around powers of ten and of two.
func TestParseInt(t *testing.T) {
	for _, text := range []string{"0", "-0", "+1", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "922337203685477580", "92233720368547758070", "18446744073709551616", "00000000000000000000001",
		"", "-", "+", "--1", "1-", "1 ", "0x1", "1_0", "１"} {
		want, err := strconv.ParseInt(text, 10, 64)
		got, ok := parseInt(text)
		must.Hold(t, ok == (err == nil) && (!ok || got == want), "%q: %d, %v; strconv says %d, %v", text, got, ok, want, err)
	}
}
