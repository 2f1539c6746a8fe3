// Package workload makes workloads of the entries of domain files: files know no queries, and queries no files.
package workload

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/lists"
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
	sort(w.Marginals)
	return w, nil
}

func sort(list []query.Marginal) {
	slices.SortStableFunc(list, func(a, b query.Marginal) int { return a.Clique.Compare(b.Clique) })
}

// Name says which entry of a domain file queries are from.
type Name struct {
	ID     string // the entry's number, from 1
	Text   string // the entry
	Column string // of prefixes; else empty
}

// Names returns the names of a domain file's linear queries, in the order of Listed's.
func Names(f *schema.File) []Name {
	var list []query.Marginal // with the number of the entry in place of a weight
	for i, e := range f.Workload {
		if e.Query != nil {
			list = append(list, query.Marginal{Clique: clique(f.Domain, e), Weight: float64(i)})
		}
	}
	sort(list)
	out := make([]Name, len(list))
	for k, m := range list {
		i := int(m.Weight)
		out[k] = Name{ID: strconv.Itoa(i + 1), Text: f.Workload[i].Text}
		if f.Workload[i].Query.Kind == "prefixes" {
			out[k].Column = f.Workload[i].Columns[0]
		}
	}
	return out
}

// clique returns the columns of an entry.
func clique(d *domain.Domain, e schema.WorkloadEntry) domain.Clique {
	attrs := lists.Of(e.Columns, d.Index)
	return domain.NewClique(attrs...)
}

func marginal(d *domain.Domain, sizes []int, e schema.WorkloadEntry) (query.Marginal, error) {
	c := clique(d, e)
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
