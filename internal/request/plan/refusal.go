package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/solver"
)

// TooLarge reports whether err means that the universe, or the tables of the workload, exceed the memory limit.
func TooLarge(err error) bool {
	var u *dense.ErrUniverse
	var m *rake.ErrMemory
	return errors.As(err, &u) || errors.As(err, &m)
}

// Refusal explains why no method can run, and what would help: for a universe that is too large the columns to
// coarsen.
func Refusal(p solver.Problem, method string, err error) (what, fix string) {
	if m, ok := errors.AsType[*rake.ErrMemory](err); ok {
		return fmt.Sprintf("the tables worth scoring take %.3g GB; the memory limit is %.3g GB", m.Need/1e9, m.Limit/1e9),
			"lower --max_cells or --marginals, declare coarser columns, drop columns, or raise --memory_limit"
	}
	var u *dense.ErrUniverse
	if !errors.As(err, &u) {
		if _, unknown := methods.Lookup(method); unknown != nil && method != "auto" {
			return fmt.Sprintf("got %q; want auto or %s", method, strings.Join(methods.Names(), ", ")), ""
		}
		return err.Error(), "see dapple plan --method=auto"
	}
	what = universe(p, u)
	fix = "drop columns, or raise --memory_limit"
	if columns := coarsen(p, u.Cells/float64(u.Limit)); columns != "" {
		fix = "coarsen " + columns + ", " + fix
	}
	switch {
	case p.Workload.Linear() > 0:
		for _, m := range methods.All() {
			if _, err := m.Accesses(p); m.Linear && err == nil {
				fix += "; --method=" + m.Name + " answers linear queries in any domain"
				break
			}
		}
	case method != "auto":
		fix += "; --method=auto takes any domain"
	}
	return what, fix
}

// universe describes what does not fit.
func universe(p solver.Problem, u *dense.ErrUniverse) string {
	cells := fmt.Sprintf("%.3g", u.Cells)
	if math.IsInf(u.Cells, 1) {
		cells = "more than 1e308"
	}
	return fmt.Sprintf("the domain has %s cells; this method holds at most %.3g in %.3g GB", cells, float64(u.Limit), float64(p.Memory())/1e9)
}

// refusal explains in a line why an alternative method does not apply.
func refusal(p solver.Problem, method string, err error) string {
	if u := (*dense.ErrUniverse)(nil); errors.As(err, &u) {
		return universe(p, u)
	}
	return strings.TrimPrefix(err.Error(), method+": ") // the line begins with it
}

// coarsen halves the largest columns, one after the other, until the domain is smaller by the factor, and names them
// with the sizes that they would need. It returns nothing if even columns of two cells are too many.
func coarsen(p solver.Problem, factor float64) string {
	sizes := p.Domain.Sizes()
	was := slices.Clone(sizes)
	for factor > 1 {
		a := 0
		for i := range sizes {
			if sizes[i] > sizes[a] {
				a = i
			}
		}
		if sizes[a] <= 2 {
			return ""
		}
		half := (sizes[a] + 1) / 2
		factor *= float64(half) / float64(sizes[a])
		sizes[a] = half
	}
	var parts []string
	for i := range sizes {
		if sizes[i] < was[i] {
			parts = append(parts, fmt.Sprintf("%s from %d to %d cells", p.Domain.Attributes[i].Name, was[i], sizes[i]))
		}
	}
	return strings.Join(parts, ", ")
}
