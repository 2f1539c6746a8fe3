package table_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/csvio"
)

// What is appended to a file while it is read may be in what was read, or not: the reading ends with an error.
func TestFileThatGrowsWhileItIsRead(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "n", Type: domain.Int64, Cuts: []int64{0, 5, 10}, Resolution: 1, Null: true}}}
	csv, parquet := filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.parquet")
	must.Do(t, os.WriteFile(csv, []byte("n\n"+strings.Repeat("1\n7\n", 100_000)), 0o600))
	var b bytes.Buffer
	w := must.Value(parquetio.NewWriter(&b, d, parquetio.Options{}))(t)
	must.Do(t, w.Write(&domain.Chunk{Rows: 200_000, Columns: []domain.Column{{Form: domain.Ints, Ints: make([]int64, 200_000)}}}))
	read := func(name string, yield func(*domain.Chunk) error) error {
		tb := must.Value(table.Find(ctx, name, table.Options{}))(t)
		must.Do(t, tb.Check(ctx, d, schema.CSV{}))
		return tb.Each(ctx, d, schema.CSV{}, yield)
	}
	must.Value(w.Close())(t)
	must.Do(t, os.WriteFile(parquet, b.Bytes(), 0o600))
	for _, name := range []string{csv, parquet} {
		if err := read(name, func(*domain.Chunk) error { return nil }); err != nil {
			t.Errorf("%s as it was: %v", filepath.Base(name), err)
		}
		grown := false
		err := read(name, func(*domain.Chunk) error {
			if grown {
				return nil
			}
			grown = true
			f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("1\n")
			return err
		})
		must.Hold(t, err != nil && strings.HasSuffix(err.Error(), name+": the file has changed since the run was planned"), "%s: %v", filepath.Base(name), err)
	}
}
