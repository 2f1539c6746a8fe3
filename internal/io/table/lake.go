package table

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// lakes are directories whose files are not the table: a log beside them says which of their rows have been deleted.
var lakes = []struct{ name, log, suffix, function string }{
	{"Delta", "_delta_log", "", "delta_scan"},
	{"Iceberg", "metadata", ".metadata.json", "iceberg_scan"},
}

// checkLake refuses a directory, or files in one or below it, that is a table of Delta or Iceberg.
func checkLake(ctx context.Context, dir string) error {
	for range 2 { // the files of Iceberg are one directory below
		for _, lake := range lakes {
			names, _ := files.Names(ctx, files.Join(dir, lake.log)) // what cannot be listed is none
			if slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, lake.suffix) }) {
				return fmt.Errorf("table: %s is a table of %s, whose files hold deleted rows too; turn it into Parquet, such as by duckdb -c \"INSTALL %s; LOAD %s; COPY (FROM %s('%s')) TO 'FILE.parquet'\"",
					dir, lake.name, strings.ToLower(lake.name), strings.ToLower(lake.name), lake.function, dir)
			}
		}
		up := files.Dir(dir)
		if up == dir || up == "." || files.IsBucket(up) {
			return nil
		}
		dir = up
	}
	return nil
}
