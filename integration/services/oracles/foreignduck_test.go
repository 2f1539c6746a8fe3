package oracles

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
)

// Files of DuckDB: both versions of its pages, all its codecs, all its types that hold the cells.
func TestOursReadsDuckDB(t *testing.T) {
	db, tab := openDuck(t), foreign()
	source, dir := tab.write(t, parquetio.Options{}), t.TempDir()
	run(t, db, "create table t as from '"+source+"'")
	run(t, db, "create type category as enum (select distinct s from t where s is not null)")
	write := func(name, replace, options string) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".parquet")
			run(t, db, fmt.Sprintf("copy (select * replace (%s) from t) to '%s' (format parquet, %s)", replace, path, options))
			tab.reads(t, path)
		})
	}
	for _, version := range []string{"v1", "v2"} {
		version := "parquet_version " + version
		name := version[len(version)-2:] + "_"
		for _, codec := range []string{"uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4", "lz4_raw"} {
			write(name+codec, "i as i", version+", codec "+codec)
		}
		for _, size := range []string{"1", "150", "100000"} {
			write(name+"groups"+size, "i as i", version+", row_group_size "+size)
		}
		write(name+"plain", "i as i", version+", dictionary_size_limit 0")
		for _, typ := range strings.Fields("tinyint smallint integer utinyint usmallint uinteger ubigint") {
			write(name+typ, "i::"+typ+" as i", version)
		}
		for _, p := range []string{"5, 2", "9, 2", "18, 2", "18, 4", "38, 2", "38, 9"} {
			write(name+"decimal"+p, "d::decimal("+p+") as d", version)
		}
		for _, typ := range strings.Fields("timestamp_s timestamp_ms timestamp_ns") {
			write(name+typ, "dt::"+typ+" as dt", version)
		}
		write(name+"float", "f::float as f", version)
		write(name+"enum", "s::category as s", version)
	}
}

func TestOursRefusesOfDuckDB(t *testing.T) {
	db, dir := openDuck(t), t.TempDir()
	for name, tc := range map[string]struct {
		x     string
		types []domain.Type
		want  string
	}{
		"uuid":     {"uuid()", everyType(domain.String), "does not read as"},
		"hugeint":  {"1::hugeint", everyType(domain.Float64, domain.Int64), "DOUBLE without a logical type does not read as"},
		"blob":     {"'a'::blob", everyType(domain.String), "does not read as"},
		"json":     {"'[1]'::json", everyType(domain.String), "JSON does not read as"},
		"list":     {"[1, 2]", everyType(), "RECORD or REPEATED does not read as"},
		"struct":   {"{'a': 1}", everyType(), `column "x": RECORD or REPEATED does not read as`},
		"nested":   {"[{'a': [1]}]", everyType(), "RECORD or REPEATED does not read as"},
		"map":      {"map {'a': 1}", everyType(), "RECORD or REPEATED does not read as"},
		"interval": {"interval 1 day", everyType(), "does not read as"},
		"instant":  {"'2020-01-01'::timestamptz", everyType(domain.Timestamp), "Timestamp adjusted"},
		"local":    {"'2020-01-01'::timestamp", everyType(domain.DateTime), "Timestamp not adjusted"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".parquet")
			run(t, db, fmt.Sprintf("copy (select %s as x) to '%s' (format parquet)", tc.x, path))
			refuses(t, path, tc.types, tc.want)
		})
	}
}
