package evaluate

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestDerivedColumnsAreCompared compares a column that is computed from another one, if both tables have it.
func TestDerivedColumnsAreCompared(t *testing.T) {
	dir := t.TempDir()
	domain := write(t, filepath.Join(dir, "d.yaml"), `
privacy_id: none
columns:
  - {name: size, type: INT64}
  - {name: plan, type: STRING, values: [a, b], other: true}
constraints:
  - {derive: size, from: plan, map: {a: 1, b: 3}, else: 9}
  - {derive: missing, from: size + 1}
`)
	truth := write(t, filepath.Join(dir, "true.csv"), "plan,size\na,1\na,1\nb,3\nb,3\n")
	for text, want := range map[string]struct {
		shapes string
		ks     float64
	}{
		"plan,size,missing\na,1,2\na,1,2\na,1,2\nb,3,4\n": {"plan size", .75},
		"plan\na\nb\n": {"plan", 0},
	} {
		c := Config{Domain: domain, Input: truth, Synthetic: write(t, filepath.Join(dir, "rows.csv"), text),
			JSON: filepath.Join(dir, "out.json"), HTML: filepath.Join(dir, "out.html")}
		must.Do(t, Run(t.Context(), c, io.Discard))
		var r Report
		data := must.Value(os.ReadFile(c.JSON))(t)
		must.Do(t, json.Unmarshal(data, &r))
		var names []string
		for _, item := range r.Real.Values.Shapes.Items {
			names = append(names, item.Columns[0])
			must.Hold(t, item.Columns[0] != "size" || item.Metric == "KSComplement" && math.Abs(float64(item.Score)-want.ks) <= 1e-12,
				"size: %s %v, want %v", item.Metric, item.Score, want.ks)
		}
		must.Equal(t, strings.Join(names, " "), want.shapes, "columns")
		k := len(names)
		must.Hold(t, len(r.Real.Values.Trends.Items) == k*(k-1)/2 && len(r.Real.Values.Columns) == k, "%d columns have %d pairs", k, len(r.Real.Values.Trends.Items))
	}
}
