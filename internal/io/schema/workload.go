package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/dp/domain"
)

// WorkloadEntry is a marginal that people care for, or linear queries over its cells.
type WorkloadEntry struct {
	Columns []string // at least one, all of them in the domain, all different
	Weight  float64  // above 0; 1 if the file gives none
	Line    int      // where the file declares it
	Query   *Query   // nil: the marginal; else Columns are in the order of the domain
	Text    string   // of a query: the entry on one line, cut off if it is long
}

// target reads a workload that names the column whose marginals matter most.
func (r *reader) target(f *File, n *yaml.Node) {
	m, ok := r.mapping(n, "workload", targetKeys.names()...)
	if !ok {
		return
	}
	if !m.has("target") {
		r.add(n, "workload: no target; name a column, as in {target: income}, or list marginals, as in [{columns: [a, b]}]")
		return
	}
	name, ok := r.text(m.values["target"], "workload: target")
	switch {
	case !ok:
	case r.derived[name]:
		r.add(m.values["target"], "workload: target: column %s is computed and not modelled; name a column that it is computed from", quote(name))
	case f.Domain != nil && f.Domain.Index(name) < 0:
		r.add(m.values["target"], "workload: target: no column is called %s; the columns are %s", quote(name), names(f.Domain))
	default:
		f.Target = name
	}
}

// workload reads the list of marginals, or the column that they are to predict.
func (r *reader) workload(f *File, n *yaml.Node) {
	if n != nil && n.Kind == yaml.MappingNode {
		r.target(f, n)
		return
	}
	for _, item := range r.list(n, "workload") {
		m, ok := r.mapping(item, "workload", workloadKeys.names()...)
		if !ok {
			continue
		}
		e := WorkloadEntry{Weight: 1, Line: item.Line}
		if slices.ContainsFunc(queryKeys, m.has) {
			if f.Domain != nil {
				r.query(f.Domain, m, &e)
				e.Text = entryText(item)
				f.Workload = append(f.Workload, e)
			}
			continue
		}
		if !m.has("columns") {
			r.add(item, "workload: no columns; name at least one, such as {columns: [a, b]}")
			continue
		}
		e.Columns = r.texts(m.values["columns"], "workload: columns")
		for _, c := range e.Columns {
			switch {
			case r.derived[c]:
				r.add(m.values["columns"], "workload: column %s is computed and not modelled, and has no marginals; name the columns that it is computed from", quote(c))
			case f.Domain != nil && f.Domain.Index(c) < 0:
				r.add(m.values["columns"], "workload: no column is called %s; the columns are %s", quote(c), names(f.Domain))
			}
		}
		if m.has("weight") {
			e.Weight = r.weight(m.values["weight"])
		}
		f.Workload = append(f.Workload, e)
	}
}

// names lists the columns of a domain, the first ones if there are many.
func names(d *domain.Domain) string {
	out := d.Names()
	if len(out) > 20 {
		out = append(out[:20], "…")
	}
	return strings.Join(out, ", ")
}

// weight reads the weight of a marginal.
func (r *reader) weight(n *yaml.Node) float64 {
	s, ok := r.text(n, "workload: weight")
	if !ok {
		return 1
	}
	w, err := strconv.ParseFloat(s, 64)
	if err != nil || !(w > 0) || math.IsInf(w, 0) {
		r.add(n, "workload: weight: got %s; a number above 0 is needed", quote(s))
	}
	return w
}
