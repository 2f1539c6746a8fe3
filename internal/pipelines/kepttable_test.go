package pipelines

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// timesRead is how often a file of the format below was read.
var timesRead atomic.Int32

// CSV that counts how often it is read.
func init() {
	csv, _ := table.FormatOf("csv")
	f := *csv
	f.Name, f.Extensions, f.Read, f.ReadApart = "counted", []string{".counted"}, nil, nil
	f.Each = func(ctx context.Context, file files.Info, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error {
		timesRead.Add(1)
		return csv.Each(ctx, file, d, form, yield)
	}
	table.RegisterFormat(f)
}

// TestFoundRunReadsOnce: a table of texts is read once where its domain is found, and its rows come from the same records. It is read
// again where the declared forms of cells are known after the finding alone, by a strict run, and by one with the found file.
func TestFoundRunReadsOnce(t *testing.T) {
	text := string(must.Value(os.ReadFile(peopleCSV(t, 6000)))(t))
	for name, tt := range map[string]struct {
		text   string
		strict bool
		times  int32
	}{
		"texts":  {text, false, 1},
		"strict": {text, true, 2},
		"dates":  {strings.NewReplacer("Female", "31.12.2023", "Male", "30.11.2023").Replace(text), false, 2},
	} {
		dir := t.TempDir()
		c := Config{Input: filepath.Join(dir, "t.counted"), Output: filepath.Join(dir, "out"), PrivacyID: "id", Epsilon: 30, Delta: 1e-6, Strict: tt.strict, Format: "csv"}
		must.Do(t, os.WriteFile(c.Input, []byte(tt.text), 0o600))
		timesRead.Store(0)
		r := must.Value(ValidateFind(t.Context(), c))(t)
		must.Value(RunFound(t.Context(), r))(t)
		must.Equal(t, timesRead.Load(), tt.times, name+": times that the table was read")
		rows := 0
		for _, part := range must.Value(filepath.Glob(filepath.Join(c.Output, "part-*.csv")))(t) {
			rows += strings.Count(string(must.Value(os.ReadFile(part))(t)), "\n") - 1
		}
		if rows < 11_500 || rows > 12_500 { // noise of this budget moves them by less than a tenth as much
			t.Errorf("%s: %d rows were written for 12000", name, rows)
		}
		again := Config{Input: c.Input, Output: filepath.Join(dir, "again"), Domain: filepath.Join(c.Output+".release", publish.DomainFile), Epsilon: 1, Delta: 1e-6}
		must.Value(Run(t.Context(), must.Value(ValidateRun(t.Context(), again))(t)))(t)
		must.Equal(t, timesRead.Load(), tt.times+1, name+": times, with a run of the found file")
	}
}
