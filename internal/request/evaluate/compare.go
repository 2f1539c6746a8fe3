package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// Tables are the tables to compare, all over one domain.
type Tables struct {
	Real      *Table // what was synthesised: one row for each privacy unit
	Synthetic *Table
	Holdout   *Table // rows of the same population that the synthesis never saw; nil without any
}

// The worst are listed: so many marginals and queries, and of each marginal so many cells.
const (
	listedWorst = 10
	listedCells = 5
)

// ErrNoRows says that a table to be compared has no row.
var ErrNoRows = errors.New("has no rows, and cannot be compared")

// Compare measures the error of the synthetic table on the workload. It panics if a table or the
// workload does not fit the domain; it fails if a table has no rows, or when ctx ends.
//
// All 3-way marginals of 14 columns over 50,000 rows take about 0.05 s on two cores.
func Compare(ctx context.Context, t Tables, w query.Workload, d *domain.Domain) (*Report, error) {
	sizes := d.Sizes()
	if !slices.Equal(w.Sizes, sizes) {
		panic("evaluate: the workload has other cells than the domain")
	}
	for i, table := range []*Table{t.Real, t.Synthetic, t.Holdout} {
		if table == nil {
			continue
		}
		table.check(sizes)
		if table.Rows == 0 {
			return nil, fmt.Errorf("evaluate: the %s table %w", [...]string{"true", "synthetic", "holdout"}[i], ErrNoRows)
		}
	}
	e := evaluation{domain: d, cliques: compared(w), workload: w}
	return e.report(ctx, t)
}

// evaluation is what stays the same from one pair of tables to the next.
type evaluation struct {
	domain   *domain.Domain
	cliques  []domain.Clique // in the order of domain.Clique.Compare
	workload query.Workload
}

func (e *evaluation) report(ctx context.Context, t Tables) (*Report, error) {
	r := &Report{NotPrivate: Banner, Format: 1, Columns: e.domain.Names()}
	var err error
	if r.Real, err = e.compare(ctx, t.Real, t.Synthetic); err != nil {
		return nil, err
	}
	if t.Holdout == nil {
		return r, nil
	}
	r.Holdout = &Holdout{}
	if r.Holdout.Synthetic, err = e.compare(ctx, t.Holdout, t.Synthetic); err != nil {
		return nil, err
	}
	each, err := distances(ctx, t.Holdout, t.Real, e.cliques)
	if err != nil {
		return nil, err
	}
	r.Holdout.Real = e.widths(each)
	return r, nil
}

// compare measures other against truth.
func (e *evaluation) compare(ctx context.Context, truth, other *Table) (Comparison, error) {
	each, err := distances(ctx, truth, other, e.cliques)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{TrueRows: truth.Rows, SyntheticRows: other.Rows, Widths: e.widths(each)}
	if truth.values != nil && other.values != nil {
		if c.Values, err = compareValues(ctx, truth.values, other.values); err != nil {
			return Comparison{}, err
		}
		e.addTV(each, c.Values.Shapes.Items)
		e.addTV(each, c.Values.Trends.Items)
	}
	c.Worst = e.worst(truth, other, each)
	c.Queries = e.queries(truth, other)
	c.Violations = violations(truth, other, e.domain)
	return c, nil
}

// addTV sets the total variation of columns and pairs beside their scores.
func (e *evaluation) addTV(each []distance, items []Item) {
	of := map[string]float64{}
	for i, c := range e.cliques {
		of[strings.Join(c.Names(e.domain), "\x00")] = each[i].tv
	}
	for i := range items {
		if tv, ok := of[strings.Join(items[i].Columns, "\x00")]; ok {
			items[i].TV = Score(tv)
		}
	}
}

// widths sums up the distances of the cliques, which are in ascending order of their lengths.
func (e *evaluation) widths(each []distance) []Width {
	var out []Width
	for from := 0; from < len(each); {
		k, to := len(e.cliques[from]), from+1
		for to < len(each) && len(e.cliques[to]) == k {
			to++
		}
		out = append(out, newWidth(k, each[from:to]))
		from = to
	}
	return out
}

// newWidth sums up the distances of the marginals of k attributes.
func newWidth(k int, each []distance) Width {
	w := Width{K: k, Marginals: len(each)}
	tv := 0.0
	for _, d := range each {
		w.Cells += d.cells
		tv += d.tv
		w.LargestTV = max(w.LargestTV, d.tv)
		w.LargestCell = max(w.LargestCell, d.largest)
	}
	w.AverageTV = tv / float64(len(each))
	return w
}

// worst returns the marginals of largest TV; of equals the narrower, then the earlier one.
func (e *evaluation) worst(truth, other *Table, each []distance) []Marginal {
	order := domain.All(len(each))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(each[j].tv, each[i].tv) })
	order = order[:min(listedWorst, len(order))]
	out := make([]Marginal, len(order))
	var s scratch
	for i, m := range order {
		c := e.cliques[m]
		x, y := s.count(truth, other, c)
		out[i] = Marginal{Columns: c.Names(e.domain), Cells: each[m].cells, TV: each[m].tv}
		for _, cell := range largest(x, y, truth.Rows, other.Rows, listedCells) {
			out[i].Largest = append(out[i].Largest, Cell{
				Labels:    e.labels(c, cell),
				Real:      float64(x[cell]) / float64(truth.Rows),
				Synthetic: float64(y[cell]) / float64(other.Rows),
			})
		}
	}
	return out
}

// largest returns up to n cells that differ, those that differ most first.
func largest(x, y []int32, rows, others, n int) []int {
	apart := func(c int) int64 {
		e := int64(x[c])*int64(others) - int64(y[c])*int64(rows)
		return max(e, -e)
	}
	var cells []int
	for c := range x {
		if apart(c) > 0 {
			cells = append(cells, c)
		}
	}
	slices.SortStableFunc(cells, func(a, b int) int { return cmp.Compare(apart(b), apart(a)) })
	return cells[:min(n, len(cells))]
}

// labels names a cell of the marginal of c by the cell of each attribute.
func (e *evaluation) labels(c domain.Clique, cell int) []string {
	out := make([]string, len(c))
	for i := len(c) - 1; i >= 0; i-- {
		a := &e.domain.Attributes[c[i]]
		out[i] = a.Label(domain.Code(cell % a.Size()))
		cell /= a.Size()
	}
	return out
}
