package plan

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/solver"
)

// oneWays is the stage in which rake measures every column.
const oneWays = "one-ways"

// rowsSD returns the standard deviation that noise gives the total number of rows of people, before the model is kept
// above 0 and method rake smooths the tail: √(Σ m²·σ²) over the bins of row counts, of m rows in the mean and noise σ of the number of people. It is NaN
// for a domain without events, and if no measured table has the row counts.
func rowsSD(d *domain.Domain, sizes []int, l *accountant.Ledger, measured []Noisy) float64 {
	if d.Events == nil {
		return math.NaN()
	}
	rows, variance := d.Index(domain.RowsPerPerson), math.Inf(1)
	for _, m := range measured {
		if cells, err := m.Clique.Cells(sizes); err == nil && m.Clique.Contains(domain.Clique{rows}) {
			variance = min(variance, m.Variance*float64(cells)/float64(sizes[rows]))
		}
	}
	for _, e := range l.Events() {
		if e.Stage == oneWays {
			variance = min(variance, e.Variance(0))
		}
	}
	if math.IsInf(variance, 1) {
		return math.NaN()
	}
	sum, cuts := 0.0, d.Attributes[rows].Cuts
	for b := range len(cuts) - 1 {
		m := float64(cuts[b]+max(cuts[b], cuts[b+1]-1)) / 2
		sum += m * m
	}
	return math.Sqrt(variance * sum)
}

// dealt is the total variation of a value and the one in the row before if rows are dealt at random to people: .27 to .42 on five made-up
// tables whose rows follow each other (integration/research/bench, Rows in order). There predictions of .02 to .08 were of errors
// of .04 to .08, and predictions of .20 and .25, flights and parcels, of .20 and .22: a column of flights was worse than dealt, and pairs of
// columns by a third than without an order. Half of dealt lies between.
const dealt = .27

// dealtGaps is the least total variation of gaps between rows that are dealt at random: .19 to .51 on the same tables.
const dealtGaps = .19

// predictOrder predicts the total variation of a value and the one in the row before, on average over the remembered columns, and
// the total variation of gaps; NaN for what the domain has not.
func predictOrder(p solver.Problem, m solver.Method, l *accountant.Ledger, measured []Noisy, like *solver.Pattern) (follow, gaps float64) {
	follow, gaps = math.NaN(), math.NaN()
	if !p.Domain.Ordered() {
		return follow, gaps
	}
	var pairs []domain.Clique
	for i, a := range p.Domain.Remembered() {
		pairs = append(pairs, domain.Clique{a, p.Domain.Events.Before(i)})
	}
	if len(pairs) > 0 {
		follow = predict(p, m, l, measured, Target{these: pairs}, like)
	}
	return follow, predict(p, m, l, measured, Target{these: []domain.Clique{{p.Domain.Events.Gap()}}}, like)
}

// order says how far off rows in order are, whether the order pays, and which columns' tables of it are left out.
func (p *Plan) order() (out said) {
	out = said{head: "order", optional: len(p.Forgotten) == 0}
	if !math.IsNaN(p.FollowTV) {
		out.text = fmt.Sprintf("what follows a value misses %s of the rows, gaps %s; rows dealt at random miss %s and %s or more",
			page.Plain(p.FollowTV), page.Plain(p.GapsTV), page.Plain(dealt), page.Plain(dealtGaps))
		if p.FollowTV > dealt/2 {
			out.optional, out.text = false, "WILL HARDLY PAY: "+out.text+"; leave order out, or list fewer columns under previous"
		}
	} else {
		out.text = fmt.Sprintf("gaps miss %s of the rows; of rows dealt at random %s or more", page.Plain(p.GapsTV), page.Plain(dealtGaps))
	}
	for _, note := range ForgottenNotes(p.Forgotten) {
		out.text += "; " + note
	}
	return out
}
