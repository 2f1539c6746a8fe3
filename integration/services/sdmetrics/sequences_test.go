package sdmetrics

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestSequences compares every score of sequences with the package's own.
func TestSequences(t *testing.T) {
	dir := t.TempDir()
	var want struct {
		Version   string
		Length    float64
		InterRow  map[string]float64 `json:"inter_row"`
		Statistic map[string]float64
	}
	must.Do(t, json.Unmarshal(compared(t, "testdata/sequences.py", dir), &want))
	must.Hold(t, want.Version == evaluate.SDMetrics, "SDMetrics is %s, the figures are called those of %s", want.Version, evaluate.SDMetrics)
	path := func(name string) string { return filepath.Join(dir, name) }
	err := evaluate.Run(t.Context(), evaluate.Config{Domain: path("histories.yaml"), Input: path("true.csv"), Synthetic: path("synthetic.csv"), JSON: path("report.json"), Marginals: 1}, io.Discard)
	must.Do(t, err)
	text := must.Value(os.ReadFile(path("report.json")))(t)
	var report evaluate.Report
	must.Do(t, json.Unmarshal(text, &report))
	got := report.Real.People.Sequences
	same := func(what string, got evaluate.Score, want float64) {
		must.Hold(t, math.Abs(float64(got)-want) <= 1e-6 && want != 1, "%s: %v, SDMetrics says %v", what, float64(got), want)
	}
	same("SequenceLengthSimilarity", got.Length, want.Length)
	for _, list := range []struct {
		items []evaluate.Item
		want  map[string]float64
	}{{got.InterRow.Items, want.InterRow}, {got.Statistic.Items, want.Statistic}} {
		must.Need(t, len(list.items) == 3 && len(list.want) == 3, "%d columns, SDMetrics has %d", len(list.items), len(list.want))
		for _, item := range list.items {
			same(item.Metric+" of "+item.Columns[0], item.Score, list.want[item.Columns[0]])
		}
	}
}
