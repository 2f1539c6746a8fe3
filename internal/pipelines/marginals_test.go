package pipelines

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Structural zeros hold from the domain file to the rows of a run and of a later sampling, for every
// method, though private records break them. The noisy number of units stands for the rows of neither: what
// is checked holds in every run.
func TestStructuralZerosEndToEnd(t *testing.T) {
	for _, method := range []string{"rake", "dpam", "dpfw"} {
		c := shop(t, 400)
		declared := shopDomain + "impossible:\n  - {plan: [basic, other], active: true}\n  - {plan: pro, age: [18, null]}\n"
		must.Do(t, os.WriteFile(c.Domain, []byte(declared), 0o666))
		c.Method, c.Format, c.Rows = method, "csv", 300
		mustRun(t, c)
		possible(t, method, c.Output, 300)
		again := SampleConfig{Model: c.Output, Output: filepath.Join(t.TempDir(), "more"),
			Format: "csv", Rows: 500, Runner: "direct"}
		r := must.Value(ValidateSample(context.Background(), again))(t)
		must.Value(RunSample(context.Background(), r))(t)
		possible(t, method+", sampled", again.Output, 500)
	}
}

// possible reports rows that TestStructuralZerosEndToEnd declares impossible, and another number of rows than want.
func possible(t *testing.T, what, dir string, want int) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "part-*.csv"))
	must.Need(t, err == nil && len(files) != 0, "%s: files %v, %v", what, files, err)
	rows := 0
	for _, name := range files {
		f := must.Value(os.Open(name))(t)
		lines := must.Value(csv.NewReader(f).ReadAll())(t)
		for _, l := range lines[1:] {
			rows++
			first := l[1] == "" || len(l[1]) == 2 && l[1] < "38"
			must.Need(t, (l[0] != "basic" && l[0] != "other" || l[2] != "true") && (l[0] != "pro" || !first), "%s: row %q is impossible", what, l)
		}
		f.Close()
	}
	must.Hold(t, rows == want, "%s: %d rows, want %d", what, rows, want)
}

// The table of marginals: every cell of the workload once, shares that sum to 1, noisy answers where some
// were bought, standard errors for both kinds of fit.
//
// Standard errors are shares of the released number of units, 4000 with a standard deviation below 50. One is
// above 1 only where that number is more than 70 of these off.
func TestMarginalsFile(t *testing.T) {
	schema := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "marginal", Type: domain.String}, {Name: "cell", Type: domain.String}, {Name: "fitted", Type: domain.Float64},
		{Name: "fitted_standard_error", Type: domain.Float64, Null: true},
		{Name: "noisy", Type: domain.Float64, Null: true}, {Name: "standard_error", Type: domain.Float64, Null: true},
		{Name: "fitted_error_from", Type: domain.String, Values: []string{"measured", "scored", "pooled", "certificate", "bound"}, Other: true, OtherValue: "?"},
		{Name: "fitted_high", Type: domain.Float64, Null: true}}}
	for method, bought := range map[string]int{"dpam": 4 * 5 * 2, "rake": 4 + 5 + 2, "dpfw": 0} {
		c := shop(t, 4000)
		c.Method = method
		res := mustRun(t, c)
		said := res.Privacy.Marginals
		must.Hold(t, said.Marginals == 7 && said.Of == 7 && said.Cells == 4+5+2+20+8+10+40, "%s: %+v", method, said)
		r := must.Value(parquetio.OpenFile(c.Output+".release/_marginals.parquet", schema, parquetio.ReadOptions{}))(t)
		sum, noisy, intervals, rows := 0.0, 0, int64(0), 0
		for chunk, err := range r.Chunks() {
			must.Do(t, err)
			rows += chunk.Rows
			for i := range chunk.Rows {
				sum += chunk.Columns[2].Floats[i]
				if x := chunk.Columns[3].Floats[i]; !chunk.Columns[3].Null(i) && x > 0 && x < 1 {
					intervals++
				}
				b, s := chunk.Columns[2].Floats[i], chunk.Columns[3].Floats[i] // the lower end is 0 at least
				x := chunk.Columns[7].Floats[i]
				must.Need(t, x >= b+min(1.95*s, max(1.63*s, b)), "an interval's upper end, %g, is nearer than its lower one", x)
				must.Need(t, !chunk.Columns[6].Null(i), "a standard error without a source")
				must.Need(t, chunk.Columns[4].Null(i) == chunk.Columns[5].Null(i), "a noisy answer without a standard error, or the reverse")
				if !chunk.Columns[4].Null(i) {
					noisy++
				}
			}
		}
		must.Do(t, r.Close())
		must.Hold(t, math.Abs(sum-7) <= 1e-9 && noisy == bought && int64(rows) == said.Cells && intervals == said.Intervals && intervals == said.Cells,
			"%s: shares sum to %g, %d noisy, %d rows, %d with intervals; %+v", method, sum, noisy, rows, intervals, said)
	}
}
