package privacy

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/mechanism"
	"github.com/dapple-dp/dapple/dp/noise"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpam"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

var relations = []dp.Neighbouring{dp.AddRemove, dp.Replace}

// method is an algorithm under test.
type method struct {
	name  string
	solve func(solver.Problem, solver.Curator) (*solver.Result, error)
}

var methods = []method{
	{"dpam", func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpam.Solve(p, c) }},
	{"dpfw block", func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpfw.Solve(p, c) }},
	{"dpfw cell", func(p solver.Problem, c solver.Curator) (*solver.Result, error) {
		return dpfw.Settings{Form: dpfw.Cell}.Solve(p, c)
	}},
}

// problem asks for the given marginals; δ = 0 is pure.
func problem(sizes []int, cliques []domain.Clique, n dp.Neighbouring, epsilon dp.Epsilon, delta dp.Delta, rounds int) solver.Problem {
	w := query.Workload{Sizes: sizes}
	for _, c := range cliques {
		w.Marginals = append(w.Marginals, query.Marginal{Clique: c, Weight: 1})
	}
	return solver.Problem{
		Workload: w, Neighbouring: n, Epsilon: epsilon, Delta: delta, Units: 20, MemoryLimit: 1 << 24, Rounds: rounds,
	}
}

func params(p solver.Problem) accountant.Params {
	a := accountant.Params{Neighbouring: p.Neighbouring, Epsilon: p.Epsilon, Delta: p.Delta}
	if p.Delta == 0 {
		a.Accounting = dp.Pure
	}
	return a
}

func newLedger(t testing.TB, p accountant.Params) *accountant.Ledger {
	t.Helper()
	l, err := accountant.NewLedger(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// newCurator returns a curator of t whose noise is that of the given run number, and its record.
func newCurator(tb testing.TB, t table, l *accountant.Ledger, run uint64) (*mechanism.Curator, *mechanism.Recorder) {
	tb.Helper()
	seed, err := noise.SeedFromBytes([]byte("a fixed seed is for tests alone!"))
	if err != nil {
		tb.Fatal(err)
	}
	config := sha256.Sum256(binary.BigEndian.AppendUint64(nil, run))
	record := &mechanism.Recorder{}
	c, err := mechanism.New(t, mechanism.Params{
		Sizes: t.sizes, Ledger: l, Root: noise.NewRoot(seed, config, [32]byte{}), Recorder: record,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return c, record
}
