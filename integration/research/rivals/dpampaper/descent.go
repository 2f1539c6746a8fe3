package dpampaper

import (
	"math"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
)

// descent is the accelerated mirror method of the paper: a running convex combination of the chosen
// queries in the logits, and one of the models as the answer.
type descent struct {
	plan      *plan
	step      float64   // 1/α; the text has −1
	past      float64   // Σ of the averaging weights before this round
	keep      float64   // r: what a running combination keeps in this round
	logits    []float64 // of x, up to a constant
	x         []float64
	aggregate []float64 // the answer
	gap       []float64 // data − middle point, fractions
	answers   query.Answers
}

func newDescent(pl *plan, step float64) *descent {
	k := pl.oracle.Plan().Len()
	d := &descent{plan: pl, step: step, logits: dense.Forbid(make([]float64, k), pl.sizes, pl.never), x: make([]float64, k), aggregate: make([]float64, k), gap: make([]float64, k)}
	d.answers, _ = pl.oracle.Plan().NewAnswers()
	dense.Softmax(d.logits, d.x)
	copy(d.aggregate, d.x)
	return d
}

// weigh sets the averaging weight t + c₀ of round t.
func (d *descent) weigh(t int) {
	eta := float64(t) + d.plan.shift
	d.keep = d.past / (d.past + eta)
	d.past += eta
}

// worst returns the cell where the noisy histogram and the middle point differ most, and the sign of
// the difference.
func (d *descent) worst(histogram []float64, units float64) query.Cell {
	for z, y := range histogram {
		d.gap[z] = y/units - (d.keep*d.aggregate[z] + (1-d.keep)*d.x[z])
	}
	most, at := -1.0, query.Cell{}
	for i, a := range d.plan.oracle.Eval(d.gap, d.answers) {
		for c, e := range a {
			if math.Abs(e) > most {
				most, at = math.Abs(e), query.Cell{Marginal: i, Cell: c, Sign: 1}
				if e < 0 {
					at.Sign = -1
				}
			}
		}
	}
	return at
}

// move takes the mirror step towards the signed query and aggregates.
func (d *descent) move(s query.Cell) {
	for z, v := range d.logits {
		if !math.IsInf(v, -1) { // an impossible cell; keep is 0 in the first round
			d.logits[z] = v * d.keep
		}
	}
	d.plan.oracle.AddCell(s.Marginal, s.Cell, float64(s.Sign)*(1-d.keep)*d.step, d.logits)
	dense.Softmax(d.logits, d.x)
	for z, v := range d.x {
		d.aggregate[z] = d.keep*d.aggregate[z] + (1-d.keep)*v
	}
}
