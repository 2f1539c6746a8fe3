package synth

import (
	"context"
	"fmt"
	"sync"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/methods"
)

// Solver runs an algorithm on a problem. It reads private data through the curator alone.
type Solver func(ctx context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error)

// Method is an algorithm that Solve can run. DoFns carry its name, and look it up where they run.
type Method struct {
	Name string
	// Accounting returns the kind of ledger that the algorithm charges at the given δ.
	Accounting func(dp.Epsilon, dp.Delta) dp.Accounting
	// Accesses plans every access to private data, or says why the algorithm does not apply.
	Accesses func(solver.Problem) ([]solver.Access, error)
	// Solve makes exactly the accesses that Accesses planned, with noise that was fixed there.
	Solve Solver
}

var (
	methodsMu sync.RWMutex
	byName    = map[string]Method{}
)

// RegisterMethod makes m known under its name, besides those of package methods. Call it from an init
// function, so that every worker knows the method. It panics where the name is taken or a field is
// missing.
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

// chooseMethod returns the method called name: a registered one, one of package methods, or for "auto"
// the one that the public rule of that package picks.
func chooseMethod(p solver.Problem, name string) (Method, error) {
	if m, err := lookupMethod(name); err == nil {
		return m, nil
	}
	m, _, err := methods.Choose(p, name)
	if err != nil {
		return Method{}, fmt.Errorf("synth: method %q: %w", name, err)
	}
	return Method{
		Name: m.Name, Accounting: m.Accounting, Accesses: m.Accesses,
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return m.Solve(p, c)
		},
	}, nil
}

// ledger opens the ledger of a problem: of the method's kind, and for the noisy numbers that it plans
// to draw. Where that is Gaussian noise alone, it is the kind whose promise leaves more to spend.
func (m Method) ledger(p solver.Problem, planned []solver.Access) (*accountant.Ledger, error) {
	ledger, err := accountant.NewLedger(accountant.Params{
		Neighbouring: p.Neighbouring,
		Accounting:   m.Accounting(p.Epsilon, p.Delta),
		Epsilon:      p.Epsilon,
		Delta:        p.Delta,
		Coordinates:  max(1, solver.Coordinates(planned)),
	}.Preferred())
	if err != nil || !solver.Adaptive(planned) {
		return ledger, err
	}
	for _, a := range planned { // what an adaptive run releases must not move budget between stages
		if err := ledger.Allot(a.Stage, dp.ShareOf(a.Share.Num*int64(a.Count), a.Share.Den)); err != nil {
			return nil, err
		}
	}
	return ledger, nil
}

// schedule says whether the ledger holds exactly the planned accesses, which were fixed before private
// data were read. Of a run that made others, only the whole budget is a valid bound.
func schedule(planned []solver.Access, events []accountant.Event) accountant.Schedule {
	if solver.Adaptive(planned) {
		return accountant.Adaptive
	}
	open := map[string]int{}
	for _, a := range planned {
		open[a.Stage] += a.Count
	}
	for _, e := range events {
		open[e.Stage] -= e.Count
	}
	for _, n := range open {
		if n != 0 {
			return accountant.Adaptive
		}
	}
	return accountant.Planned
}
