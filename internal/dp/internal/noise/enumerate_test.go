package noise

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// tree is a source of randomness that visits every outcome of randomised code in turn instead of
// drawing one: uniform integers branch into all their values, coins into two. It has the methods of
// Source, and the outcomes of the coins that this package builds coins of probability exp(−p/q) from.
type tree struct {
	path  []branch
	depth int
	prob  float64
	floor float64
}

type branch struct {
	at      uint64
	weights func(i uint64) float64
	n       uint64
}

// cut stops a run whose probability fell below the floor.
type cut struct{}

// enumerate runs the code once for every sequence of random outcomes of probability above floor,
// and adds up the probability of each result that it accepts. lost is the probability of what was not
// visited. Where accept is always true, the law's sum plus lost is 1.
func enumerate[T comparable](floor float64, code func(*tree) (result T, accept bool)) (law map[T]float64, lost float64) {
	law = map[T]float64{}
	t := &tree{floor: floor}
	for {
		t.depth, t.prob = 0, 1
		result, accept, whole := attempt(t, code)
		switch {
		case !whole:
			lost += t.prob
		case accept:
			law[result] += t.prob
		}
		if !t.advance() {
			return law, lost
		}
	}
}

func attempt[T any](t *tree, code func(*tree) (T, bool)) (result T, accept, whole bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(cut); !ok {
				panic(r)
			}
		}
	}()
	result, accept = code(t)
	return result, accept, true
}

// advance moves to the next sequence of outcomes in depth-first order.
func (t *tree) advance() bool {
	t.path = t.path[:t.depth]
	for len(t.path) > 0 {
		last := &t.path[len(t.path)-1]
		if last.at++; last.at < last.n {
			return true
		}
		t.path = t.path[:len(t.path)-1]
	}
	return false
}

// choose returns the current outcome of the next of n alternatives, skipping impossible ones.
func (t *tree) choose(n uint64, weight func(i uint64) float64) uint64 {
	if t.depth == len(t.path) {
		t.path = append(t.path, branch{n: n, weights: weight})
	}
	b := &t.path[t.depth]
	t.depth++
	t.prob *= b.weights(b.at)
	if t.prob <= t.floor { // also what cannot happen
		panic(cut{})
	}
	return b.at
}

func (t *tree) coin(p float64) bool {
	return t.choose(2, func(i uint64) float64 {
		if i == 1 {
			return p
		}
		return 1 - p
	}) == 1
}

// Below branches into 0..n−1 with equal weights.
func (t *tree) Below(n uint64) uint64 {
	return t.choose(n, func(uint64) float64 { return 1 / float64(n) })
}

// Bernoulli is true with weight p/q.
func (t *tree) Bernoulli(p, q uint64) bool { return t.coin(float64(p) / float64(q)) }

// BernoulliWide is true with weight p/q.
func (t *tree) BernoulliWide(p, q [4]uint64) bool { return t.coin(min(1, ratio(p, q))) }

// BernExp is true with weight exp(−p/q).
func (t *tree) BernExp(p, q uint64) bool { return t.coin(math.Exp(-float64(p) / float64(q))) }

// BernExpWide is true with weight exp(−p/q).
func (t *tree) BernExpWide(p, q [4]uint64) bool { return t.coin(math.Exp(-ratio(p, q))) }

// ratio returns p/q, correctly rounded.
func ratio(p, q [4]uint64) float64 {
	f, _ := new(big.Rat).SetFrac(integer(p), integer(q)).Float64()
	return f
}

func integer(w [4]uint64) *big.Int {
	n := new(big.Int)
	for i := 3; i >= 0; i-- {
		n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(w[i]))
	}
	return n
}

// normalize divides a law by its sum, and returns the sum: the law given acceptance, and the
// probability of acceptance.
func normalize[T comparable](law map[T]float64) (sum float64) {
	for _, p := range law {
		sum += p
	}
	for k := range law {
		law[k] /= sum
	}
	return sum
}

func TestEnumerate(t *testing.T) {
	// The sum of a die of three faces and a coin of 1/4, given that they differ.
	law, lost := enumerate(0, func(s *tree) (int, bool) {
		die := int(s.Below(3))
		coin := 0
		if s.Bernoulli(1, 4) {
			coin = 1
		}
		return die + coin, die != coin
	})
	want := map[int]float64{1: .25 + 1./12, 2: .25, 3: 1. / 12}
	for k, p := range want {
		must.Hold(t, math.Abs(law[k]-p) <= 1e-15, "P(%d) = %g, want %g", k, law[k], p)
	}
	must.Hold(t, len(law) == len(want) && lost == 0, "law %v, lost %g", law, lost)
}

func TestEnumerateFloor(t *testing.T) {
	law, lost := enumerate(1e-3, func(s *tree) (int, bool) {
		n := 0
		for s.Bernoulli(1, 2) {
			n++
		}
		return n, true
	})
	sum := normalize(law)
	must.Hold(t, math.Abs(sum+lost-1) <= 1e-15 && lost != 0 && lost <= 1e-2, "sum %g, lost %g", sum, lost)
}
