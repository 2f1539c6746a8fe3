package population

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// all reads every row in one shard.
func all(r *Rows) []domain.Code {
	out := make([]domain.Code, r.Len()*int64(r.width))
	if n := r.Read(0, out); int64(n) != r.Len() {
		panic("population: a full read came short")
	}
	return out
}

func TestSystematicAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for trial := 0; trial < 60; trial++ {
		m := randomUniverse([]int{2, 3, 4}, rng)
		if trial%2 == 1 {
			m = randomColumns([]int{3, 2, 4}, 1+rng.IntN(40), rng)
		}
		n, u := 1+rng.Int64N(200), rng.Float64()
		s := newSystematic(m, n, u)
		var records []int
		m.sorted(func(i int) { records = append(records, i) })
		got, want := make([]domain.Code, 3), make([]domain.Code, 3)
		for r := int64(0); r < n; r++ {
			point := (float64(r) + u) * m.Total() / float64(n)
			i, sum := 0, 0.0
			for ; i < len(records); i++ {
				if sum += m.Weights[records[i]]; sum > point {
					break
				}
			}
			m.Record(records[i], want)
			s.row(r, got)
			must.Need(t, slices.Equal(got, want), "trial %d n %d row %d: got %v, want %v", trial, n, r, got, want)
		}
	}
}

func TestFindAgainstScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int64{1, 7, 100, 5000, 1_000_000} {
		m := randomUniverse([]int{6, 50}, rng)
		for i := range m.Weights { // very unequal, so that some guide entries span many records
			m.Weights[i] *= m.Weights[i] * m.Weights[i] * m.Weights[i]
		}
		s := newSystematic(m, n, .3)
		for q := 0; q < 2000; q++ {
			r := rng.Int64N(n)
			want := slices.IndexFunc(s.ends, func(e int64) bool { return e > r })
			got := s.find(r)
			must.Need(t, got == want, "n %d row %d: got record %d, want %d", n, r, got, want)
		}
	}
}

func TestShardsUnite(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	models := map[string]*Model{
		"universe": randomUniverse([]int{2, 3, 4, 5}, rng),
		"columns":  randomColumns([]int{2, 3, 4, 5}, 70, rng),
	}
	cliques := []domain.Clique{{0, 1}, {2, 3}}
	for name, m := range models {
		for _, n := range []int64{1, 2, 3, 4, 97, 1000} {
			for how, rows := range map[string]*Rows{
				"systematic": Systematic(m, n, 9), "refined": Refine(m, cliques, n, 9),
			} {
				want := all(rows)
				for _, shards := range []int64{1, 2, 7, n} {
					var got []domain.Code
					for s := int64(0); s < shards; s++ {
						got = append(got, block(rows, s*n/shards, (s+1)*n/shards, 1+rng.IntN(9))...)
					}
					must.Hold(t, slices.Equal(got, want), "%s %s n %d: %d shards differ from one", name, how, n, shards)
				}
				for p := int64(0); p < n; p++ {
					got := rows.At(p, make([]domain.Code, 4))
					must.Hold(t, slices.Equal(got, want[p*4:p*4+4]), "%s %s n %d: position %d differs", name, how, n, p)
				}
			}
		}
	}
}

// block reads positions from … to−1 in batches, as a shard does.
func block(r *Rows, from, to int64, batch int) []domain.Code {
	var out []domain.Code
	buf := make([]domain.Code, batch*r.width)
	for from < to {
		n := r.Read(from, buf[:min(int64(len(buf)), (to-from)*int64(r.width))])
		out = append(out, buf[:n*r.width]...)
		from += int64(n)
	}
	return out
}

func TestScatterIsAPermutation(t *testing.T) {
	for n := int64(1); n < 300; n++ {
		s := newScatter(n, uint64(n))
		seen := make([]bool, n)
		for p := int64(0); p < n; p++ {
			r := s.row(p)
			must.Need(t, !seen[r], "n %d: row %d twice", n, r)
			seen[r] = true
			if next := s.next(r); next != s.row((p+1)%n) {
				t.Fatalf("n %d position %d: next row %d, want %d", n, p, next, s.row((p+1)%n))
			}
		}
	}
}

