package oneway

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/query"
)

// pareto is the counts of a tail: a part of them even up to the end of the range, the others of a generalised Pareto
// distribution, to which most tails tend (Pickands 1975).
type pareto struct {
	from, count, scale, shape float64
	even, to                  float64 // the part, and the end of the range
}

// Before differences are seen a declared end is as likely a hard one, at which values stop that are even before it, as one
// at which they have faded. The shapes of those that fade lie between −½ and an infinite variance (½). A declared range is
// often the end of the values, rounded, and sometimes there is room for any.
const (
	meanShape  = .1
	sdShape    = .2
	ownRange   = .8  // of all declared ranges
	nearRange  = .85 // such ranges have a record beyond this part of them, …
	otherRange = .03 // … and so many of the others
	hardEnd    = .5
	// misfit is by how many of its standard deviations Σz² of the best fit may lie above the number of differences.
	misfit = 2
)

// fitTail returns the posterior mean of shape and log scale of the records from a value on, given the differences that
// they take part in and the range of values, and false if no such distribution fits.
func fitTail(p *Profile, d *differences, from int) (pareto, bool) {
	fit, k := d.fit(p, from)
	t, least := posteriorTail(from, p.n, fit)
	t.count = p.Between(from, p.n)
	return t, least <= k+misfit*math.Sqrt(2*k)
}

// fit returns how far the differences that values from a value on take part in are from a tail there, as a sum of squares in variances
// of the noise, and how many there are.
func (d *differences) fit(p *Profile, from int) (squares func(t *pareto) float64, k float64) {
	count := p.Between(from, p.n)
	tree := slices.DeleteFunc(slices.Clone(d.list), func(h query.Halving) bool { return h.To <= from })
	rest := make([]float64, len(tree)) // of each difference, without what the values before the tail make of it
	before := func(v int) float64 { return p.Below(min(v, from))[0] }
	for i, h := range tree {
		rest[i] = h.Difference - (2*before(h.Middle) - before(h.From) - before(h.To))
	}
	return func(t *pareto) (squares float64) {
		t.count = count
		for i, h := range tree {
			z := (rest[i] - t.difference(h)) / d.sigma
			squares += z * z
		}
		return squares
	}, float64(len(tree))
}

// A sum over a tail is off by more than the means of shape and scale say: every shape up to mostShape is as likely before differences
// are seen, and the few people far out are a draw. The errors are skew: of means of columns with Pareto tails 94 % are within 1.96 of
// their standard deviations, and 97 % within 1.96 of twice as much.
const (
	mostShape = 1.5
	skewness  = 2
)

// sumError returns the standard error of the sum of the records from a value on, which is taken to be sum above the value.
func (d *differences) sumError(p *Profile, from int, sum float64) float64 {
	squares, _ := d.fit(p, from)
	t := pareto{from: float64(from), to: float64(p.n)}
	weight, error, top := 0.0, 0.0, math.Inf(-1)
	for t.scale = 2 * float64(p.n-from); t.scale > .25; t.scale *= math.Exp2(-.25) {
		for t.shape = -.6; t.shape < mostShape+.05; t.shape += .1 {
			score := -squares(&t) / 2
			if score > top { // weights are relative to the largest one so far
				weight, error, top = weight*math.Exp(top-score), error*math.Exp(top-score), score
			}
			if w := math.Exp(score - top); w > 1e-9 {
				first, second := t.moments()
				weight, error = weight+w, error+w*((first-sum)*(first-sum)+second)
			}
		}
	}
	return skewness * math.Sqrt(error/weight)
}

// moments returns the sums of the records above where the tail begins, and of the squares.
func (t *pareto) moments() (first, second float64) {
	for high := t.to - t.from; high > .5; high /= 1.5 {
		x, width := high/1.2, high/3 // the middle of high/1.5 … high
		above := t.above(t.from + x)
		first, second = first+above*width, second+2*x*above*width
	}
	return first, second
}

