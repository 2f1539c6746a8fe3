package contribution

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// shares divides 2^unit among the rows of a person in proportion to how often it has each: every row gets its part,
// rounded down, and what is missing goes, one each, to the largest remainders, and of equal ones to the
// least rank. The shares add up to 2^unit exactly, whatever the rows are.
func shares(unit int, rank *Ranker, id, rows []byte, times []uint64) []uint16 {
	total, once := uint64(0), uint64(0)
	for _, n := range times {
		sum, carry := bits.Add64(total, n, 0)
		if total = sum; carry > 0 {
			once = 1 // more records than a number holds: each row counts once
		}
	}
	if once > 0 {
		total = uint64(len(times))
	}
	out, left := make([]uint16, len(times)), uint64(1)<<unit
	rests := make([]rest, 0, len(times))
	for i, n := range times {
		if once > 0 {
			n = once
		}
		hi, lo := bits.Mul64(n, 1<<unit)
		share, remainder := bits.Div64(hi, lo, total)
		out[i] = uint16(share)
		left -= share
		if remainder > 0 {
			rests = append(rests, rest{row: i, remainder: remainder})
		}
	}
	if left == 0 {
		return out
	}
	slices.SortFunc(rests, func(a, b rest) int { return cmp.Compare(b.remainder, a.remainder) })
	width, last := len(rows)/len(times), rests[left-1].remainder
	from, to := 0, int(left) // of those that are equal to the last one
	for rests[from].remainder > last {
		from++
	}
	for to < len(rests) && rests[to].remainder == last {
		to++
	}
	if tied := rests[from:to]; to > int(left) {
		for i := range tied {
			row := tied[i].row
			tied[i].rank = rank.Rank(id, rows[row*width:(row+1)*width], 0)
		}
		slices.SortFunc(tied, func(a, b rest) int { return bytes.Compare(a.rank[:], b.rank[:]) })
	}
	for _, r := range rests[:left] {
		out[r.row]++
	}
	return out
}

// rest is what rounding a share down left of it.
type rest struct {
	row       int
	remainder uint64
	rank      [RankSize]byte // of use among equal remainders
}
