package dpam_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

// public returns 1,000 random records of a table that keep says are public.
func public(t *testing.T, table *solvertest.Table, rng *rand.Rand, keep func(record []domain.Code) bool) *solver.Public {
	b, record := solver.NewPublicBuilder(table.Sizes), make([]domain.Code, len(table.Sizes))
	for z, n := range table.Counts {
		for a, rest := len(record)-1, z; a >= 0; a-- {
			record[a], rest = domain.Code(rest%table.Sizes[a]), rest/table.Sizes[a]
		}
		for range int(n) {
			if rng.Float64() < .1 && keep(record) {
				b.Add(record)
			}
		}
	}
	p := must.Value(b.Table())(t)
	return p
}

// TestPublic: at ε = .1 a public tenth of the people makes the largest error at least a third lower, and a public table of
// those alone who have a 1 in the first column, .3 of them, at most 5 % higher. Means of 8 fixed seeds.
func TestPublic(t *testing.T) {
	table := solvertest.Tree10()
	p := solvertest.Problem(table, 3, dp.AddRemove, .1, false)
	errors := func(keep func([]domain.Code) bool) (largest, tv float64) {
		return solvertest.Mean(t, 8, func(seed uint64) solvertest.Score {
			p := p
			if keep != nil {
				p.Public = public(t, table, rand.New(rand.NewPCG(seed, 7)), keep)
			}
			return solvertest.Run(t, table, p, dp.ZCDP, 2.088e-4, seed, func(p solver.Problem, c *solvertest.Curator) (*solver.Result, error) {
				r, err := solve(p, c)
				must.Hold(t, err != nil || keep == nil || r.Public != nil && r.Public.Rows == p.Public.Rows,
					"the result is not of the public table %+v: %+v", p.Public, r)
				return r, err
			})
		})
	}
	without, _ := errors(nil)
	same, _ := errors(func([]domain.Code) bool { return true })
	other, _ := errors(func(r []domain.Code) bool { return r[0] == 1 })
	t.Logf("largest error %.4f without a public table, %.4f with one of the same people, %.4f with one of others", without, same, other)
	must.Hold(t, same <= without*2/3, "largest error %.4f, and %.4f without the public table: want a third less", same, without)
	must.Hold(t, other <= 1.05*without, "largest error %.4f with a misleading table, %.4f without: want at most 5 %% more", other, without)
}
