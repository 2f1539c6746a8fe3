package families

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/solver"
)

// Request is what a run is asked for.
type Request struct {
	Method       string // or "auto"
	Neighbouring dp.Neighbouring
	Epsilon      dp.Epsilon
	Delta        dp.Delta
	Width        int     // of the marginals of the workload; 0: 3
	Units        float64 // planning number; 0: the table's own
	Public       *solver.Public
	ErrorShare   dp.Share // of the budget, for measuring the error; 0: none
	Unrecorded   bool     // Solved has no calls: some methods' hold gigabytes of answers
}

// mostCells is the most cells of a marginal of a workload.
const mostCells = 10_000

// Problem returns the problem of a request on the table.
func (r Request) Problem(t *Table, seed uint64) solver.Problem {
	width, units := r.Width, r.Units
	if width == 0 {
		width = 3
	}
	if units == 0 {
		units = float64(t.rows)
	}
	return solver.Problem{Domain: t.Domain, Workload: query.AllMarginals(t.Domain.Sizes(), width, mostCells), Neighbouring: r.Neighbouring,
		Epsilon: r.Epsilon, Delta: r.Delta, Units: units, Seed: seed, MemoryLimit: 2 << 30, Public: r.Public, ErrorShare: r.ErrorShare}
}

// Randomness of a run: of the noise, and of what privacy does not depend on.
type Randomness struct {
	Noise mechanism.Seed
	Other uint64
}

// Fresh returns randomness of the operating system.
func Fresh() Randomness { return Randomness{mechanism.NewSeed(), rand.Uint64()} }

// Fixed returns randomness that is the same in every run, for tests and figures; it protects nobody.
func Fixed(seed uint64) Randomness {
	secret, err := mechanism.SeedFromBytes(binary.BigEndian.AppendUint64([]byte("fixed noise is for tests"), seed))
	if err != nil {
		panic("families: " + err.Error())
	}
	return Randomness{secret, seed}
}

// Solved is a run, with what the solver asked for and received.
type Solved struct {
	*solver.Result
	Method  solver.Method
	Problem solver.Problem
	Calls   []mechanism.Call
}

// Solve runs the request on the table with a ledger and noise as a pipeline has them.
func Solve(t *Table, r Request, random Randomness) (*Solved, error) {
	p := r.Problem(t, random.Other)
	p.Delta = methods.Delta(p, r.Method)
	m, _, err := methods.Choose(p, r.Method)
	if err != nil {
		return nil, err
	}
	accesses, err := m.Accesses(p)
	if err != nil {
		return nil, err
	}
	ledger, err := accountant.NewLedger(accountant.Params{
		Neighbouring: p.Neighbouring, Accounting: m.Accounting(p.Epsilon, p.Delta), Epsilon: p.Epsilon, Delta: p.Delta,
		Coordinates: max(1, solver.Coordinates(accesses)),
	}.Preferred())
	if err != nil {
		return nil, err
	}
	config, record := sha256.Sum256([]byte(m.Name)), &mechanism.Recorder{}
	if r.Unrecorded {
		record = nil
	}
	curator, err := mechanism.New(t, mechanism.Params{Sizes: t.Sizes, Ledger: ledger, Root: mechanism.NewRoot(random.Noise, config, config), Recorder: record})
	if err != nil {
		return nil, err
	}
	result, err := m.Solve(context.Background(), p, curator)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	s := &Solved{Result: result, Method: m, Problem: p}
	if record != nil {
		s.Calls = record.Calls
	}
	return s, nil
}
