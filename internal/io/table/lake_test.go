package table_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestLakes: directories of Delta and Iceberg are refused by name, also if their files are named; partitions are not.
func TestLakes(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"delta/_delta_log/00000000000000000000.json", "delta/a.parquet", "ice/metadata/v1.metadata.json", "ice/data/a.parquet",
		"hive/sex=F/a.parquet", "hive/sex=M/a.parquet", "plain/metadata/notes.txt", "plain/a.parquet",
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, nil, 0o600))
	}
	for input, want := range map[string]string{
		"delta": "is a table of Delta", "delta/": "is a table of Delta", "delta/*.parquet": "is a table of Delta", "delta/a.parquet": "delta_scan(",
		"ice": "is a table of Iceberg", "ice/data/*.parquet": "iceberg_scan(",
		"hive/*/*.parquet": "", "hive": "", "hive/sex=F/*.parquet": "", "plain/*.parquet": "",
	} {
		_, err := table.Find(context.Background(), dir+"/"+input, table.Options{})
		must.Hold(t, (want != "" || err == nil || strings.Contains(err.Error(), "no format")) && (want == "" || err != nil && strings.Contains(err.Error(), want)),
			"%s: got %v, want %q", input, err, want)
	}
}
