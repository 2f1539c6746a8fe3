package table_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// A file that is read in parts is read once, whatever its size is said to be.
func TestPartsAreTheWholeFile(t *testing.T) {
	const rows = 100_000
	dir := t.TempDir()
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "n", Type: domain.Int64, Cuts: []int64{0, rows}, Resolution: 1, Null: true}}}
	var csv strings.Builder
	csv.WriteString("n\n")
	c := domain.Chunk{Rows: rows, Columns: []domain.Column{{Form: domain.Ints}}}
	var want []int64
	for i := range rows {
		fmt.Fprintln(&csv, i)
		want = append(want, int64(i))
	}
	c.Columns[0].Ints = want
	var parquet bytes.Buffer
	w, err := parquetio.NewWriter(&parquet, d, parquetio.Options{})
	if err == nil {
		err = w.Write(&c)
	}
	must.Do(t, err)
	must.Value(w.Close())(t)
	for name, content := range map[string][]byte{"a.csv": []byte(csv.String()), "a.parquet": parquet.Bytes()} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, content, 0o600))
		format, _ := table.FormatOf(strings.TrimPrefix(filepath.Ext(name), "."))
		for _, size := range []int64{0, 1, 300 << 20} {
			p, s := beam.NewPipelineWithRoot()
			got := transformtest.Capture[*domain.Chunk](s, format.ReadApart(s, []files.Info{{Name: path, Size: size}}, d, schema.CSV{}))
			transformtest.Run(t, p)
			var numbers []int64
			for _, c := range got.Elements() {
				col := &c.Columns[0]
				for i := range c.Rows {
					if col.Form == domain.Ints {
						numbers = append(numbers, col.Ints[i])
						continue
					}
					n := must.Value(strconv.ParseInt(string(col.Bytes[col.Offsets[i]:col.Offsets[i+1]]), 10, 64))(t)
					numbers = append(numbers, n)
				}
			}
			slices.Sort(numbers)
			must.Hold(t, slices.Equal(numbers, want), "%s of %d bytes: %d records, want 0 to %d once each", name, size, len(numbers), rows-1)
		}
	}
}

func TestParts(t *testing.T) {
	const piece = 128 << 20
	for bytes, want := range map[int64]int{0: 1, 1: 1, piece: 1, piece + 1: 2, 10 * piece: 10, 1 << 62: 256} {
		list := table.Piece{}.Parts(bytes)
		must.Hold(t, len(list) == want, "%d parts of %d bytes, want %d", len(list), bytes, want)
		taken := make([]int, 1000)
		for _, p := range list {
			n := 0
			pass := p.Take(func(c *domain.Chunk) error {
				taken[c.Rows]++
				n++
				return nil
			})
			for i := range taken {
				must.Do(t, pass(&domain.Chunk{Rows: i}))
			}
			must.Hold(t, len(list) <= 1 || n <= len(taken)/len(list)+1, "part %d of %d has %d of %d chunks", p.Part, p.Of, n, len(taken))
		}
		if slices.Min(taken) != 1 || slices.Max(taken) != 1 {
			t.Errorf("%d parts: chunks are taken %d to %d times", len(list), slices.Min(taken), slices.Max(taken))
		}
	}
}
