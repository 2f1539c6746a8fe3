package mechanism

// limbs is a table of integers high·2^36 + low, which do not fit an int64. Linear maps act on both parts alike;
// settle brings each number to its unique form with 0 ≤ low < 2^36.
type limbs struct{ high, low []int64 }

const (
	lowBits = 36 // the finest grid: counts on any grid then have high parts of at most 2^40
	lowMask = 1<<lowBits - 1
)

func newLimbs(cells int) limbs { return limbs{high: make([]int64, cells), low: make([]int64, cells)} }

// set makes number i count·2^bits + noise, settled, for 0 ≤ count ≤ 2^40 and 0 ≤ bits ≤ 36.
func (x limbs) set(i int, count, noise int64, bits int) {
	shift := lowBits - bits
	low := count&(1<<shift-1)<<bits + noise&lowMask
	x.high[i] = count>>shift + noise>>lowBits + low>>lowBits
	x.low[i] = low & lowMask
}

// centre applies the integer centring C = Π(k_i − J_i), J_i the sum along axis i, to a row-major table of the
// given shape: k times each number less the sum of its line, along each axis in turn.
//
// Precondition (caller): settled numbers as made by set, k ≥ 2, at most 2^20 cells.
// No overflow: an axis multiplies the largest low part by at most 2(k−1), and Π2(k−1) ≤ 2^26 if
// Πk ≤ 2^20; that leaves 2^62. Counts add up to at most 2^40 and each enters a number at most Πk times:
// 2^60 in the high part; noise adds 2^27·2^26 there at most.
func (x limbs) centre(shape []int) {
	inner := 1
	for i := len(shape) - 1; i >= 0; i-- {
		centreAxis(x.high, shape[i], inner)
		centreAxis(x.low, shape[i], inner)
		inner *= shape[i]
	}
}

// centreAxis replaces each number of a line by k times itself less the line's sum. Lines are k numbers at
// distance inner.
func centreAxis(x []int64, k, inner int) {
	sums := make([]int64, inner)
	for block := x; len(block) > 0; block = block[k*inner:] {
		clear(sums)
		for v := range k {
			for i, y := range block[v*inner : (v+1)*inner] {
				sums[i] += y
			}
		}
		for v := range k {
			line := block[v*inner : (v+1)*inner]
			for i, y := range line {
				line[i] = int64(k)*y - sums[i]
			}
		}
	}
}

// settle carries low parts into high ones. Without it, a float made from the two would depend on how the number was
// computed and not on its value alone.
func (x limbs) settle() {
	for i, low := range x.low {
		x.high[i] += low >> lowBits
		x.low[i] = low & lowMask
	}
}

// over divides each number, rounded to float64, by the given one; the result depends on the numbers alone.
func (x limbs) over(divisor float64) []float64 {
	x.settle()
	out := make([]float64, len(x.high))
	for i, high := range x.high {
		out[i] = (float64(high)*(1<<lowBits) + float64(x.low[i])) / divisor
	}
	return out
}
