package synth

import (
	"context"
	"fmt"
	"sync"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/solver"
)

// Solver runs an algorithm on a problem. It reads private data through the curator alone.
type Solver func(ctx context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error)

// Method is an algorithm that Solve can run. DoFns carry its name, and look it up where they run.
type Method struct {
	Name string
	// Accounting returns the kind of ledger that the algorithm charges at the given δ.
	Accounting func(dp.Delta) dp.Accounting
	// Accesses plans every access to private data, or says why the algorithm does not apply.
	Accesses func(solver.Problem) ([]solver.Access, error)
	// Schedule says whether the parameters of later accesses depend on earlier releases.
	Schedule accountant.Schedule
	Solve    Solver
}

var (
	methodsMu sync.RWMutex
	byName    = map[string]Method{}
)

// RegisterMethod makes m known under its name. Call it from an init function, so that every worker
// knows the method. It panics where the name is taken or a field is missing.
func RegisterMethod(m Method) {
	methodsMu.Lock()
	defer methodsMu.Unlock()
	if m.Name == "" || m.Accounting == nil || m.Accesses == nil || m.Solve == nil {
		panic("synth: a method needs a name, an accounting, a plan and a solver")
	}
	if _, taken := byName[m.Name]; taken {
		panic("synth: two methods of one name")
	}
	byName[m.Name] = m
}

func lookupMethod(name string) (Method, error) {
	methodsMu.RLock()
	defer methodsMu.RUnlock()
	m, ok := byName[name]
	if !ok {
		return Method{}, fmt.Errorf("synth: no method is called %q", name)
	}
	return m, nil
}

// ledger opens the ledger of a problem: of the method's kind, and for the noisy numbers that it plans
// to draw.
func (m Method) ledger(p solver.Problem) (*accountant.Ledger, error) {
	accesses, err := m.Accesses(p)
	if err != nil {
		return nil, err
	}
	params := accountant.Params{
		Neighbouring: p.Neighbouring,
		Accounting:   m.Accounting(p.Delta),
		Epsilon:      p.Epsilon,
		Delta:        p.Delta,
	}
	if params.Accounting == dp.GaussianOnly {
		for _, a := range accesses {
			params.Coordinates += int64(max(a.Count, 1)) * a.Coordinates
		}
	}
	return accountant.NewLedger(params)
}

// chooseMethod returns the method called name.
func chooseMethod(p solver.Problem, name string) (Method, error) { return lookupMethod(name) }
