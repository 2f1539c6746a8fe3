package plan

import (
	"fmt"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	// oneWays is the stage in which rake measures every column.
	oneWays = "one-ways"
	// largeRowsSD is the standard deviation of the total number of rows, for each person, from which it is called large.
	largeRowsSD = .05
)

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

func writeEvents(b *strings.Builder, p *Plan) {
	if math.IsNaN(p.RowsSD) {
		return
	}
	fmt.Fprintf(b, "          noise moves the total number of their rows by at most about %.3g (one standard deviation)", p.RowsSD)
	if p.RowsSD > largeRowsSD*p.Problem.Units {
		b.WriteString(": that is much for so few people, if many have nearly as many rows as allowed, and far less if hardly anybody has;\n" +
			"          to be sure lower rows: max, so that the few who have more count as having so many, or raise ε;\n" +
			"          if few have a good part of all rows, who these are moves that number too: the statement of a release says how much")
	}
	b.WriteString("\n")
}
