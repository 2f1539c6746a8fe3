package sdmetrics

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/csvio" // the tables are CSV
)

// expected is what the script writes: lists of columns, metric, score, and of pairs Pearson's r and Cramér's V of
// the true table.
type expected struct {
	Version string
	Cases   map[string]struct {
		Shapes, Trends [][]any
		AverageShapes  *float64 `json:"average_shapes"`
		AverageTrends  *float64 `json:"average_trends"`
		Overall        *float64
	}
}

// compared runs a script that makes tables in a directory and says what SDMetrics finds in them.
func compared(t *testing.T, script, dir string) []byte {
	t.Helper()
	python := os.Getenv("DAPPLE_SDMETRICS")
	if python == "" {
		t.Skip("missing: Python with sdmetrics; set DAPPLE_SDMETRICS or run make services")
	}
	if exec.Command(python, "-c", "import sdmetrics").Run() != nil {
		t.Skip("missing: sdmetrics in the Python of DAPPLE_SDMETRICS")
	}
	command := exec.CommandContext(t.Context(), python, script, dir)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	must.Need(t, err == nil, "%v\n%s", err, stderr.Bytes())
	return out
}

// TestQualityIsSDMetrics compares every score, of columns, of pairs and of the report, with the package's own.
func TestQualityIsSDMetrics(t *testing.T) {
	dir := t.TempDir()
	out := compared(t, "testdata/compare.py", dir)
	var want expected
	must.Do(t, json.Unmarshal(out, &want))
	must.Hold(t, want.Version == evaluate.SDMetrics, "SDMetrics is %s, the figures are called those of %s", want.Version, evaluate.SDMetrics)
	must.Need(t, len(want.Cases) != 0, "the script compared no tables")
	scores := 0
	for name, w := range want.Cases {
		path := func(suffix string) string { return filepath.Join(dir, name+suffix) }
		must.Do(t, evaluate.Run(t.Context(), evaluate.Config{
			Domain: path(".yaml"), Input: path("-true.csv"), Synthetic: path("-synthetic.csv"), JSON: path(".json"), Marginals: 1,
		}, io.Discard))
		text := must.Value(os.ReadFile(path(".json")))(t)
		var report evaluate.Report
		must.Do(t, json.Unmarshal(text, &report))
		got := report.Real.Values
		same := func(what string, got evaluate.Score, want any) {
			scores++
			x, ok := want.(float64)
			must.Hold(t, ok == got.Defined() && (!ok || math.Abs(x-float64(got)) <= 1e-6), "%s, %s: %v, SDMetrics says %v", name, what, float64(got), want)
		}
		must.Need(t, len(got.Shapes.Items) == len(w.Shapes) && len(got.Trends.Items) == len(w.Trends),
			"%s: %d columns and %d pairs, SDMetrics has %d and %d", name, len(got.Shapes.Items), len(got.Trends.Items), len(w.Shapes), len(w.Trends))
		for i, item := range got.Shapes.Items {
			s := w.Shapes[i]
			must.Hold(t, s[0] == item.Columns[0] && s[1] == item.Metric, "%s: %v by %s, SDMetrics has %v by %v", name, item.Columns, item.Metric, s[0], s[1])
			same(item.Columns[0], item.Score, w.Shapes[i][2])
		}
		for i, item := range got.Trends.Items {
			s, pair := w.Trends[i], item.Columns[0]+" × "+item.Columns[1]
			if s[0] != item.Columns[0] || s[1] != item.Columns[1] || s[2] != item.Metric {
				t.Errorf("%s: %s by %s, SDMetrics has %v by %v", name, pair, item.Metric, s[:2], s[2])
			}
			same(pair, item.Score, s[3])
			for _, association := range s[4:] {
				if association != nil {
					same(pair+" in truth", item.Association.Real, association)
				}
			}
		}
		same("Column Shapes", got.Shapes.Average, number(w.AverageShapes))
		same("Column Pair Trends", got.Trends.Average, number(w.AverageTrends))
		same("Overall Score", got.Overall, number(w.Overall))
	}
	t.Logf("%d figures of SDMetrics %s", scores, want.Version)
}

// number returns the number, or nil.
func number(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}
