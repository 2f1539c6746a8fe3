package evaluate

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestQueries compares answers with sums over the rows themselves, and what is left out of the marginals.
func TestQueries(t *testing.T) {
	f := parseDomain(t, "workload:\n  - {parity: [visited, sex]}\n  - {prefixes: age}\n")
	w := must.Value(toCompare(f, 2, 1000))(t)
	truth, other := randomTable(f.Domain, 300, 0.2, 1), randomTable(f.Domain, 200, 0.7, 2)
	report := must.Value(Compare(context.Background(), Tables{Real: truth, Synthetic: other}, w, f.Domain))(t)
	q := report.Real.Queries
	must.Need(t, q != nil && q.Number == w.Linear() && len(q.Worst) == q.Number && len(report.Real.Widths) == 2,
		"%d widths, queries %+v, want 2 widths and %d queries", len(report.Real.Widths), q, w.Linear())
	parity := func(x *Table) float64 {
		sum := 0.0
		for r := range x.Rows {
			sum += 1 - 2*float64((x.Columns[f.Domain.Index("visited")][r]+x.Columns[f.Domain.Index("sex")][r])%2)
		}
		return sum / float64(x.Rows)
	}
	prefix := func(x *Table, last int) float64 {
		n := 0
		for _, c := range x.Columns[f.Domain.Index("age")] {
			if int(c) <= last {
				n++
			}
		}
		return float64(n) / float64(x.Rows)
	}
	average, largest := 0.0, 0.0
	for i, x := range q.Worst {
		real, synthetic := prefix(truth, x.Index), prefix(other, x.Index)
		if strings.Join(x.Columns, " ") != "age" {
			real, synthetic = parity(truth), parity(other)
		}
		must.Hold(t, math.Abs(x.Real-real) <= 1e-12 && math.Abs(x.Synthetic-synthetic) <= 1e-12,
			"query %d: got %g and %g, want %g and %g", x.Index, x.Real, x.Synthetic, real, synthetic)
		must.Hold(t, i <= 0 || x.err() <= q.Worst[i-1].err(), "the worst do not come first")
		average += x.err() / float64(q.Number)
		largest = max(largest, x.err())
	}
	must.Hold(t, math.Abs(q.Average-average) <= 1e-12 && q.Largest == largest, "average %g and largest %g, want %g and %g", q.Average, q.Largest, average, largest)
}
