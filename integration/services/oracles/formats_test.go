package oracles

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	tabular "github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/arrowio"
	_ "github.com/dapple-dp/dapple/io/avroio"
	_ "github.com/dapple-dp/dapple/io/jsonio"
)

// Files of Arrow, Avro and JSON lines as pyarrow, Polars, DuckDB, fastavro and Python's own json write them are read as the
// table that they hold, and are described as columns of its types.
func TestOursReadsOtherFormats(t *testing.T) {
	py, dir, tab := python(t), t.TempDir(), foreign()
	script(t, py, "testdata/formats.py", tab.write(t, parquetio.Options{}), dir)
	var want []string
	for _, c := range tab.chunks {
		_ = formattest.Rows(tab.d, &want)(c) // never fails
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	must.Need(t, err == nil && len(names) >= 17, "%v, %v", names, err)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src := must.Value(tabular.Find(t.Context(), name, nil))(t)
			must.Do(t, src.Check(t.Context(), tab.d, schema.CSV{}))
			var got []string
			must.Do(t, src.Each(t.Context(), tab.d, schema.CSV{}, formattest.Rows(tab.d, &got)))
			if !slices.Equal(got, want) {
				t.Errorf("%d rows of %d, or other cells", len(got), len(want))
				for i := range min(len(got), len(want)) {
					must.Need(t, got[i] == want[i], "row %d:\n got %s\nwant %s", i, got[i], want[i])
				}
			}
			columns, _, err := src.Describe(t.Context(), schema.CSV{})
			must.Do(t, err)
			for _, c := range columns {
				i := slices.Index(tab.d.Names(), c.Name)
				must.Hold(t, i < 0 || c.Untyped || c.Fault == "" && c.Type == tab.d.Attributes[i].Type, "column %s is described as %v (%s)", c.Name, c.Type, c.Fault)
			}
		})
	}
}

// Our files of these formats hold the table for pyarrow, Polars and DuckDB too.
func TestOthersReadOurFormats(t *testing.T) {
	py, tab := python(t), foreign()
	for k := range tab.d.Attributes {
		tab.d.Attributes[k].Other = tab.d.Attributes[k].Type == domain.String
	}
	args := []string{"testdata/seeformats.py", tab.write(t, parquetio.Options{})}
	for _, format := range []string{"arrow", "jsonl"} {
		args = append(args, formattest.File(t, format, tab.d, tab.chunks...))
	}
	script(t, py, args...)
}
