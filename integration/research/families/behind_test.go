package families

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// kind is a law of tables of columns that have as many values each.
type kind struct {
	name            string
	columns, values int
	width           int // of marginals
	units           int
	most            float64 // errors of the chosen method, of those of any other
	record          func(rng *rand.Rand, record []int)
}

// follow sets each column to the one before, moved on by one, in a part of the records.
func follow(values int, part float64) func(*rand.Rand, []int) {
	return func(rng *rand.Rand, record []int) {
		for a := range record {
			if record[a] = rng.IntN(values); a > 0 && rng.Float64() < part {
				record[a] = (record[a-1] + 1) % values
			}
		}
	}
}

// dense gives a part of the columns the value of one of 30 kinds, the first the most frequent.
func dense(values int, part float64) func(*rand.Rand, []int) {
	return func(rng *rand.Rand, record []int) {
		of := uint64(30 * rng.Float64() * rng.Float64())
		for a := range record {
			if record[a] = rng.IntN(values); rng.Float64() < part {
				record[a] = rand.New(rand.NewPCG(of, uint64(a))).IntN(values)
			}
		}
	}
}

// rare gives each column another value than the first in a part of the records.
func rare(values int, part float64) func(*rand.Rand, []int) {
	return func(rng *rand.Rand, record []int) {
		for a := range record {
			if record[a] = 0; rng.Float64() < part {
				record[a] = 1 + rng.IntN(values-1)
			}
		}
	}
}

// sums makes one column in four of five records the sum of three others.
func sums(values int) func(*rand.Rand, []int) {
	return func(rng *rand.Rand, record []int) {
		for a := range record {
			record[a] = rng.IntN(values)
		}
		if rng.IntN(5) > 0 {
			record[len(record)-1] = (record[0] + record[1] + record[2]) % values
		}
	}
}

// TestAutoIsNotBehind: of the chosen method, dpam and rake no other is nowhere ahead by more than a tenth, and of zeros a fifth, in average total variation, in
// the mean of three or more fixed seeds. Largest errors of so few seeds vary: half is allowed. Before, copies erred by 2.4 times as much, tables
// of three of dense columns by up to 23 % more, chains of four by 22 %, sums by 64 %, and columns of 95 % zeros by 45 %.
func TestAutoIsNotBehind(t *testing.T) {
	budgets := []dp.Epsilon{3, .3, 1, 10}
	if testing.Short() {
		budgets = budgets[:1]
	}
	for _, k := range []kind{
		{"copies", 6, 6, 3, 50_000, 1.1, follow(6, .99)},
		{"chain", 7, 4, 3, 50_000, 1.1, follow(4, .7)},
		{"dense", 7, 4, 3, 50_000, 1.1, dense(4, .6)},
		{"chain", 7, 4, 4, 50_000, 1.1, follow(4, .7)},
		{"zeros", 12, 2, 3, 20_000, 1.2, rare(2, .05)},
		{"sums", 7, 4, 4, 50_000, 1.1, sums(4)},
	} {
		seeds := max(3, 160_000/k.units) // few people are quick
		rng, names, sizes, columns := rand.New(rand.NewPCG(1, 47)), make([]string, k.columns), make([]int, k.columns), make([][]domain.Code, k.columns)
		record := make([]int, k.columns)
		for range k.units {
			k.record(rng, record)
			for a, v := range record {
				names[a], sizes[a], columns[a] = fmt.Sprint("c", a), k.values, append(columns[a], domain.Code(v))
			}
		}
		table := NewTable(k.name, Coded(names, sizes), columns)
		for _, epsilon := range budgets {
			var tv, largest [3]float64
			for i, method := range []string{"auto", "dpam", "rake"} {
				for seed := range seeds {
					s := must.Value(Solve(table, Request{Method: method, Epsilon: epsilon, Delta: 1e-9, Width: k.width, Unrecorded: true}, Fixed(uint64(seed))))(t)
					average, most := table.Errors(s.Problem.Workload.Maximal().Cliques(), func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
					tv[i], largest[i] = tv[i]+average/float64(seeds), largest[i]+most/float64(seeds)
				}
				must.Hold(t, tv[0] <= k.most*tv[i] && largest[0] <= 1.5*largest[i],
					"%s of %d, ε = %g: off by %.5f, most by %.5f; %s by %.5f and %.5f", k.name, k.width, float64(epsilon), tv[0], largest[0], method, tv[i], largest[i])
			}
			t.Logf("%s of %d, ε = %g: auto, dpam and rake are off by %.5f, most by %.5f", k.name, k.width, float64(epsilon), tv, largest)
		}
	}
}
