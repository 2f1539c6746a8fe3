package mechanism

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// table is a universe of counts, row-major, and its marginals by brute force.
type table struct {
	sizes []int
	cells []int64
}

func (t table) Units() (n int64) {
	for _, c := range t.cells {
		n += c
	}
	return n
}

func (t table) Marginal(c domain.Clique) []int64 {
	n, err := c.Cells(t.sizes)
	if err != nil {
		panic(err)
	}
	all := domain.All(len(t.sizes))
	strides := all.Strides(t.sizes)
	sums := make([]int64, n)
	record := make([]domain.Code, len(t.sizes))
	for z, count := range t.cells {
		for i := range record {
			record[i] = domain.Code(z / strides[i] % t.sizes[i])
		}
		sums[c.Cell(t.sizes, record)] += count
	}
	return sums
}

var square = []int{2, 2}

// small is the workload of all marginals of the 2×2 universe, with uneven public answers.
func small() (query.Workload, query.Answers) {
	w := query.AllMarginals(square, 2, 4)
	model := query.NewAnswers(w)
	for i, m := range model {
		for c := range m {
			m[c] = .3 + .37*float64(i) + .45*float64(c*c)
		}
	}
	return w, model
}

func ledger(t testing.TB, p accountant.Params) *accountant.Ledger {
	t.Helper()
	l := must.Value(accountant.NewLedger(p))(t)
	return l
}

// zcdp returns a ledger with room for everything.
func zcdp(t testing.TB, n dp.Neighbouring) *accountant.Ledger {
	return ledger(t, accountant.Params{Neighbouring: n, Epsilon: 8, Delta: 1e-6})
}

func pure(t testing.TB, n dp.Neighbouring) *accountant.Ledger {
	return ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.Pure, Epsilon: 8})
}

func gdp(t testing.TB, n dp.Neighbouring) *accountant.Ledger {
	return ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.GaussianOnly, Epsilon: 8, Delta: 1e-6, Coordinates: 10_000})
}

func root(t testing.TB) noise.Root {
	t.Helper()
	seed := must.Value(noise.SeedFromBytes([]byte("a fixed seed is for tests alone!")))(t)
	return noise.NewRoot(seed, [32]byte{1}, [32]byte{2})
}

func testGate(t testing.TB, cells []int64, l *accountant.Ledger) *gate {
	return newGate(table{square, cells}, Params{Sizes: square, Ledger: l, Root: root(t), Recorder: &Recorder{}})
}

var relations = []dp.Neighbouring{dp.AddRemove, dp.Replace}
