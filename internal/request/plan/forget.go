package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/solver"
)

// Forgotten is a column whose value in the row before is left out: noise alone puts so many rows of that table elsewhere.
type Forgotten struct {
	Column string  `json:"column"`
	Noise  float64 `json:"noise_tv"`
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
	return []string{fmt.Sprintf("what follows %s is left out: its noise would miss %s or more, and rows dealt at random %s",
		strings.Join(names, ", "), percent(min(1, list[len(list)-1].Noise)), percent(dealt))}
}

const (
	// transitionsPart is the part of the budget that method rake gives to tables of a value and the one before, if they show
	// something. The noise was then foretold as .11 and .19 where such tables were off by .15 and .16 (purchases, hospital).
	transitionsPart = .4
	// mostPeople is how many times an assumed number of people may be too small for a column to be left out.
	mostPeople = 2
)

// Noisiest returns the remembered column whose table of a value and the one in the row before has the most noise, if that alone
// is worse than rows dealt at random are; "" if none is. Everything in it is public.
func Noisiest(p solver.Problem, m solver.Method, unitsGiven bool) (column string, noise float64) {
	l, measured, err := Charge(p, m, nil)
	if err != nil {
		return "", 0
	}
	noise = dealt
	if !unitsGiven {
		noise *= mostPeople
	}
	for i, tv := range transitionNoise(p, m, l, measured) {
		if tv > noise {
			column, noise = p.Domain.Events.Sequence.Previous[i], tv
		}
	}
	return column, noise
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
