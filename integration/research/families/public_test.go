package families_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
	"github.com/dapple-dp/dapple/solver"
)

// TestPublic: at ε = .1 a public tenth of the rows of seven columns of Adult makes the largest error of rake at least a
// third lower, and the men among it at most a twentieth higher. Twelve fixed seeds: means of four were a fifth apart.
func TestPublic(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the runs, 15 CPU seconds; make nightly runs it")
	}
	adult, names := solvertest.Adult7(t), []string{"education", "marital", "occupation", "race", "sex", "income", "age"}
	columns := make([][]domain.Code, len(adult.Sizes))
	sex := -1
	for a, k := range adult.Sizes {
		if k == 2 && sex < 0 {
			sex = a
		}
	}
	for z, n := range adult.Counts {
		for range int(n) {
			for a, rest := len(columns)-1, z; a >= 0; a-- {
				columns[a] = append(columns[a], domain.Code(rest%adult.Sizes[a]))
				rest /= adult.Sizes[a]
			}
		}
	}
	table := families.NewTable("adult7", families.Coded(names, adult.Sizes), columns)
	largest := func(keep func(record []domain.Code) bool) float64 {
		const seeds = 12
		sum := 0.0
		for seed := range uint64(seeds) {
			r := families.Request{Method: "rake", Epsilon: .1, Delta: 4e-10, Unrecorded: true}
			if keep != nil {
				b, rng := solver.NewPublicBuilder(adult.Sizes), rand.New(rand.NewPCG(seed, 77))
				record := make([]domain.Code, len(columns))
				for row := range columns[0] {
					for a := range record {
						record[a] = columns[a][row]
					}
					if rng.IntN(10) == 0 && keep(record) {
						b.Add(record)
					}
				}
				p := must.Value(b.Table())(t)
				r.Public = p
			}
			s := must.Value(families.Solve(table, r, families.Fixed(seed+1)))(t)
			_, most := table.Errors(s.Problem.Workload.Maximal().Cliques(), func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
			sum += most / seeds
		}
		return sum
	}
	without, same := largest(nil), largest(func([]domain.Code) bool { return true })
	t.Logf("largest error %.4f, with public rows %.4f", without, same)
	must.Hold(t, same <= without*2/3, "largest error %.4f with public rows and %.4f without: want a third less", same, without)
	misled := largest(func(r []domain.Code) bool { return r[sex] == 1 })
	must.Hold(t, misled <= 1.05*without, "largest error %.4f with rows of one sex and %.4f without: want at most 5 %% more", misled, without)
}
