package discover

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestOrderLaw: of all tables of at most two units over dates of two columns, and all their neighbours, the cells of an order are what
// a count of its own says, and one unit changes one of them by 1. What it costs follows: claim P77.
func TestOrderLaw(t *testing.T) {
	cells := []string{"\x00", "text", "2024-01-31", "2024-02-01", "2024-01-31 10:00:00"}
	rank := []int{-1, -1, 1, 3, 2}
	cell := func(x, y int) int {
		switch {
		case rank[x] < 0 || rank[y] < 0:
			return notBoth
		case rank[x] < rank[y]:
			return ascends
		case rank[x] == rank[y]:
			return equals
		}
		return descends
	}
	units := len(cells) * len(cells)
	for _, id := range []string{"", "id"} {
		p := params(id, "a", "other", "b")
		for first := range units {
			for second := first; second <= units; second++ { // of none at last
				var data rows
				want := [2][]int64{make([]int64, orderCells), make([]int64, orderCells)}
				for i, unit := range []int{first, second} {
					if unit == units {
						continue
					}
					x, y := unit/len(cells), unit%len(cells)
					row := []string{fmt.Sprint(i), cells[x], "1", cells[y]}
					if id == "" {
						row = row[1:]
					}
					data = append(data, row)
					want[0][cell(x, y)]++
					want[1][notBoth]++
				}
				got := counted(t, p, data)
				if id != "" { // with all rows of a person again
					got = counted(t, p, data, data)
				}
				must.List(t, got.dense[attribute(0, orderOf+1)], want[0])
				must.List(t, got.dense[attribute(0, orderOf)], want[1])
			}
		}
	}
}

// TestOrdersAreFound: dates are in an order if nearly all people have them so and chance would not; the domain can be read, and the
// finding spends what it may. Noise may hide one order in 700.
func TestOrdersAreFound(t *testing.T) {
	day := func(n int) string { return time.Date(2021, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }
	hour := func(n int) string {
		return time.Date(2021, 1, 1, n, 0, 0, 0, time.UTC).Format(time.DateTime)
	}
	for _, c := range []struct {
		name   string
		people int
		row    func(rng *rand.Rand) []string
		want   [][]string
	}{
		{"stays", 20_000, func(rng *rand.Rand) []string { n := rng.IntN(700); return []string{day(n), day(n + rng.IntN(9))} }, [][]string{{"c0", "c1"}}},
		{"the last first", 20_000, func(rng *rand.Rand) []string { n := rng.IntN(700); return []string{day(n + 1 + rng.IntN(9)), day(n)} }, [][]string{{"c1", "c0"}}},
		{"times, some missing", 20_000, func(rng *rand.Rand) []string {
			n := rng.IntN(9000)
			return []string{hour(n), []string{hour(n + rng.IntN(99)), ""}[rng.IntN(8)/7]}
		}, [][]string{{"c0", "c1"}}},
		{"three", 20_000, func(rng *rand.Rand) []string {
			n, m := rng.IntN(700), rng.IntN(9)
			return []string{day(n + m), day(n), day(n + m + rng.IntN(30))}
		}, [][]string{{"c1", "c0", "c2"}}},
		{"two of three", 20_000, func(rng *rand.Rand) []string {
			n := rng.IntN(700)
			return []string{day(n), day(rng.IntN(700)), day(n + rng.IntN(30))}
		}, [][]string{{"c0", "c2"}}},
		{"independent", 20_000, func(rng *rand.Rand) []string { return []string{day(rng.IntN(700)), day(rng.IntN(700))} }, nil},
		{"one in ten reversed", 20_000, func(rng *rand.Rand) []string {
			n := rng.IntN(700)
			return []string{day(n), day(n + 1 - rng.IntN(10)/9*9)}
		}, nil},
		{"births and visits", 20_000, func(rng *rand.Rand) []string { return []string{day(rng.IntN(9000) - 20_000), day(rng.IntN(700))} }, nil},
		{"few people", 150, func(rng *rand.Rand) []string { n := rng.IntN(700); return []string{day(n), day(n + 1)} }, nil},
		{"a date and a time", 20_000, func(rng *rand.Rand) []string { n := rng.IntN(300); return []string{day(n), hour(24*n + rng.IntN(99))} }, nil},
	} {
		rng := rand.New(rand.NewPCG(7, 8))
		data := make(rows, c.people)
		for i := range data {
			data[i] = c.row(rng)
		}
		var names []string
		for i := range data[0] {
			names = append(names, fmt.Sprint("c", i))
		}
		p := params("", names...)
		p.Epsilon, p.Share = 2, dp.ShareOf(1, 2)
		f := foundIn(t, p, counted(t, p, data))
		must.Hold(t, slices.EqualFunc(f.Orders, c.want, slices.Equal[[]string]), "%s: orders %v, want %v", c.name, f.Orders, c.want)
		file, err := schema.Parse("found", f.File(""))
		must.Hold(t, err == nil && len(file.Domain.Gaps) == max(0, len(slices.Concat(c.want...))-len(c.want)), "%s: %v, %d gaps\n%s", c.name, err, len(file.Domain.Gaps), f.File(""))
		ledger := must.Value(p.ledger())(t)
		for _, e := range f.Prior.Events {
			must.Do(t, ledger.Charge(e))
		}
		spent := new(big.Rat).Quo(ledger.Spent(), ledger.Capacity())
		must.Hold(t, spent.Cmp(p.Share.Rat()) <= 0, "%s: %v of the budget is spent", c.name, spent)
	}
}
