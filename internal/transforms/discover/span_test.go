package discover

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestSpanEnds: whatever noise has drawn, a range ends: for each pair of magnitudes, type and number of places it is one that
// a domain file holds, with room for the values of the cells between; or the column is left out with a reason. What runs
// after the draw costs no more, whatever was drawn.
func TestSpanEnds(t *testing.T) {
	var ends []int
	for cell := range magnitudeCells - 1 {
		if far := min(cell, magnitudeCells-2-cell, max(cell-powers, powers-cell)); far < 3 || cell%17 == 0 {
			ends = append(ends, cell)
		}
	}
	left := map[bool]int{}
	for _, typ := range []domain.Type{domain.Int64, domain.Numeric, domain.Float64} {
		for places := range 10 {
			if typ == domain.Int64 && places > 0 {
				continue
			}
			for i, first := range ends {
				for _, last := range ends[i:] {
					c := Column{Name: "x", Untyped: true}
					f := FoundColumn{Name: "x", Type: typ}
					low, _ := within(first)
					_, high := within(last)
					f.span(c, limitAt(low, first < powers), limitAt(high, last > powers), places)
					if left[f.Left != ""]++; f.Left != "" {
						continue
					}
					checkSpan(t, f, first, last)
					checkFine(t, f, places)
				}
			}
		}
	}
	must.Hold(t, left[true] != 0 && left[false] >= 2*left[true], "%d columns are left out, and %d are not", left[true], left[false])
}

// checkSpan checks that a found range is one of a domain file, and holds the numbers of its cells up to one step.
func checkSpan(t *testing.T, f FoundColumn, first, last int) {
	t.Helper()
	what := fmt.Sprintf("%v from cell %d to %d: %s to %s by %s", f.Type, first, last, f.Min, f.Max, f.Resolution)
	lo, hi, step := decimal(f.Min), decimal(f.Max), decimal(f.Resolution)
	n := new(big.Rat).Quo(new(big.Rat).Sub(hi, lo), step)
	must.Need(t, lo.Cmp(hi) < 0 && n.Cmp(big.NewRat(mostValues, 1)) < 0, "%s: %s steps", what, n.FloatString(1))
	low, _ := within(first)
	_, high := within(last)
	lo.Sub(lo, step)
	hi.Add(hi, new(big.Rat).Mul(step, big.NewRat(2, 1)))
	from, to := new(big.Rat).SetFloat64(low), new(big.Rat).SetFloat64(high)
	must.Need(t, lo.Cmp(from) <= 0 && hi.Cmp(to) >= 0, "%s: the cells are from %g to %g", what, low, high)
	text := "privacy_id: none\ncolumns:\n" + f.line()
	_, err := schema.Parse("found", []byte(text))
	must.Need(t, err == nil, "%s: %v", what, err)
}

// checkFine checks that the steps of a range are the steps of its places, or the finest of 1, 2, 5, 10, … that a column has room for.
func checkFine(t *testing.T, f FoundColumn, places int) {
	t.Helper()
	lo, hi, step := decimal(f.Min), decimal(f.Max), decimal(f.Resolution)
	finer := new(big.Rat).Mul(step, big.NewRat(2, 5))
	if own := cellkind.Unit(places); step.Cmp(own) > 0 && new(big.Rat).Quo(hi.Sub(hi, lo), finer).Cmp(big.NewRat(mostValues-6, 1)) < 0 {
		t.Fatalf("%s: from %s to %s by %s: %s would do", f.Name, f.Min, f.Max, f.Resolution, finer.FloatString(12))
	}
}

// TestFineNumbers: numbers of more places than a column has room for keep their far values, and the finest steps that have room. Of
// nine kinds of columns noise widens at most one in a run, but in one of 10^9.
func TestFineNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	columns, missed := map[string]func(int) string{}, []string{}
	for _, places := range []int{5, 7, 9} {
		for shape, draw := range map[string]func() float64{
			"spread": func() float64 { return 47 + 3*rng.Float64() }, "bell": func() float64 { return 500 * rng.NormFloat64() },
			"tail": func() float64 { return math.Exp(4 + 1.5*rng.NormFloat64()) },
		} {
			columns[fmt.Sprint(shape, places)] = func(int) string { return strconv.FormatFloat(draw(), 'f', places, 64) }
		}
	}
	for name, f := range found(t, 20_000, columns) {
		places := int(name[len(name)-1] - '0')
		checkFine(t, f, places)
		if coarse := parsed(f.Resolution) > math.Pow10(-places)*1.5; f.Left != "" || coarse && len(f.Exact) > 0 {
			missed = append(missed, fmt.Sprintf("%+v", f))
		}
	}
	must.Hold(t, len(missed) <= 1, "far values are one, and steps are coarse all the same: %q", missed)
}

// TestHugeNumbersEnd: whole columns of hashes and of the least and largest numbers of their type are found, or left out, at once.
func TestHugeNumbersEnd(t *testing.T) {
	hash := func(i int) uint64 { return uint64(i+1) * 0x9e3779b97f4a7c15 }
	for name, cell := range map[string]func(i int) string{
		"hashes": func(i int) string { return fmt.Sprint(int64(hash(i))) }, "negative hashes": func(i int) string { return fmt.Sprint(-int64(hash(i) >> 1)) },
		"large": func(i int) string {
			return []string{"7000000000000000000", "8200000000000000000", "9100000000000000000"}[i%3]
		},
		"the least": func(int) string { return "-9223372036854775808" }, "the largest": func(int) string { return "9223372036854775807" },
		"the least, and 0": func(i int) string { return []string{"-9223372036854775808", "0"}[i%2] },
		"huge and small":   func(i int) string { return []string{"9e307", "1e-300", "-1e308", "3"}[i%4] },
	} {
		p := params("", "x")
		f := foundIn(t, p, counted(t, p, rowsOf(6000, func(i int) []string { return []string{cell(i)} })))
		_, err := schema.Parse("found", f.File(""))
		must.Hold(t, f.Columns[0].Left != "" || err == nil, "%s: %v", name, err)
	}
}
