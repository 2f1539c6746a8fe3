package population

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Raking is slow if columns follow from each other: what one of them gains in a sweep the next takes back. Their
// one-way marginals are therefore fitted together, by Newton's method.
const (
	newtonSteps    = 20  // of Newton's method
	newtonProducts = 80  // passes of a step's conjugate gradients
	newtonHalvings = 10  // of a step that leads too far
	newtonGain     = .95 // of a step, in distance from the targets: noise may make these contradict each other
	newtonResidual = .1  // of the equations at the start of a step, at which they are solved
)

// FitOneWays multiplies the weights of a sample by a factor for every value of the given columns, until their one-way
// marginals are within enough counts of the targets, all together, or no step helps. The factors minimise the
// objective that Table describes over the tables' potentials, starting from 0, so that they are as close to 1 as the
// ridges allow.
//
// About 2 ns for a record, column and pass; few passes if the columns do not follow from each other, and at most 2,000.
func (m *Model) FitOneWays(oneWays []*Table, enough float64) {
	o := newOneWayFit(m, oneWays)
	last := math.Inf(1)
	for range newtonSteps {
		o.sum(o.mass, m.Weights, nil)
		off := 0.0
		for i, x := range o.mass {
			off += math.Abs(x - o.target[i])
		}
		if off <= enough || off > newtonGain*last || !o.step(m) {
			return
		}
		last = off
	}
}

// oneWayFit is the state of FitOneWays: the cells of all one-way tables in a row.
type oneWayFit struct {
	columns              [][]domain.Code
	start                []int // of each table's cells
	target, ridge, theta []float64
	mass                 []float64 // present one-ways
	trial                []float64 // weights
	parts                [mostBlocks][]float64
}

func newOneWayFit(m *Model, oneWays []*Table) *oneWayFit {
	o := &oneWayFit{trial: make([]float64, m.Len())}
	for _, t := range oneWays {
		o.columns = append(o.columns, m.Columns[t.Clique[0]])
		o.start = append(o.start, len(o.target))
		o.target, o.ridge = append(o.target, t.Target...), append(o.ridge, t.Ridge...)
	}
	o.theta, o.mass = make([]float64, len(o.target)), make([]float64, len(o.target))
	return o
}

// sum sets dst to the one-way marginals of the weights, each multiplied by the sum of its record's cells of by if
// that is not nil.
func (o *oneWayFit) sum(dst, weights, by []float64) {
	blocks := blocksFor(len(weights), len(dst))
	inBlocks(len(weights), blocks, func(b, from, to int) {
		part := append(o.parts[b][:0], dst...) // for its length
		clear(part)
		o.parts[b] = part
		for r := from; r < to; r++ {
			w := weights[r]
			if by != nil {
				w *= o.logit(by, r)
			}
			for a, column := range o.columns {
				part[o.start[a]+int(column[r])] += w
			}
		}
	})
	clear(dst)
	for _, part := range o.parts[:blocks] {
		for i, x := range part {
			dst[i] += x
		}
	}
}

// logit returns the sum of a record's cells.
func (o *oneWayFit) logit(cells []float64, r int) float64 {
	sum := 0.0
	for a, column := range o.columns {
		sum += cells[o.start[a]+int(column[r])]
	}
	return sum
}

// step makes one step of Newton's method from the present marginals, and reports whether the step helped.
func (o *oneWayFit) step(m *Model) bool {
	gradient, slope := make([]float64, len(o.mass)), 0.0
	for i, x := range o.mass {
		gradient[i] = x + o.ridge[i]*o.theta[i] - o.target[i]
	}
	direction := o.solve(m, gradient)
	for i, x := range direction {
		slope += gradient[i] * x
	}
	if !(slope < 0) {
		return false
	}
	length := 1.0
	for range newtonHalvings {
		if o.change(m, direction, length) <= .1*length*slope {
			m.Weights, o.trial = o.trial, m.Weights
			for i, x := range direction {
				o.theta[i] += length * x
			}
			return true
		}
		length /= 2
	}
	return false
}

// change sets the trial weights to those after a step and returns the change of the objective.
func (o *oneWayFit) change(m *Model, direction []float64, length float64) float64 {
	blocks := blocksFor(m.Len(), 0)
	var parts [mostBlocks]float64
	inBlocks(m.Len(), blocks, func(b, from, to int) {
		for r := from; r < to; r++ {
			o.trial[r] = m.Weights[r] * math.Exp(length*o.logit(direction, r))
			parts[b] += o.trial[r] - m.Weights[r]
		}
	})
	sum := 0.0
	for _, x := range parts[:blocks] {
		sum += x
	}
	for i, x := range direction {
		x *= length
		sum += x * (o.ridge[i]*(o.theta[i]+x/2) - o.target[i])
	}
	return sum
}

// solve returns Newton's direction, by conjugate gradients scaled by the one-way marginals themselves.
func (o *oneWayFit) solve(m *Model, gradient []float64) []float64 {
	n := len(gradient)
	x, left, along, product := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	scaled := func(i int) float64 { return left[i] / (o.mass[i] + o.ridge[i]) }
	energy := 0.0
	for i, g := range gradient {
		left[i] = -g
		along[i] = scaled(i)
		energy += left[i] * along[i]
	}
	for first, pass := energy, 0; pass < newtonProducts && energy > newtonResidual*newtonResidual*first; pass++ {
		o.sum(product, m.Weights, along)
		curve := 0.0
		for i, p := range along {
			product[i] += o.ridge[i] * p
			curve += p * product[i]
		}
		if !(curve > 0) {
			break
		}
		next := 0.0
		for i, p := range along {
			x[i] += energy / curve * p
			left[i] -= energy / curve * product[i]
			next += left[i] * scaled(i)
		}
		for i := range along {
			along[i] = scaled(i) + next/energy*along[i]
		}
		energy = next
	}
	return x
}
