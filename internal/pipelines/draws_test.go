package pipelines

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// drawnRows writes rows of draws of a release.
func drawnRows(c SampleConfig) (*Drawn, error) {
	r, err := ValidateSample(context.Background(), c)
	if err != nil {
		return nil, err
	}
	return RunDraws(context.Background(), r)
}

// TestRowsOfDraws: the rows of each draw are in a directory of their own; equal seeds give equal rows, whatever their number; a
// condition holds in all; and the mean of counts is near the model's, within its standard error times what 5 draws leave.
func TestRowsOfDraws(t *testing.T) {
	c := shop(t, 4000)
	mustRun(t, c)
	dir := t.TempDir()
	config := SampleConfig{Model: c.Output, Output: filepath.Join(dir, "more"), Format: "csv", Rows: 4000, Runner: "direct", SampleSeed: 9, HasSampleSeed: true, Draws: 5, Where: "plan != other"}
	d := must.Value(drawnRows(config))(t)
	var said report.DrawsResult
	b, err := d.JSON()
	must.Hold(t, err == nil && json.Unmarshal(b, &said) == nil && len(said.Draws) == 5 && said.Draws[4].Wrote.Output == config.Output+"_05" && d.WriteText(io.Discard) == nil,
		"%s, %v", b, err)
	config.Output, config.Draws = filepath.Join(dir, "again"), 6
	must.Value(drawnRows(config))(t)
	rows := func(name string, k int) string {
		b := must.Value(os.ReadFile(filepath.Join(dir, fmt.Sprintf("%s_%02d", name, k), "part-00000-of-00001.csv")))(t)
		return string(b)
	}
	var estimates []float64
	for k := 1; k <= 5; k++ {
		text := rows("more", k)
		must.Hold(t, text == rows("again", k) && text != rows("more", 1+k%5) && !strings.Contains(text, "\nother,"),
			"draw %d: other rows than with the same seed, the same as another draw's, or some that do not meet the condition", k)
		estimates = append(estimates, float64(strings.Count(text, "\npro,"))/4000)
	}
	a := must.Value(queried(QueryConfig{Dir: c.Output, SQL: "SELECT SHARE(plan = pro) FROM rows WHERE plan != other"}))(t)
	if e, err := synth.Combine(estimates, nil); err != nil || math.Abs(e.Estimate-a.Answers[0].Value) > 8*a.Answers[0].StandardError {
		t.Errorf("draws say %+v, %v; the model says %+v", e, err, a.Answers[0])
	}
}

// TestDrawsRefused: what cannot be drawn is refused before anything is written.
func TestDrawsRefused(t *testing.T) {
	c := shop(t, 400)
	mustRun(t, c)
	dir := t.TempDir()
	put(t, filepath.Join(dir, "full_01"), "a file")
	for name, tt := range map[string]struct {
		change func(c *SampleConfig)
		says   string
	}{
		"few":       {func(c *SampleConfig) { c.Draws = 3 }, "--draws: got 3; want 5 to 1000"},
		"many":      {func(c *SampleConfig) { c.Draws = 1001 }, "--draws: got 1001"},
		"dry rows":  {func(c *SampleConfig) { c.Model, c.Domain = "", filepath.Join(dir, "none.yaml") }, "--draws: together with --domain"},
		"a file":    {func(r *SampleConfig) { r.Model = filepath.Join(c.Output+".release", publish.ModelFile) }, "holds no release"},
		"condition": {func(c *SampleConfig) { c.Where = "size = 3" }, "--where"},
		"output":    {func(c *SampleConfig) { c.Output = filepath.Join(dir, "full") }, "full_01"},
	} {
		config := SampleConfig{Model: c.Output, Output: filepath.Join(dir, "more"), Rows: 10, Runner: "direct", Draws: 5}
		tt.change(&config)
		must.Fails(drawnRows(config))(t, tt.says, "%s", name)
	}
	flipByte(t, filepath.Join(c.Output+".release", publish.ErrorsFile))
	_, err := drawnRows(SampleConfig{Model: c.Output, Output: filepath.Join(dir, "more"), Rows: 10, Runner: "direct", Draws: 5})
	must.Fail(t, err, "_errors.json has changed", "an altered release")
	left, _ := filepath.Glob(filepath.Join(dir, "more*"))
	must.Hold(t, len(left) <= 0, "refused requests have left %q", left)
}
