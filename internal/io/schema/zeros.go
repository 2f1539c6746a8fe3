package schema

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"go.yaml.in/yaml/v3"
)

// impossible reads the list of combinations that cannot exist. Each is a mapping from columns to a value
// or a list of values, and stands for all records that have one of the values in every column named.
func (r *reader) impossible(d *domain.Domain, n *yaml.Node) {
	before := len(r.faults)
	for _, item := range r.list(n, "impossible") {
		if e, ok := r.exclusion(d, item); ok {
			d.StructuralZeros = append(d.StructuralZeros, e)
		}
	}
	if len(r.faults) > before {
		return
	}
	if _, ok := d.StructuralZeros.Witness(d.Sizes()); !ok {
		r.add(n, "impossible: together the combinations leave no possible record, or none that can be found; declare fewer")
	}
}

// relateCells puts gaps in place of columns in order that others do not name, and adds what the other orders and the dates of
// columns exclude.
func (r *reader) relateCells(d *domain.Domain, others []string, n *yaml.Node) {
	*d = *d.WithGaps(others)
	d.StructuralZeros = append(d.StructuralZeros, relation.Zeros(d)...)
	if _, ok := d.StructuralZeros.Witness(d.Sizes()); !ok {
		r.add(n, "constraints: the orders and the impossible combinations together leave no possible record, or none that can be found; declare fewer")
	}
}

// exclusion reads one combination; ok is false after a fault.
func (r *reader) exclusion(d *domain.Domain, n *yaml.Node) (e domain.Exclusion, ok bool) {
	if n.Kind != yaml.MappingNode {
		r.add(n, "impossible: got %s; a mapping such as {sex: Male, pregnant: true} is needed", kind(n))
		return e, false
	}
	before := len(r.faults)
	cells := map[int][]domain.Code{}
	for k, value := range pairs(n) {
		a := d.Index(k.Value)
		switch {
		case r.derived[k.Value]:
			r.add(k, "impossible: column %s is computed and not modelled; name the columns that it is computed from", quote(k.Value))
		case k.Kind != yaml.ScalarNode || a < 0:
			r.add(k, "impossible: no column is called %s; the columns are %s", kind(k), names(d))
		case cells[a] != nil:
			r.add(k, "impossible: column %s appears twice; give it a list of values", quote(k.Value))
		default:
			cells[a] = r.cellsOf(&d.Attributes[a], value, "impossible")
		}
	}
	if len(n.Content) < 4 {
		r.add(n, "impossible: at least two columns are needed; a value that never occurs is left out of its column instead")
	}
	for a := range cells {
		e.Clique = append(e.Clique, a)
	}
	slices.Sort(e.Clique)
	for _, a := range e.Clique {
		e.Codes = append(e.Codes, cells[a])
	}
	return e, len(r.faults) == before
}

// cellsOf reads a value or a list of values as cells of a, ascending. It is never nil.
func (r *reader) cellsOf(a *domain.Attribute, n *yaml.Node, key string) []domain.Code {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = r.list(n, key+": "+quote(a.Name))
	}
	codes := []domain.Code{}
	for _, item := range items {
		code, ok := r.cellOf(a, item, key)
		switch {
		case !ok:
		case slices.Contains(codes, code):
			r.add(item, "%s: column %s: %s appears twice; leave one out", key, quote(a.Name), kind(item))
		default:
			codes = append(codes, code)
		}
	}
	slices.Sort(codes)
	return codes
}

// cellOf reads the name of one cell: a category, what the cell other is written back as, null, or the
// lower end of a bin. A value inside a bin is refused, since it does not say that the whole bin is meant.
func (r *reader) cellOf(a *domain.Attribute, n *yaml.Node, key string) (domain.Code, bool) {
	what := key + ": column " + quote(a.Name)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Value != "" {
		code, ok := a.NullCode()
		if !ok {
			r.add(n, "%s: it has no null; add null: true to the column, or leave this out", what)
		}
		return code, ok
	}
	s, ok := r.text(n, what)
	if !ok {
		return 0, false
	}
	if len(a.Values) > 0 {
		if code, ok := category(a, s); ok {
			return code, true
		}
		r.add(n, "%s: %s is not among its values", what, quote(s))
		return 0, false
	}
	if a.Learned > 0 {
		r.add(n, "%s: its bins are learned from a release, so that none can be named; give the column bins or edges", what)
		return 0, false
	}
	below, exact, ok := lowerEnd(a, s)
	switch {
	case !ok:
		r.add(n, "%s: got %s; %s between the first and the last cut point is needed", what, quote(s), a.Wants())
	case !exact:
		r.add(n, "%s: %s lies inside the cell %s; name the cell by its lower end", what, quote(s), a.Label(below))
	}
	return below, ok && exact
}

// category returns the cell of a category, or of other by what it is written back as.
func category(a *domain.Attribute, s string) (domain.Code, bool) {
	if i := slices.Index(a.Values, s); i >= 0 {
		return domain.Code(i), true
	}
	if code, ok := a.OtherCode(); ok && s == a.OtherValue {
		return code, true
	}
	d := &domain.Domain{Attributes: []domain.Attribute{*a}} // 007 for 7, True for true
	code, usable := domain.NewEncoder(d).FromString(0, s)
	return code, usable && int(code) < len(a.Values)
}

// lowerEnd returns the bin that holds the value s, and whether s is its lower end; ok is false if s is
// no value between the first and the last cut point.
func lowerEnd(a *domain.Attribute, s string) (bin domain.Code, exact, ok bool) {
	if a.Type == domain.Float64 {
		v, err := strconv.ParseFloat(s, 64)
		bin, exact, ok = binOf(a.FloatCuts, v)
		return bin, exact, ok && err == nil
	}
	v, good := a.ParseNative(s)
	bin, exact, ok = binOf(a.Cuts, v)
	return bin, exact, ok && good
}

// binOf places v between ascending cut points; the last two may be equal.
func binOf[T cmp.Ordered](cuts []T, v T) (bin domain.Code, exact, ok bool) {
	last := len(cuts) - 1
	if !(cuts[0] <= v && v <= cuts[last]) {
		return 0, false, false
	}
	i := 0
	for i < last-1 && cuts[i+1] <= v {
		i++
	}
	return domain.Code(i), cuts[i] == v, true
}
