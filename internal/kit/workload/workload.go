// Package workload makes workloads of the entries of domain files: files know no queries, and queries no files.
package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/schema"
)

// Listed returns the marginals and the linear queries that a domain file lists, in the order of their cliques. The
// error names the line of the first entry whose queries are not possible.
func Listed(f *schema.File) (query.Workload, error) {
	w := query.Workload{Sizes: f.Domain.Sizes()}
	for _, e := range f.Workload {
		m, err := marginal(f.Domain, w.Sizes, e)
		if err != nil {
			return w, fmt.Errorf("workload, line %d: %s", e.Line, strings.TrimPrefix(err.Error(), "query: "))
		}
		w.Marginals = append(w.Marginals, m)
	}
	slices.SortStableFunc(w.Marginals, func(a, b query.Marginal) int { return a.Clique.Compare(b.Clique) })
	return w, nil
}

func marginal(d *domain.Domain, sizes []int, e schema.WorkloadEntry) (query.Marginal, error) {
	attrs := make([]int, len(e.Columns))
	for i, name := range e.Columns {
		attrs[i] = d.Index(name)
	}
	c := domain.NewClique(attrs...)
	if e.Query == nil {
		return query.Marginal{Clique: c, Weight: e.Weight}, nil
	}
	switch e.Query.Kind {
	case "count":
		return query.Conjunction(sizes, c, e.Query.Allowed)
	case "prefixes":
		values := sizes[c[0]]
		if null, ok := d.Attributes[c[0]].NullCode(); ok {
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
