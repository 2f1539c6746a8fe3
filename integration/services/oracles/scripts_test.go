package oracles

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// script runs a program that prints nothing unless it fails.
func script(t *testing.T, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // for what takes seconds
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	must.Need(t, err == nil, "%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
}

// seenBy reads what a script saw in the file at path.
func seenBy(t *testing.T, oracle, path string) *seen {
	t.Helper()
	b := must.Value(os.ReadFile(strings.TrimSuffix(path, "parquet") + oracle + ".json"))(t)
	var s seen
	must.Do(t, json.Unmarshal(b, &s))
	return &s
}

var (
	arrowTypes = map[domain.Type]string{
		domain.String: "string", domain.Int64: "int64", domain.Float64: "double", domain.Numeric: "decimal128(4, 2)", domain.Bool: "bool",
		domain.Date: "date32[day]", domain.DateTime: "timestamp[us]", domain.Timestamp: "timestamp[us, tz=UTC]", domain.Time: "time64[us]"}
	polarsTypes = map[domain.Type]string{
		domain.String: "String", domain.Int64: "Int64", domain.Float64: "Float64", domain.Numeric: "Decimal(precision=4, scale=2)",
		domain.Bool: "Boolean", domain.Date: "Date", domain.DateTime: "Datetime(time_unit='us', time_zone=None)",
		domain.Timestamp: "Datetime(time_unit='us', time_zone='UTC')", domain.Time: "Time"}
	// Physical and logical types as they stand in the file.
	fileTypes = map[domain.Type]string{
		domain.String: "BYTE_ARRAY STRING", domain.Int64: "INT64 INTEGER", domain.Float64: "DOUBLE", domain.Bool: "BOOLEAN",
		domain.Numeric: "FIXED_LEN_BYTE_ARRAY DECIMAL 4 2", domain.Date: "INT32 DATE", domain.DateTime: "INT64 TIMESTAMP MICROS false",
		domain.Timestamp: "INT64 TIMESTAMP MICROS true", domain.Time: "INT64 TIME MICROS false"}
)

func TestPyarrowAndPolarsReadOurs(t *testing.T) {
	py := python(t)
	dir := t.TempDir()
	files := writeAll(t, dir)
	script(t, py, "testdata/see.py", dir)
	for name, w := range files {
		t.Run("pyarrow/"+name, func(t *testing.T) {
			w.check(t, seenBy(t, "pyarrow", w.path), arrowTypes)
		})
		t.Run("polars/"+name, func(t *testing.T) {
			got := seenBy(t, "polars", w.path)
			got.Groups = w.groups() // Polars shows no more than cells and types
			for i := range got.Columns {
				got.Columns[i].Optional = w.d.Attributes[i].Null
			}
			w.check(t, got, polarsTypes)
		})
	}
}

// hyparquet is the strictest about the root: of a file whose root is REPEATED it reads lists.
func TestHyparquetReadsOurs(t *testing.T) {
	node := modules(t)
	dir := t.TempDir()
	files := writeAll(t, dir)
	script(t, "node", "testdata/see.mjs", dir, node)
	for name, w := range files {
		t.Run(name, func(t *testing.T) {
			w.check(t, seenBy(t, "hyparquet", w.path), fileTypes, domain.Numeric)
		})
	}
}