// posteriorTail returns the posterior of a tail of values up to n, and the least squares of all: the part that is even up
// to the end, by its evidence, and the mean of shape and log scale of what fades. The sum of squares, in variances of the
// noise, of a tail of given shape and scale sets its count.
//
// Choosing the likelier of the two would be wrong where noise hides which it is: an exponential column of 3,000 records in
// a range three times as wide has 1.2 times its standard deviation then.
func posteriorTail(from, n int, squares func(t *pareto) float64) (t pareto, least float64) {
	t = pareto{from: float64(from), to: float64(n), even: 1}
	least = squares(&t)
	hard := math.Log(hardEnd*ownRange) - least/2
	t.even = 0
	sum, shape, scale, top, prior := 0.0, 0.0, 0.0, math.Inf(-1), 0.0
	for t.scale = 2 * float64(n-from); t.scale > .25; t.scale *= math.Exp2(-.25) {
		for t.shape = -.6; t.shape < .75; t.shape += .1 {
			x, z := squares(&t), (t.shape-meanShape)/sdShape
			least = min(least, x)
			score := -x/2 - z*z/2 + t.ofRange(float64(n))
			if score > top { // weights are relative to the largest one so far
				scaleDown := math.Exp(top - score)
				sum, shape, scale, top = sum*scaleDown, shape*scaleDown, scale*scaleDown, score
			}
			w := math.Exp(score - top)
			sum, shape, scale = sum+w, shape+w*t.shape, scale+w*math.Log(t.scale)
			prior += math.Exp(-z * z / 2)
		}
	}
	if !(sum > 0) {
		return t, math.Inf(1)
	}
	t.shape, t.scale = shape/sum, math.Exp(scale/sum)
	fades := math.Log((1-hardEnd)*sum/prior) + top
	t.even = 1 / (1 + math.Exp(fades-hard))
	return t, least
}

// difference returns what the tail adds to the difference of two halves.
func (t *pareto) difference(h query.Halving) float64 {
	return t.above(float64(h.From)) + t.above(float64(h.To)) - 2*t.above(float64(h.Middle))
}

// beyond returns the tail of a tail from v on.
func (t *pareto) beyond(v float64) pareto {
	out := pareto{from: v, count: t.above(v), scale: t.scale + t.shape*(v-t.from), shape: t.shape, to: t.to}
	if out.count > 0 {
		out.even = t.even * t.count * (t.to - v) / (t.to - t.from) / out.count
	}
	return out
}

// ofRange returns the logarithm of the chance that values up to n were declared.
func (t *pareto) ofRange(n float64) float64 {
	outside := t.above(n)
	near := -math.Expm1(outside - t.above(nearRange*n))
	return math.Log(ownRange*near+(1-ownRange)*otherRange) - outside
}

// above returns the records of v and above.
func (t *pareto) above(v float64) float64 {
	if v <= t.from {
		return t.count
	}
	out := 0.0
	if t.even > 0 {
		out = t.even * t.count * max(0, t.to-v) / (t.to - t.from)
	}
	return out + (1-t.even)*t.fading(v)
}

// fading returns the records of v and above if none are even.
func (t *pareto) fading(v float64) float64 {
	z := (v - t.from) / t.scale
	switch {
	case math.Abs(t.shape) < 1e-6:
		return t.count * math.Exp(-z)
	case t.shape*z <= -1:
		return 0
	}
	return t.count * math.Exp(-math.Log1p(t.shape*z)/t.shape)
}

// end returns the value that so many records are above if none are even.
func (t *pareto) end(count float64) float64 {
	x := math.Log(t.count / count)
	if math.Abs(t.shape) >= 1e-6 {
		x = math.Expm1(t.shape*x) / t.shape
	}
	return t.from + t.scale*x
}

// pieces returns the pieces before the tail and its own, up to the end of n values: of what fades each has 30 % of the
// records left, the last one half a record.
func (t *pareto) pieces(out []query.Piece, n int) []query.Piece {
	at, left := int(t.from), t.count
	density := t.even * t.count / float64(n-at)
	add := func(to int, fading float64) {
		out = append(out, query.Piece{From: at, To: to, Count: (1-t.even)*fading + density*float64(to-at)})
		at = to
	}
	for at < n && left > 0 {
		next := left / math.Sqrt2
		to := min(n, max(at+1, int(min(t.end(max(next, .25)), float64(n)))))
		if next = min(left, t.fading(float64(to))); next < .5 || to == n {
			next = 0
		}
		add(to, left-next)
		left = next
	}
	if at < n {
		add(n, 0)
	}
	return out
}
