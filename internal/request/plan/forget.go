package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/solver"
)

// Forgotten is a column whose value in the row before is left out: noise alone puts more of that table elsewhere than rows that are
// dealt at random can lose.
type Forgotten struct {
	Column string  `json:"column"`
	Noise  float64 `json:"noise_tv"`
	Dealt  float64 `json:"at_random_tv_most"` // of a column whose value decides the next
}

// ForgottenNotes say which columns' values in the row before are left out, and why; nil if none is.
func ForgottenNotes(list []Forgotten) []string {
	if len(list) == 0 {
		return nil
	}
	var names []string
	for _, f := range list {
		names = append(names, f.Column)
	}
	return []string{fmt.Sprintf("what follows %s is left out: noise alone would miss more than rows dealt at random ever do", strings.Join(names, ", "))}
}

const (
	// transitionsPart is the part of the budget that method rake gives to tables of a value and the one before, if they show
	// something. The noise was then foretold as .11 and .19 where such tables were off by .15 and .16 (purchases, hospital).
	transitionsPart = .4
	// mostPeople is how many times an assumed number of people may be too small for a column to be left out.
	mostPeople = 2
)

// Noisiest returns the remembered column whose table of a value and the one in the row before has the most noise for what it may tell,
// if that noise alone is worse than rows dealt at random, whatever the column is like; nil if none is. Where each of 20 values decided
// the next, noise of .7 still left most of it, and noise of 2 next to nothing. Everything in it is public.
func Noisiest(p solver.Problem, m solver.Method, unitsGiven bool) (worst *Forgotten) {
	l, measured, err := Charge(p, m, nil)
	if err != nil {
		return nil
	}
	ratio := 1.0
	if !unitsGiven {
		ratio = mostPeople
	}
	for i, noise := range transitionNoise(p, m, l, measured) {
		dealt := 1 - 1/float64(p.Workload.Sizes[p.Domain.Remembered()[i]])
		if noise > ratio*dealt {
			worst, ratio = &Forgotten{p.Domain.Events.Sequence.Previous[i], noise, dealt}, noise/dealt
		}
	}
	return worst
}

// transitionNoise predicts the total variation that noise alone gives each table of a value and the one in the row before; nil if
// the method is not known to have any.
func transitionNoise(p solver.Problem, m solver.Method, l *accountant.Ledger, measured []Noisy) (list []float64) {
	if m.Predict == nil && len(measured) == 0 {
		return nil
	}
	least := (&Plan{Domain: p.Domain, Problem: p, Charges: l.Statement(schedule(p, m))}).leastSeen()
	known, sum := predictor{sizes: p.Workload.Sizes, measured: measured}, 0.0
	cells := func(a int) float64 {
		values := float64(p.Workload.Sizes[a])
		if p.Domain.Attributes[a].Learned > 0 && least > 0 {
			values = min(values, max(2, p.Units/least)) // a bin holds as many as are seen by themselves
		}
		return values * values
	}
	for _, a := range p.Domain.Remembered() {
		sum += math.Pow(cells(a), 2./3) // shares of the budget that make the sum of errors least
	}
	for i, a := range p.Domain.Remembered() {
		precision := 2 * l.Budget().Capacity * transitionsPart * math.Pow(cells(a), 2./3) / sum
		if m.Predict == nil {
			precision = known.precision(domain.NewClique(a, p.Domain.Events.Before(i)))
		}
		list = append(list, .4*cells(a)/math.Sqrt(precision)/p.Units)
	}
	return list
}
