package evaluate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// TestMeanDeviationAgreesWithTheLaw sums |x − mean| over the hypergeometric law.
func TestMeanDeviationAgreesWithTheLaw(t *testing.T) {
	choose := func(n, k int) float64 {
		c := 1.0
		for i := range k {
			c = c * float64(n-i) / float64(i+1)
		}
		return c
	}
	for n := 1; n <= 14; n++ {
		for k := 0; k <= n; k++ {
			for s := 1; s <= n; s++ {
				want := 0.0
				for x := max(0, s+k-n); x <= min(s, k); x++ {
					p := choose(k, x) * choose(n-k, s-x) / choose(n, s)
					want += p * math.Abs(float64(x)-float64(s*k)/float64(n))
				}
				if got := meanDeviation(n, k, s, logChoose(n, s)); math.Abs(got-want) > 1e-12 {
					t.Errorf("meanDeviation(%d, %d, %d) = %v, want %v", n, k, s, got, want)
				}
			}
		}
	}
}

// By hand, for the two columns of TestCompareByHand with cells of 2, 2 and of 1, 3 rows: expected
// average TV 7/16, 5/24, 7/48 and 0 for samples of 1, 2, 3 and 4 rows.
func TestSubsampleRowsByHand(t *testing.T) {
	cells := tally{1: 1, 2: 2, 3: 1}
	for s, want := range map[int]float64{1: 7. / 16, 2: 5. / 24, 3: 7. / 48, 4: 0} {
		if got := expectedTV(cells.levels(), 4, s) / 2; math.Abs(got-want) > 1e-14 {
			t.Errorf("expected average TV of %d of 4 rows = %v, want %v", s, got, want)
		}
	}
	for _, row := range []struct {
		tv   float64
		want int
	}{{0.9, 1}, {0.44, 1}, {0.43, 2}, {0.21, 2}, {0.2, 3}, {0.15, 3}, {0.14, 4}, {0, 4}} {
		if got := subsampleRows(cells, 4, 2, row.tv); got != row.want {
			t.Errorf("subsampleRows at TV %g = %d, want %d", row.tv, got, row.want)
		}
	}
}

// TestExpectedTVAgreesWithSampling draws samples without replacement and compares their mean TV with
// the formula. It fails beyond 6 standard errors: by chance once in 5e8 runs of other seeds.
func TestExpectedTVAgreesWithSampling(t *testing.T) {
	d := people()
	table := randomTable(d, 3000, 0.4, 5)
	cliques := []domain.Clique{{0, 1, 2}, {1, 2, 3}}
	for _, s := range []int{3, 40, 700} {
		cells := tally{}
		for _, c := range cliques {
			counts := make([]int32, mustCells(t, c, table))
			table.count(counts, c)
			cells.add(counts)
		}
		want := expectedTV(cells.levels(), table.Rows, s) / float64(len(cliques))
		got, se := sampledTV(t, table, cliques, s, 1500)
		if math.Abs(got-want) > 6*se {
			t.Errorf("TV of samples of %d rows: mean %v ± %v, formula %v", s, got, se, want)
		}
	}
}

// sampledTV returns the mean, with its standard error, of the average TV of many samples of s rows.
func sampledTV(t *testing.T, table *Table, cliques []domain.Clique, s, samples int) (mean, se float64) {
	r := rand.New(rand.NewPCG(11, uint64(s)))
	sum, squares := 0.0, 0.0
	for range samples {
		picked := r.Perm(table.Rows)[:s]
		sample := &Table{Sizes: table.Sizes, Rows: s}
		for _, column := range table.Columns {
			codes := make([]domain.Code, s)
			for i, row := range picked {
				codes[i] = column[row]
			}
			sample.Columns = append(sample.Columns, codes)
		}
		tv := 0.0
		var counts scratch
		for _, c := range cliques {
			x, y := counts.count(table, sample, c)
			tv += difference(x, y, table.Rows, s).tv / float64(len(cliques))
		}
		sum += tv
		squares += tv * tv
	}
	n := float64(samples)
	mean = sum / n
	return mean, math.Sqrt((squares/n - mean*mean) / n)
}

func mustCells(t *testing.T, c domain.Clique, table *Table) int64 {
	cells, err := c.Cells(table.Sizes)
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// TestSubsampleRowsFindsItself: the expected TV of s rows is reached by s rows, and not by fewer.
func TestSubsampleRowsFindsItself(t *testing.T) {
	cells := tally{1: 400, 7: 90, 50: 31, 3000: 4, 40000: 1}
	const rows = 100000
	for _, s := range []int{1, 2, 17, 1000, 54321, rows - 1, rows} {
		tv := expectedTV(cells.levels(), rows, s) / 3
		if got := subsampleRows(cells, rows, 3, tv); got != s {
			t.Errorf("subsampleRows at the expected TV of %d rows = %d", s, got)
		}
	}
}
