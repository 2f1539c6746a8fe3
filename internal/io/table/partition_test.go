package table_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	_ "github.com/dapple-dp/dapple/io/csvio"
)

// Columns that are in the names of directories are read with the others, in any format, by the types of the domain.
func TestPartitions(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	inside := &domain.Domain{Attributes: []domain.Attribute{{Name: "n", Type: domain.Int64, Cuts: []int64{0, 99}, Resolution: 1}}}
	var want []string
	for i, at := range []string{"year=2023/city=Bad%20T%C3%B6lz", "year=2024/city=__HIVE_DEFAULT_PARTITION__", "year=2024/city=a%3Db"} {
		city := []string{`"Bad Tölz"`, `"NULL"`, `"a=b"`}[i]
		for _, format := range []string{"parquet", "csv"} {
			path := filepath.Join(dir, format, at)
			must.Do(t, os.MkdirAll(path, 0o700))
			c := &domain.Chunk{Rows: 2, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{int64(i), 7}}}}
			must.Do(t, os.Rename(formattest.File(t, format, inside, c), filepath.Join(path, "part-0."+format)))
			must.Do(t, os.WriteFile(filepath.Join(path, ".part-0.crc"), nil, 0o600))
		}
		for _, n := range []int{i, 7} {
			want = append(want, fmt.Sprintf(`%s "%d" "%s" `, city, n, strings.TrimPrefix(strings.Split(at, "/")[0], "year=")))
		}
	}
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "city", Type: domain.String, Other: true, Null: true}, inside.Attributes[0], {Name: "year", Type: domain.Int64, Cuts: []int64{2000, 2030}, Resolution: 1, Null: true},
	}}
	for _, input := range []string{"parquet", "csv", "parquet/", "parquet/*/*/*.parquet"} {
		src, err := table.Find(ctx, dir+"/"+input, nil)
		if err != nil {
			t.Errorf("%s: %v", input, err)
			continue
		}
		must.Pass(t, src.Check(ctx, d, schema.CSV{}), "%s", input)
		names, err := src.Columns(ctx, schema.CSV{})
		must.Hold(t, err == nil && slices.Equal(names, []string{"n", "year", "city"}), "%s: columns %q, %v", input, names, err)
		var got []string
		err = src.Each(ctx, d, schema.CSV{}, formattest.Rows(d, &got))
		must.Hold(t, err == nil && slices.Equal(got, want), "%s: got %q, %v, want %q", input, got, err, want)
		for _, apart := range []bool{false, true} {
			p, s := beam.NewPipelineWithRoot()
			read := src.Read
			if apart {
				read = src.(*table.Files).ReadApart
			}
			chunks := transformtest.Capture[*domain.Chunk](s, read(s, d, schema.CSV{}))
			transformtest.Run(t, p)
			got = nil
			for _, c := range chunks.Elements() {
				_ = formattest.Rows(d, &got)(c) // never fails
			}
			slices.Sort(got)
			must.List(t, got, slices.Sorted(slices.Values(want)), "%s: read by a pipeline", input)
		}
	}
	// The people may be in the names of directories too.
	people := &domain.Domain{PrivacyID: "year", Attributes: inside.Attributes}
	src := must.Value(table.Find(ctx, dir+"/parquet", nil))(t)
	var got []string
	err := src.Each(ctx, people, schema.CSV{}, formattest.Rows(people, &got))
	must.Hold(t, err == nil && got[0] == `"2023" "0" `, "got %q, %v", got, err)
	// A file beside is of another table.
	must.Do(t, os.Rename(filepath.Join(dir, "parquet/year=2023/city=Bad%20T%C3%B6lz/part-0.parquet"), filepath.Join(dir, "parquet/year=2023/b.parquet")))
	must.Fails(table.Find(ctx, dir+"/parquet", nil))(t, "directories of other columns")
}
