package report

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// order is what the page shows of rows that follow each other; nil if they do not.
type order struct {
	Column      string
	Gaps        *page.Bars // between a row and the one before; nil: not published, or no row follows another
	Transitions []page.Heat
}

// leastBefore is the share of later rows from which on a value has enough rows behind it for shares of what follows.
const leastBefore = .001

// inOrder returns the order of rows, from the marginals that are published.
func (p Page) inOrder(oneWay []*Marginal) *order {
	d := p.Domain
	if !d.Ordered() {
		return nil
	}
	e := d.Events
	out := &order{Column: e.Sequence.Column}
	if m := oneWay[e.Gap()]; m != nil && slices.Max(m.Fitted[:len(m.Fitted)-1]) > 0 {
		b := bars(&d.Attributes[e.Gap()], m.later())
		b.Name, b.Note = "Gap to the row before", e.Sequence.Unit()
		out.Gaps = &b
	}
	for i, a := range d.Remembered() {
		c := domain.NewClique(a, e.Before(i))
		if at := slices.IndexFunc(p.Marginals, func(m Marginal) bool { return m.Clique.Equal(c) }); at >= 0 {
			shares := p.Marginals[at].Fitted
			if rows := oneWay[e.Columns]; e.NoRows && rows != nil && !slices.Contains(e.Filled, d.Attributes[a].Name) {
				shares = slices.Clone(shares) // NULL after none, the last cell, holds people without rows too
				last := len(shares) - 1
				shares[last] = max(0, shares[last]-rows.Fitted[0])
			}
			out.Transitions = append(out.Transitions, transitions(&d.Attributes[a], &d.Attributes[e.Before(i)], shares))
		}
	}
	return out
}

// later returns the shares among later rows, whose last cell means first rows.
func (m *Marginal) later() *Marginal {
	last, sum := len(m.Fitted)-1, 0.0
	for _, share := range m.Fitted[:last] {
		sum += share
	}
	out := &Marginal{Clique: m.Clique}
	for c, share := range m.Fitted[:last] {
		out.Fitted = append(out.Fitted, share/math.Max(sum, math.SmallestNonzeroFloat64))
		out.FittedError = append(out.FittedError, m.standardError(c)/sum)
	}
	return out
}

// transitions returns, for each value of a column in the row before, the shares of what follows: first rows first. The
// marginal is row-major, what was before fastest, and "none" last of that. A last cell of the column that was never before is
// of people without rows, and left out.
func transitions(attr, previous *domain.Attribute, shares []float64) page.Heat {
	n := previous.Size() - 1
	h := page.Heat{Title: attr.Name + ": shares of each value after each value", Names: []string{"first rows"}, None: "hardly any row"}
	for v := range n {
		label := attr.Label(domain.Code(v))
		h.Names, h.Columns = append(h.Names, label), append(h.Columns, label)
	}
	sums := make([]float64, n+1)
	for i, x := range shares[:n*(n+1)] {
		sums[i%(n+1)] += x
	}
	laterRows := summation.InOrder(sums[:n])
	h.Values = make([][]float64, n+1)
	for before, sum := range sums {
		row, known := make([]float64, n), before == n && sum > 0 || sum > leastBefore*laterRows
		for v := range row {
			if row[v] = math.NaN(); known {
				row[v] = shares[v*(n+1)+before] / sum
				h.Top = max(h.Top, row[v])
			}
		}
		h.Values[(before+1)%(n+1)] = row
	}
	return h
}
