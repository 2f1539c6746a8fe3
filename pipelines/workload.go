package pipelines

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/workload"
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
	w = query.WithOrder(r.File.Domain, query.AllMarginals(sizes, r.Marginals, r.MaxCells))
	if r.File.Target != "" {
		w = w.Toward(r.File.Domain.Index(r.File.Target))
	}
	r.omitted = ofWidth(len(sizes), r.Marginals) - int64(len(w.Marginals))
	return w, true
}

// listed returns the domain file's workload.
func (r *Request) listed(f *Faults) (w query.Workload, ok bool) {
	if n := len(r.File.Workload); n > query.MaxMarginals {
		f.add("--domain", fmt.Sprintf("%d marginals in the workload; at most %d are possible", n, query.MaxMarginals), "list fewer")
		return w, false
	}
	w, err := workload.Listed(r.File)
	if err != nil {
		f.add("--domain", err.Error(), "")
		return w, false
	}
	w = query.WithRows(r.File.Domain, w, r.MaxCells)
	if r.File.Domain.Events != nil && !w.Whole() {
		f.add("--domain", "linear queries with values between -1, 0 and 1, and events, whose rows have weights", "use values of -1, 0 and 1")
		return w, false
	}
	values := 0
	for _, m := range w.Marginals {
		if m.Queries != nil {
			values += m.Queries.Queries() * m.Queries.Cells()
		}
	}
	if n := w.Linear(); n > query.MaxLinear || values > query.MaxLinearValues {
		f.add("--domain", fmt.Sprintf("%d linear queries of %d values in the workload; at most %d of %d values are possible", n, values, query.MaxLinear, query.MaxLinearValues),
			"list fewer, or queries of fewer columns")
		return w, false
	}
	return w, true
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
