package synth

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/solver"
)

// planned holds a method to the accesses that it planned before anything was read: a statement of fixed noise is about no
// other run.
type planned struct {
	workload query.Workload
	maximal  []domain.Clique // the marginals that an access without cliques measures
	open     map[string][]solver.Access
	free     map[string]bool // stages with an adaptive access, which their share of the budget bounds
}

func newPlanned(p solver.Problem, accesses []solver.Access) *planned {
	out := &planned{workload: p.Workload, maximal: p.Workload.Maximal().Cliques(), open: map[string][]solver.Access{}, free: map[string]bool{}}
	for _, a := range accesses {
		out.open[a.Stage] = append(out.open[a.Stage], a)
		out.free[a.Stage] = out.free[a.Stage] || a.Adaptive
	}
	return out
}

// admit says why a request is not the next planned one of its stage; nil: it is.
func (p *planned) admit(r mechanism.Request, e accountant.Event) error {
	stage, known := p.open[r.Stage]
	switch {
	case !known:
		return fmt.Errorf("no access of stage %q is planned; add one to Accesses", r.Stage)
	case p.free[r.Stage]:
		return nil
	case len(stage) == 0:
		return fmt.Errorf("stage %q has made all its planned accesses; plan more, or declare them Adaptive", r.Stage)
	}
	if difference := p.differs(stage[0], r, e); difference != "" {
		return fmt.Errorf("stage %q planned %s; ask for what is planned, or declare the access Adaptive", r.Stage, difference)
	}
	if stage[0].Count--; stage[0].Count == 0 {
		p.open[r.Stage] = stage[1:]
	}
	return nil
}

// differs says how a request differs from a planned access; empty: it does not.
func (p *planned) differs(a solver.Access, r mechanism.Request, e accountant.Event) string {
	given := r.Method == mechanism.MeasureVariance || r.Method == mechanism.LaplaceMaxCell
	switch {
	case e.Kind != a.Kind:
		return fmt.Sprintf("%v and asks for %v", a.Kind, e.Kind)
	case given != (a.Noise > 0):
		return "a share and asks for given noise, or the other way round"
	case given && r.Noise != a.Noise:
		return fmt.Sprintf("noise of %g and asks for %g", a.Noise, r.Noise)
	case !given && !sameShare(r.Share, a.Share):
		return fmt.Sprintf("a share of %s and asks for %s", shareText(a.Share), shareText(r.Share))
	}
	asked := r.Cliques
	if r.Method == mechanism.MeasureQueries { // whose workload stands for cliques
		if asked = r.Workload.Cliques(); !p.knows(r.Workload) {
			return "linear queries of the problem's workload and asks for others"
		}
	}
	if len(asked) == 0 {
		return ""
	}
	want := a.Cliques
	if want == nil {
		want = p.maximal
	}
	if !slices.EqualFunc(asked, want, domain.Clique.Equal) {
		return fmt.Sprintf("%d marginals and asks for others", len(want))
	}
	if r.Method != mechanism.MeasureQueries && !slices.Equal(r.Precision, a.Precision) {
		return "other parts of the precision for its marginals"
	}
	return ""
}

// knows reports whether all linear queries that are asked for are of the problem's workload.
func (p *planned) knows(w query.Workload) bool {
	return !slices.ContainsFunc(w.Marginals, func(asked query.Marginal) bool {
		return asked.Queries != nil && !slices.ContainsFunc(p.workload.Marginals, func(m query.Marginal) bool {
			return m.Clique.Equal(asked.Clique) && reflect.DeepEqual(m.Queries, asked.Queries)
		})
	})
}

func sameShare(a, b dp.Share) bool { return a.Den > 0 && b.Den > 0 && a.Rat().Cmp(b.Rat()) == 0 }

func shareText(s dp.Share) string { return fmt.Sprintf("%d/%d", s.Num, s.Den) }
