package privacy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/integration/research/rivals/dpampaper"
	"github.com/dapple-dp/dapple/integration/research/rivals/dpfwpaper"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/solver/rake"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

var relations = []dp.Neighbouring{dp.AddRemove, dp.Replace}

// method is an algorithm under test, and the kinds of ledgers that it charges.
type method struct {
	name  string
	kinds []dp.Accounting
	solve func(solver.Problem, solver.Curator) (*solver.Result, error)
}

var (
	throughDPAM = method{"dpam", []dp.Accounting{dp.Pure, dp.ZCDP, dp.GaussianOnly},
		func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpam.Solve(p, c) }}
	throughBlock = method{"dpfw block", []dp.Accounting{dp.Pure, dp.ZCDP},
		func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return dpfw.Solve(p, c) }}
	throughCell = method{"dpfw cell", []dp.Accounting{dp.Pure, dp.ZCDP},
		func(p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return dpfw.Settings{Form: dpfw.Cell}.Solve(p, c)
		}}
	throughPublishedDPAM = method{"dpam-paper", []dp.Accounting{dp.ZCDP},
		func(p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return dpampaper.Solve(p, c.(dpampaper.Curator))
		}}
	throughPublishedDPFW = method{"dpfw-paper", []dp.Accounting{dp.ZCDP},
		func(p solver.Problem, c solver.Curator) (*solver.Result, error) {
			return dpfwpaper.Solve(p, c.(dpfwpaper.Curator))
		}}
	throughRake = method{"rake", []dp.Accounting{dp.Pure, dp.ZCDP, dp.GaussianOnly},
		func(p solver.Problem, c solver.Curator) (*solver.Result, error) { return rake.Solve(p, c) }}
)

// problem asks for the given marginals; δ = 0 is pure.
func problem(sizes []int, cliques []domain.Clique, n dp.Neighbouring, epsilon dp.Epsilon, delta dp.Delta, rounds int) solver.Problem {
	w, d := query.Workload{Sizes: sizes}, &domain.Domain{}
	for _, c := range cliques {
		w.Marginals = append(w.Marginals, query.Marginal{Clique: c, Weight: 1})
	}
	for a, k := range sizes {
		at := domain.Attribute{Name: fmt.Sprint("a", a), Type: domain.String}
		for v := range k {
			at.Values = append(at.Values, fmt.Sprint("v", v))
		}
		d.Attributes = append(d.Attributes, at)
	}
	return solver.Problem{
		Domain: d, Workload: w, Neighbouring: n, Epsilon: epsilon, Delta: delta, Units: 20, MemoryLimit: 1 << 24, Rounds: rounds,
	}
}

// params returns a ledger's parameters for a problem.
func params(p solver.Problem, kind dp.Accounting) accountant.Params {
	a := accountant.Params{Neighbouring: p.Neighbouring, Accounting: kind, Epsilon: p.Epsilon, Delta: p.Delta}
	if kind == dp.GaussianOnly {
		a.Coordinates = 1000
	}
	return a
}

func newLedger(t testing.TB, p accountant.Params) *accountant.Ledger {
	t.Helper()
	l := must.Value(accountant.NewLedger(p))(t)
	return l
}

// newCurator returns a curator of t with the noise of the given run number, and its record.
func newCurator(tb testing.TB, t table, l *accountant.Ledger, run uint64) (*mechanism.Curator, *mechanism.Recorder) {
	tb.Helper()
	seed := must.Value(mechanism.SeedFromBytes([]byte("a fixed seed is for tests alone!")))(tb)
	config := sha256.Sum256(binary.BigEndian.AppendUint64(nil, run))
	record := &mechanism.Recorder{}
	c := must.Value(mechanism.New(t, mechanism.Params{
		Sizes: t.sizes, Ledger: l, Root: mechanism.NewRoot(seed, config, [32]byte{}), Recorder: record,
	}))(tb)
	return c, record
}
