package noise

import "math/bits"

// Score is a signed 128-bit integer in two's complement: a score of a candidate on a grid.
type Score struct {
	Hi int64
	Lo uint64
}

// ScoreOf returns v as a Score.
func ScoreOf(v int64) Score { return Score{Hi: v >> 63, Lo: uint64(v)} }

// Less reports whether s is below other.
func (s Score) Less(other Score) bool {
	return s.Hi < other.Hi || s.Hi == other.Hi && s.Lo < other.Lo
}

// minus returns s − other for other ≤ s, as an unsigned 128-bit integer.
func (s Score) minus(other Score) (hi, lo uint64) {
	lo, borrow := bits.Sub64(s.Lo, other.Lo, 0)
	hi, _ = bits.Sub64(uint64(s.Hi), uint64(other.Hi), borrow)
	return hi, lo
}

// Plus returns s + v; it wraps around beyond 128 bits.
func (s Score) Plus(v int64) Score {
	o := ScoreOf(v)
	lo, carry := bits.Add64(s.Lo, o.Lo, 0)
	hi, _ := bits.Add64(uint64(s.Hi), uint64(o.Hi), carry)
	return Score{Hi: int64(hi), Lo: lo}
}

// Selector draws an index i with P(i) ∝ exp(scores[i]/scale). It holds the scores, not a copy.
type Selector struct {
	scores []Score
	scale  uint64
	best   Score
}

// NewSelector returns a selector over the scores, on the same grid as the scale. It panics if there
// is no score or the scale is 0.
func NewSelector(scores []Score, scale uint64) Selector {
	if len(scores) == 0 || scale == 0 {
		panic("noise: selection needs candidates and a scale above 0")
	}
	best := scores[0]
	for _, s := range scores[1:] {
		if best.Less(s) {
			best = s
		}
	}
	return Selector{scores: scores, scale: scale, best: best}
}

// Draw returns an index i with P(i) ∝ exp(scores[i]/scale): the exponential mechanism.
//
// Guarantee: exact law given an exact source, however far apart the scores are. At most len(scores)
// trials on average, of about 0.1 µs.
func (s *Selector) Draw(src Source) int {
	for {
		if i, ok := s.Trial(src); ok {
			return i
		}
	}
}

// Trial makes one attempt of Draw: a uniform index, accepted with probability exp((score − best)/scale).
func (s *Selector) Trial(src Source) (index int, ok bool) {
	i := int(src.Below(uint64(len(s.scores))))
	hi, lo := s.best.minus(s.scores[i])
	if hi == 0 {
		return i, src.BernExp(lo, s.scale)
	}
	return i, src.BernExpWide([4]uint64{lo, hi}, [4]uint64{s.scale})
}

// Sign returns +1 with probability 1/(1 + exp(−2·e/scale)) and −1 otherwise: the law of the sign of
// one cell of a block, where e is its error on the grid of the scale.
//
// Precondition (caller): |e| ≤ 2^62, scale above 0.
// Guarantee: exact law given an exact source; at most 2 trials on average.
func Sign(src Source, e int64, scale uint64) int8 {
	for {
		if sign, ok := SignTrial(src, e, scale); ok {
			return sign
		}
	}
}

// SignTrial makes one attempt of Sign: heads gives the sign of e; tails gives the other sign with probability
// exp(−2·|e|/scale), and no result otherwise.
func SignTrial(src Source, e int64, scale uint64) (sign int8, ok bool) {
	major := int8(1)
	if e < 0 {
		major, e = -1, -e
	}
	if src.Below(2) == 0 {
		return major, true
	}
	return -major, src.BernExp(2*uint64(e), scale)
}
