package solver

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// Auto is the name of no method: it stands for the one that a public rule chooses.
const Auto = "auto"

// Method is an algorithm and its name in flags, reports and workers. Name, Accounting, Accesses and Solve are
// required.
type Method struct {
	Name    string
	Summary string // a line for plans

	// Accounting returns the kind of ledger that the algorithm charges at the given ε and δ.
	Accounting func(dp.Epsilon, dp.Delta) dp.Accounting
	// Accesses plans every access to private data, or says why the algorithm does not apply.
	Accesses func(Problem) ([]Access, error)
	// Solve runs the algorithm. It reads private data through the curator alone and makes exactly the
	// accesses that Accesses planned, with noise that was fixed there; others are refused, see Access.
	Solve func(context.Context, Problem, Curator) (*Result, error)

	// Comparison marks an algorithm that is kept for comparison: plans list it, and do not propose it.
	Comparison bool
	// With returns the method with the settings that Named put behind its name, as JSON; nil: it has none.
	With func(settings []byte) (Method, error)
	// Predict predicts the error of a run before it, on a table like the pattern, or on a typical table if the model is
	// nil. If Predict is nil, plans predict the error from the noise of what Accesses measure. b is the budget of
	// the run's ledger.
	Predict func(p Problem, b dp.Budget, like *Pattern) (Forecast, error)
	// LargestTable is the largest number of cells of a marginal that the algorithm measures; 0: any number. It
	// answers larger marginals from smaller ones.
	LargestTable int64
	// Widest is the largest number of columns of a marginal that the algorithm measures; 0: any number. It answers
	// wider marginals from narrower ones.
	Widest int
	// Limits describes the public limits of a run, for people; nil if the domain's size is the only one.
	Limits func(Problem) string
	// Learns reports that the algorithm learns the bins of columns that the domain gives none. For other methods
	// Register makes Accesses fail on such a domain.
	Learns bool
	// Linear reports that the algorithm answers linear queries. For other methods Register makes Accesses fail on a
	// workload that has some.
	Linear bool
	// Public reports that the algorithm uses a public table. For other methods Register makes Accesses fail on a problem
	// that has one.
	Public bool
	// Universe reports that the algorithm also measures the cells of the whole universe.
	Universe bool
	// Cost predicts the memory of the solve in bytes and its CPU time in seconds on one core. Register
	// replaces nil by a function that returns NaN, which plans call unknown.
	Cost func(Problem) (bytes, seconds float64)
}

// Forecast is the expected error of a run.
type Forecast interface {
	// TV returns the expected average total variation over the maximal marginals of the workload, NaN if it is not known.
	TV() float64
	// Of returns the same over the given marginals of one to three columns.
	Of(cliques []domain.Clique) float64
}

// Cliques returns the cliques that must be counted beyond the marginals of the workload.
func (m Method) Cliques(p Problem) []domain.Clique {
	if !m.Universe {
		return nil
	}
	whole := domain.All(p.Domain.Len())
	return []domain.Clique{whole}
}

var registry struct {
	sync.RWMutex
	methods []Method
}

// Register makes m available under its name everywhere: in synth.Solve, synth.Synthesize, and a command that the
// registering package is compiled into. Call it from an init function, so that every worker knows the method. It
// panics if the name is taken, or if a required field is missing.
func Register(m Method) {
	registry.Lock()
	defer registry.Unlock()
	if m.Name == "" || m.Accounting == nil || m.Accesses == nil || m.Solve == nil {
		panic("solver: a method needs a name, an accounting, accesses and a solver")
	}
	if m.Name == Auto || slices.ContainsFunc(registry.methods, func(o Method) bool { return o.Name == m.Name }) {
		panic("solver: the name of a method is taken")
	}
	registry.methods = append(registry.methods, guarded(m))
}

// Named returns the name of a method with settings: as JSON behind its name, unless that is {}. A request can have the name
// wherever it has the name of a method, if the method has With.
func Named(method string, settings any) string {
	b, err := json.Marshal(settings)
	if err != nil {
		panic("solver: the settings of a method are no plain data: " + err.Error())
	}
	if string(b) == "{}" {
		return method
	}
	return method + string(b)
}

// guarded refuses for a method what it does not know, and keeps its reserves.
func guarded(m Method) Method {
	if with := m.With; with != nil {
		m.With = func(settings []byte) (Method, error) {
			of, err := with(settings)
			if err != nil {
				return of, fmt.Errorf("method %s with settings %s: %w", m.Name, settings, err)
			}
			of.With = nil
			return guarded(of), nil
		}
	}
	if m.Cost == nil {
		m.Cost = func(Problem) (bytes, seconds float64) { return math.NaN(), math.NaN() }
	}
	accesses := m.Accesses
	m.Accesses = func(p Problem) ([]Access, error) {
		if n := p.Workload.Linear(); n > 0 && !m.Linear {
			return nil, fmt.Errorf("%s: it answers marginals alone, and the workload has %d linear queries; use method %s", m.Name, n, strings.Join(those(func(m Method) bool { return m.Linear }), ", "))
		}
		if p.Public != nil && !m.Public {
			return nil, fmt.Errorf("%s: it has no use for a public table; leave that out, or use method %s", m.Name, strings.Join(those(func(m Method) bool { return m.Public }), ", "))
		}
		if !m.Learns {
			if err := learned(m.Name, p.Domain); err != nil {
				return nil, err
			}
		}
		return accesses(p)
	}
	return reserving(m)
}

// those names the methods that are as asked.
func those(asked func(Method) bool) []string {
	var names []string
	for _, m := range Methods() {
		if asked(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// learned returns an error for a domain whose bins are to be learned.
func learned(method string, d *domain.Domain) error {
	var names []string
	for i := 0; d != nil && i < d.Len(); i++ {
		if d.Attributes[i].Learned > 0 {
			names = append(names, strconv.Quote(d.WithoutGaps().Attributes[i].Name)) // as it is declared
		}
	}
	if len(names) == 0 {
		return nil
	}
	if len(names) > 5 {
		names = append(names[:4:4], fmt.Sprintf("%d more", len(names)-4))
	}
	return fmt.Errorf("%s works with bins that the domain declares, and some columns have none: %s; "+
		"give them bins, edges or values, or use method rake, which learns bins", method, strings.Join(names, ", "))
}

// Methods returns every method that is registered, in the order of registration. Methods of this module are among them in
// a program that imports transforms/synth.
func Methods() []Method {
	registry.RLock()
	defer registry.RUnlock()
	return slices.Clone(registry.methods)
}
