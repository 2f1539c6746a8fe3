package plan

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

// Whole runs of wide tables, each once with a built program, take what is told of them, within a factor of 1.5. Both are of
// 200 columns with all pairs, of 1,000,000 records in CSV; the CPU of the second was measured on a busy machine, and is not
// compared.
func TestWholeRunsOfWideTables(t *testing.T) {
	for _, x := range []struct{ solveBytes, solveSeconds, countBytes, bytes, seconds float64 }{
		{335e6, 30, 8e6, 1.86e9, 64},
		{467e6, 39, 29.7e6, 2.5e9, 0},
	} {
		p := &Plan{Problem: solver.Problem{Units: 1e6}, Rows: 1e6, SolveBytes: x.solveBytes, SolveSeconds: x.solveSeconds, CountBytes: x.countBytes}
		bytes, seconds := wholeRun(p, 200, make([]domain.Clique, 200*199/2))
		if r := bytes / x.bytes; r < 1/1.5 || r > 1.5 {
			t.Errorf("%.3g bytes are told, and %.3g were taken", bytes, x.bytes)
		}
		if r := seconds / x.seconds; x.seconds > 0 && (r < 1/1.5 || r > 1.5) {
			t.Errorf("%.3g s are told, and %.3g s were taken", seconds, x.seconds)
		}
	}
}
