package contribution

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The shares of 10,000 people, of one to 10,000 different rows each, add up to one exactly, are off by less than a step, and
// belong to the rows whatever their order.
func TestSharesAddUp(t *testing.T) {
	const unit = 12
	rng, rank := rand.New(rand.NewPCG(3, 9)), NewRanker(make([]byte, RunKeySize))
	for person := range 10_000 {
		n := 1 + rng.IntN(9)
		switch {
		case person == 0:
			n = 10_000
		case person%100 == 0:
			n = 1 + rng.IntN(300)
		}
		id, rows, times, total := fmt.Append(nil, person), []byte(nil), make([]uint64, n), new(big.Int)
		for i := range times {
			rows = append(rows, byte(i), byte(i>>8))
			if times[i] = 1 + rng.Uint64N(4); rng.IntN(10) == 0 {
				times[i] = 1 + rng.Uint64()>>rng.IntN(64)>>16
			}
			total.Add(total, new(big.Int).SetUint64(times[i]))
		}
		got, sum := shares(unit, rank, id, rows, times), 0
		for i, share := range got {
			sum += int(share)
			exact := new(big.Rat).SetFrac(new(big.Int).Lsh(new(big.Int).SetUint64(times[i]), unit), total)
			off := exact.Sub(exact, big.NewRat(int64(share), 1))
			must.Need(t, off.Abs(off).Cmp(big.NewRat(1, 1)) < 0, "person %d: share %d of a row is off by %v steps", person, share, off)
		}
		must.Need(t, sum == 1<<unit, "person %d with %d rows: shares add up to %d, want %d", person, n, sum, 1<<unit)
		order := rng.Perm(n)
		moved, often := make([]byte, 0, len(rows)), make([]uint64, n)
		for to, from := range order {
			moved, often[to] = append(moved, rows[2*from:2*from+2]...), times[from]
		}
		for to, share := range shares(unit, rank, id, moved, often) {
			must.Need(t, share == got[order[to]], "person %d: a row's share is %d and, in another order, %d", person, got[order[to]], share)
		}
	}
}

// More records than a number counts are shared out too, and still add up.
func TestSharesOfTooManyRecords(t *testing.T) {
	rank, sum := NewRanker(make([]byte, RunKeySize)), 0
	for _, share := range shares(12, rank, []byte("p"), []byte{1, 2, 3}, []uint64{1<<64 - 1, 1<<64 - 1, 7}) {
		sum += int(share)
	}
	must.Hold(t, sum == 1<<12, "shares add up to %d", sum)
}

// Equal rows get the odd steps equally often over people: of 3 rows, one has 1366 steps and two 1365. χ² with 2 degrees of
// freedom is below 27.6 in all but 1e-6 of the cases; the IDs are fixed.
func TestOddStepsAreSpread(t *testing.T) {
	const people = 3000
	rank, hits := NewRanker(make([]byte, RunKeySize)), [3]float64{}
	for person := range people {
		for i, share := range shares(12, rank, fmt.Append(nil, person), []byte{1, 2, 3}, []uint64{1, 1, 1}) {
			if share == 1366 {
				hits[i]++
			}
		}
	}
	chi := 0.0
	for _, n := range hits {
		chi += (n - people/3) * (n - people/3) / (people / 3)
	}
	must.Hold(t, chi <= 27.6, "odd steps %v: chi squared %g", hits, chi)
}
