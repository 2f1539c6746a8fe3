package lossdistributions

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const testdata = "../../../internal/dp/accountant/testdata/"

// figures are the parts of pld.json that are compared.
type figures struct {
	Cases []struct {
		Events           json.RawMessage
		Delta, Low, High float64
	}
}

// TestFiguresAreTheLibrarys runs the script that made the accountant's test data again.
func TestFiguresAreTheLibrarys(t *testing.T) {
	python := os.Getenv("DAPPLE_PYTHON")
	if python == "" {
		t.Skip("missing: Python with dp-accounting; set DAPPLE_PYTHON or run make services")
	}
	if exec.Command(python, "-c", "import dp_accounting").Run() != nil {
		t.Skip("missing: dp-accounting in the Python of DAPPLE_PYTHON")
	}
	out := must.Value(exec.CommandContext(t.Context(), python, testdata+"pld.py").Output())(t)
	kept := must.Value(os.ReadFile(testdata + "pld.json"))(t)
	var now, then figures
	must.Do(t, json.Unmarshal(out, &now))
	must.Do(t, json.Unmarshal(kept, &then))
	must.Need(t, len(now.Cases) == len(then.Cases), "%d figures, kept are %d", len(now.Cases), len(then.Cases))
	for i, n := range now.Cases {
		k := then.Cases[i]
		// Convolutions differ in the last digits between machines.
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*b }
		must.Hold(t, string(n.Events) == string(k.Events) && n.Delta == k.Delta && near(n.Low, k.Low) && near(n.High, k.High),
			"case %d is now %.9g to %.9g at δ = %g, kept is %.9g to %.9g at δ = %g", i, n.Low, n.High, n.Delta, k.Low, k.High, k.Delta)
	}
}
