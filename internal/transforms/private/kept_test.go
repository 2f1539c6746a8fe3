package private

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// What one pipeline has kept the next one reads: each record once, with the columns that it asks for, in any order, and their NULLs. It
// is read once also if a pipeline keeps it again, and by nobody after the end.
func TestKept(t *testing.T) {
	var chunks []*domain.Chunk
	var want []string
	for i := range 5 {
		var rows [][]string
		var ids []string
		for j := range 100 * i {
			rows, ids = append(rows, []string{fmt.Sprintf("a%d%d", i, j), "", "line\n"}), append(ids, fmt.Sprint(i, "-", j))
			want = append(want, fmt.Sprintf("%s line\n a%d%d true", ids[j], i, j))
		}
		c := transformtest.Chunk(rows, ids)
		for k := range c.Columns {
			c.Columns[k].Nulls = slices.Repeat([]bool{k == 1}, c.Rows)
		}
		chunks = append(chunks, c)
	}
	dir := t.TempDir()
	k := NewKept(dir)
	for range 2 {
		p, s := beam.NewPipelineWithRoot()
		k.Keep(s, transformtest.Create(s, chunks[1:]...))
		transformtest.Run(t, p)
	}
	read := func() (got []string, err error) {
		p, s := beam.NewPipelineWithRoot()
		out := transformtest.Capture[*domain.Chunk](s, k.Read(s, []int{2, 0, 1}))
		err = transformtest.RunOn("prism", p)
		for _, c := range out.Elements() {
			for i := range c.Rows {
				got = append(got, fmt.Sprintf("%s %s %s %v", c.ID.Text(i), c.Columns[0].Text(i), c.Columns[1].Text(i), c.Columns[2].Null(i)))
			}
		}
		slices.Sort(got)
		return got, err
	}
	slices.Sort(want)
	got := must.Value(read())(t)
	must.Hold(t, slices.Equal(got, want), "%d records were read of %d", len(got), len(want))
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d files can be seen", len(files))
	}
	must.Do(t, k.Close())
	must.Do(t, (*Kept)(nil).Close())
	if got, err := read(); err == nil || len(got) > 0 {
		t.Errorf("%d records were read after the end (error %v)", len(got), err)
	}
}
