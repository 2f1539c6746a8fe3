package population

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A list of rows is as large as its model, whatever the number of rows: the records that have rows, one
// end for each, and a guide of two entries for each. Building it allocates no more than a few times that,
// and reading allocates nothing.
func TestRowsTakeTheMemoryOfTheModel(t *testing.T) {
	const records, width = 2000, 3
	rng := rand.New(rand.NewPCG(11, 1))
	for name, m := range map[string]*Model{
		"records":  randomColumns([]int{30, 20, 40}, records, rng),
		"universe": randomUniverse([]int{10, 10, 20}, rng),
	} {
		for _, n := range []int64{1000, 1_000_000_000, MaxRows} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rows := Systematic(m, n, 5)
			runtime.ReadMemStats(&after)
			s := rows.list.(*systematic)
			must.Hold(t, len(s.ends) <= records && len(s.guide) <= 2*records+18 && len(s.codes) <= width*records && len(s.cells) <= records,
				"%s: %d rows are kept as %d ends, %d guides, %d codes, %d cells", name, n, len(s.ends), len(s.guide), len(s.codes), len(s.cells))
			// 8 bytes for an end, 8 for two guides, 6 for codes, 4 for an index, all up to fourfold for slices that grow.
			used := after.TotalAlloc - before.TotalAlloc
			must.Hold(t, used <= 100*records+200_000, "%s: %d rows allocate %d bytes", name, n, used)
			buf := make([]domain.Code, 64*width)
			got := testing.AllocsPerRun(100, func() { rows.Read(n-64, buf) })
			must.Hold(t, got == 0, "%s: reading allocates %v times", name, got)
		}
	}
}
