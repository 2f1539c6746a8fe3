package pipelines

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/schema"
)

// workload returns the domain file's workload, or else all marginals up to the width and size asked for.
// It finds the workload's faults: not ok. Everything follows from public sizes, before a long list is
// made.
func (r *Request) workload(f *Faults) (w query.Workload, ok bool) {
	if len(r.File.Workload) > 0 {
		return r.listed(f)
	}
	sizes := r.File.Domain.Sizes()
	if !r.chooseWidth(sizes, f) {
		return w, false
	}
	if uncovered := query.Uncovered(r.File.Domain, r.MaxCells); uncovered != "" {
		f.add("--max_cells", fmt.Sprintf("got %d; %s, and nothing would be known of such a column", r.MaxCells, uncovered),
			"raise it, or give the column fewer values or bins")
		return w, false
	}
	w = query.AllMarginals(sizes, r.Marginals, r.MaxCells)
	r.omitted = ofWidth(len(sizes), r.Marginals) - int64(len(w.Marginals))
	return w, true
}

// listed returns the domain file's workload.
func (r *Request) listed(f *Faults) (w query.Workload, ok bool) {
	if n := len(r.File.Workload); n > query.MaxMarginals {
		f.add("--domain", fmt.Sprintf("%d marginals in the workload; at most %d are possible", n, query.MaxMarginals), "list fewer")
		return w, false
	}
	w.Sizes = r.File.Domain.Sizes()
	values := 0
	for _, e := range r.File.Workload {
		attrs := make([]int, len(e.Columns))
		for i, name := range e.Columns {
			attrs[i] = r.File.Domain.Index(name)
		}
		m, err := r.asked(domain.NewClique(attrs...), e)
		if err != nil {
			f.add("--domain", fmt.Sprintf("workload, line %d: %s", e.Line, strings.TrimPrefix(err.Error(), "query: ")), "")
			return w, false
		}
		w.Marginals = append(w.Marginals, m)
		if m.Queries != nil {
			values += m.Queries.Queries() * m.Queries.Cells()
		}
	}
	if n := w.Linear(); n > query.MaxLinear || values > query.MaxLinearValues {
		f.add("--domain", fmt.Sprintf("%d linear queries of %d values in the workload; at most %d of %d values are possible", n, values, query.MaxLinear, query.MaxLinearValues),
			"list fewer, or queries of fewer columns")
		return w, false
	}
	slices.SortStableFunc(w.Marginals, func(a, b query.Marginal) int { return a.Clique.Compare(b.Clique) })
	return w, true
}

// asked returns an entry of the domain file's workload: a marginal, or linear queries over its cells.
func (r *Request) asked(c domain.Clique, e schema.WorkloadEntry) (query.Marginal, error) {
	sizes := r.File.Domain.Sizes()
	if e.Query == nil {
		return query.Marginal{Clique: c, Weight: e.Weight}, nil
	}
	switch e.Query.Kind {
	case "count":
		return query.Conjunction(sizes, c, e.Query.Allowed)
	case "prefixes":
		values := sizes[c[0]]
		if null, ok := r.File.Domain.Attributes[c[0]].NullCode(); ok {
			values = int(null)
		}
		return query.Prefixes(sizes, c[0], values)
	case "halfspace":
		position := make([][]float64, len(c))
		for i, a := range c {
			for v := range sizes[a] {
				position[i] = append(position[i], float64(v))
			}
		}
		return query.HalfSpace(sizes, c, e.Query.Coefficients, position, e.Query.Least)
	case "parity":
		return query.Parity(sizes, c)
	}
	l, err := query.NewLinear([][]float64{e.Query.Values})
	return query.Marginal{Clique: c, Weight: 1, Queries: l}, err
}

// chooseWidth replaces no width by the default one, or by 2 if that makes too many marginals.
func (r *Request) chooseWidth(sizes []int, f *Faults) bool {
	fits := func(width int) bool {
		return query.CountMarginals(sizes, width, r.MaxCells, query.MaxMarginals) <= query.MaxMarginals
	}
	asked := orDefault(r.Marginals, query.DefaultWidth)
	if r.Marginals == 0 && !fits(asked) {
		r.narrowed = fmt.Sprintf("marginals of up to %d columns, as %d columns have more than %d of up to %d",
			asked-1, len(sizes), query.MaxMarginals, asked)
		asked--
	}
	if r.Marginals = asked; fits(asked) {
		return true
	}
	fix := "list those that matter under workload: in the domain file, or drop columns"
	for asked > 1 {
		if asked--; fits(asked) {
			fix = fmt.Sprintf("set --marginals=%d, ", asked) + fix
			break
		}
	}
	f.add("--marginals", fmt.Sprintf("%d columns have more than the %d marginals of up to %d columns that one run handles", len(sizes), query.MaxMarginals, r.Marginals), fix)
	return false
}

// ofWidth returns the number of sets of 1 to width among n columns.
func ofWidth(n, width int) int64 {
	all := int64(0)
	for k, c := 1, int64(1); k <= min(width, n); k++ {
		c = c * int64(n-k+1) / int64(k)
		all += c
	}
	return all
}