func TestScatterSpreads(t *testing.T) {
	const n = 1_000_000
	for seed := uint64(0); seed < 20; seed++ {
		s := newScatter(n, seed)
		var count [50]int
		for p := int64(0); p < 1000; p++ { // the first thousandth of the output
			count[s.row(p)*50/n]++
		}
		// An interval holds its share of golden-ratio points to within 1.1·ln(1000)/2 = 3.8 or less.
		must.Hold(t, slices.Min(count[:]) >= 17 && slices.Max(count[:]) <= 23, "seed %d: rows per fiftieth %v", seed, count)
	}
}

// TestRowCounts checks the law of systematic rows: every range of sorted records has its exact share
// of rows to within 1.
func TestRowCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	m := randomUniverse([]int{5, 40}, rng)
	for _, n := range []int64{1, 3, 50, 200, 10_000, 1_000_000_000_000} {
		s := newSystematic(m, n, rng.Float64())
		rows := make([]int64, m.Len())
		from := int64(0)
		for j, end := range s.ends {
			rows[s.cells[j]] = end - from
			from = end
		}
		must.Need(t, from == n, "n %d: %d rows", n, from)
		sumRows, sumShare := 0.0, 0.0
		m.sorted(func(i int) {
			sumRows += float64(rows[i])
			sumShare += m.Weights[i] / m.Total() * float64(n)
			d := sumRows - sumShare
			must.Hold(t, d <= 1.01 && d >= -1.01, "n %d: %g rows too many up to record %d", n, d, i)
			must.Hold(t, m.Weights[i] != 0 || rows[i] <= 0, "n %d: record %d without weight has rows", n, i)
		})
	}
}

func TestExtremes(t *testing.T) {
	single := &Model{Sizes: []int{3, 2}, Columns: [][]domain.Code{{2}, {1}}, Weights: []float64{.1}}
	lone := &Model{Sizes: []int{3, 2}, Weights: []float64{0, 0, 0, 0, 5e-300, 0}}
	for name, c := range map[string]struct {
		m    *Model
		want []domain.Code
	}{"one record": {single, []domain.Code{2, 1}}, "one cell": {lone, []domain.Code{2, 0}}} {
		for _, n := range []int64{1, 2, 1000} {
			for seed := uint64(0); seed < 20; seed++ {
				got := all(NewRows(c.m, []domain.Clique{{0}, {0, 1}}, n, seed))
				must.Hold(t, slices.Equal(got, slices.Repeat(c.want, int(n))), "%s n %d seed %d: %v", name, n, seed, got)
			}
		}
		got := all(Systematic(c.m, 0, 1))
		must.Hold(t, len(got) == 0, "%s: no rows asked, got %v", name, got)
		r := Systematic(c.m, MaxRows, 1)
		must.Hold(t, r.At(MaxRows-1, make([]domain.Code, 2))[0] == 2, "%s: wrong last row of MaxRows", name)
	}
	must.Equal(t, Systematic(lone, 5, 1).Read(7, make([]domain.Code, 8)), 0, "read: rows beyond the end")
}

func TestRowsAreDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	m := randomColumns([]int{4, 3, 5}, 500, rng)
	cliques := []domain.Clique{{0, 1}, {1, 2}}
	one := all(NewRows(m, cliques, 800, 3))
	must.Hold(t, slices.Equal(one, all(NewRows(m, cliques, 800, 3))), "equal arguments, different rows")
	must.Hold(t, !slices.Equal(one, all(NewRows(m, cliques, 800, 4))), "another seed, equal rows")
}

func ExampleNewRows() {
	m := &Model{Sizes: []int{2, 2}, Weights: []float64{4, 0, 1, 3}} // the whole universe
	rows := NewRows(m, []domain.Clique{{0, 1}}, 8, 1)
	count := map[string]int{}
	codes := make([]domain.Code, 2)
	for p := int64(0); p < rows.Len(); p++ {
		count[fmt.Sprint(rows.At(p, codes))]++
	}
	fmt.Println(count)
	// Output: map[[0 0]:4 [1 0]:1 [1 1]:3]
}

func BenchmarkReadUniverse(b *testing.B) {
	rng := rand.New(rand.NewPCG(8, 1))
	m := randomUniverse([]int{2, 2, 5, 7, 10, 15, 16}, rng)
	for _, n := range []int64{48_842, 1_000_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rows := Systematic(m, n, 1)
			buf := make([]domain.Code, 4096*7)
			b.ReportAllocs()
			b.SetBytes(4096 * 14)
			for i := 0; b.Loop(); i++ {
				rows.Read(int64(i*4096)%(n-4096), buf)
			}
			b.ReportMetric(4096*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
