package dpam

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
)

const (
	// firstSmoothness is where the search for the smoothness constant L starts; 0.02 to 0.1 is what
	// it finds.
	firstSmoothness = .02
	// worstSmoothness bounds L for every workload, since ‖M_A(u'−u)‖₂² ≤ ‖u'−u‖₁² ≤ 2·KL(u'‖u).
	worstSmoothness = 1
)

// descent is accelerated entropic descent with backtracking on
//
//	F(x) = ½ Σ_A weight_A ‖M_A(x) − target_A‖²,   Σ_A weight_A = 1,
//
// over distributions x on the universe. Vectors of cells are flat, with answers as views of them.
type descent struct {
	oracle  *dense.Oracle
	project func(query.Answers) // see FitSettings.Project; nil: none
	weight  []float64           // per cell of the workload
	target  []float64           // per cell, fractions of the total

	x        []float64 // the average
	u        []float64 // scratch: the mirror point of the last trial
	z, zNext []float64 // ln u + constant

	qx                []float64 // marginals of x
	qu, qNext         []float64 // marginals of the mirror points of z and zNext
	quView, qNextView query.Answers
	g                 []float64
	gView             query.Answers

	anchor float64   // λ of hold; 0: none
	origin []float64 // ln of the prior

	smoothness, momentum, logZ float64
	steps, evaluations         int
	restarted                  bool // no step was made since the start or the last restart
}

// newDescent starts at the distribution start. u is scratch that several descents may share.
func newDescent(o *dense.Oracle, r *risk, target, start, u []float64) *descent {
	p := o.Plan()
	d := &descent{oracle: o, project: r.project, weight: r.weight, target: target, x: slices.Clone(start), u: u, smoothness: firstSmoothness, momentum: 1, restarted: true}
	d.z, d.zNext = make([]float64, p.Len()), make([]float64, p.Len())
	for i, v := range start {
		d.z[i] = math.Log(v)
	}
	d.quView, d.qu = p.NewAnswers()
	d.qNextView, d.qNext = p.NewAnswers()
	d.gView, d.g = p.NewAnswers()
	d.eval(start, d.quView)
	d.qx = append([]float64(nil), d.qu...)
	return d
}

// hold adds λ·KL(x‖exp(origin)) to F.
func (d *descent) hold(origin []float64, lambda float64) { d.origin, d.anchor = origin, lambda }

// step makes one accepted step: one adjoint, one softmax and one evaluation for each smoothness tried,
// 1.15 on average. It does not allocate.
func (d *descent) step() {
	smoothness := d.smoothness
	if d.steps > 0 {
		smoothness *= .9
	}
	for {
		momentum := 1.0
		if !d.restarted {
			c := d.momentum * d.momentum * d.smoothness / smoothness
			momentum = (math.Sqrt(c*c+4*c) - c) / 2
		}
		logZ := d.try(momentum, momentum*smoothness)
		if divergence, square := d.progress(logZ); smoothness >= worstSmoothness || square/2 <= smoothness*divergence {
			d.accept(momentum, smoothness, logZ)
			return
		}
		smoothness *= 2
	}
}

// try makes zNext, u and qNext from z by a mirror step along the gradient at the point (1−momentum)·x + momentum·u, whose
// marginals need no pass over the universe: the least of the linear model, stiff·KL(u'‖u) and anchor·KL(u'‖prior).
func (d *descent) try(momentum, stiff float64) (logZ float64) {
	length := 1 / (stiff + d.anchor)
	for c, q := range d.qx {
		v := (1-momentum)*q + momentum*d.qu[c]
		d.g[c] = -length * d.weight[c] * (v - d.target[c])
	}
	copy(d.zNext, d.z)
	if d.anchor > 0 {
		for i, o := range d.origin {
			if o > math.Inf(-1) {
				d.zNext[i] += length * d.anchor * (o - d.z[i])
			}
		}
	}
	d.oracle.Adjoint(d.gView, d.zNext)
	logZ = dense.Softmax(d.zNext, d.u)
	d.eval(d.u, d.qNextView)
	d.evaluations++
	return logZ
}

// eval writes the marginals of p to dst, projected. A gradient is a combination of projected vectors, so
// its adjoint needs no second projection.
func (d *descent) eval(p []float64, dst query.Answers) {
	d.oracle.Eval(p, dst)
	if d.project != nil {
		d.project(dst)
	}
}

// progress returns KL(u'‖u) = Σ u'·(z' − z) − (logZ' − logZ), whose sum is Σ_A <G_A, M_A(u')> if nothing is held, and
// Σ_A weight_A ‖M_A(u' − u)‖².
func (d *descent) progress(logZ float64) (divergence, square float64) {
	divergence = d.logZ - logZ
	if d.anchor > 0 {
		for i, p := range d.u {
			if p > 0 {
				divergence += p * (d.zNext[i] - d.z[i])
			}
		}
	}
	for c, q := range d.qNext {
		if d.anchor == 0 {
			divergence += d.g[c] * q
		}
		e := q - d.qu[c]
		square += d.weight[c] * e * e
	}
	return divergence, square
}

func (d *descent) accept(momentum, smoothness, logZ float64) {
	d.steps++
	d.restarted = false
	d.momentum, d.smoothness, d.logZ = momentum, smoothness, logZ
	d.z, d.zNext = d.zNext, d.z
	d.qu, d.qNext = d.qNext, d.qu
	d.quView, d.qNextView = d.qNextView, d.quView
	u := d.u[:len(d.x)]
	for i, v := range d.x {
		d.x[i] = v + momentum*(u[i]-v)
	}
	for c, q := range d.qu {
		d.qx[c] += momentum * (q - d.qx[c])
	}
}

// restart goes on from x without momentum. The loss of accelerated steps ripples: on tables with rare values it rises by
// more than the rule that ends a fit waits for.
//
// Source: O'Donoghue, Candès 2015, "Adaptive restart for accelerated gradient schemes", restart by function values.
func (d *descent) restart() {
	d.restarted, d.logZ = true, 0
	for i, p := range d.x {
		d.z[i] = math.Log(p)
	}
	copy(d.qu, d.qx)
}

// loss returns F(x).
func (d *descent) loss() float64 {
	f := 0.0
	for c, q := range d.qx {
		e := q - d.target[c]
		f += d.weight[c] * e * e / 2
	}
	return f
}
