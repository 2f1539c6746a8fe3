package parquetio

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Once the first row groups are written, further ones take no memory but what describes them: 4 KiB for each
// column chunk, where 2.5 are measured. The file is 100 times as large.
func TestRowsTakeNoMemory(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 1<<14, 0.05, rand.New(rand.NewPCG(1, 2)))
	var size int64
	w := must.Value(NewWriter(counted{&size}, d, Options{}))(t)
	write := func(chunks int) (bytes uint64, groups int) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range chunks {
			held := size
			must.Do(t, w.Write(c))
			if size > held { // a chunk is a page, which may end a row group
				groups++
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc, groups
	}
	write(60)
	if got, groups := write(120); groups < 5 || got > uint64(groups*d.Len())<<12 {
		t.Errorf("%d row groups of %d columns, %d bytes of files so far, took %d bytes", groups, d.Len(), size, got)
	}
}

// Of what describes a column chunk, 300 bytes stay until the end of the file, where 130 are measured.
func TestFooterIsSmall(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 2000, 0.05, rand.New(rand.NewPCG(1, 2)))
	w := must.Value(NewWriter(io.Discard, d, Options{GroupRows: 1}))(t)
	var before, after runtime.MemStats
	for _, m := range []*runtime.MemStats{&before, &after} {
		must.Do(t, w.Write(c))
		runtime.GC()
		runtime.ReadMemStats(m)
	}
	got, most := int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(c.Rows*d.Len()*300)
	must.Hold(t, got <= most, "%d column chunks hold %d bytes, want at most %d", c.Rows*d.Len(), got, most)
	must.Value(w.Close())(t)
}

// counted counts what is written to it.
type counted struct{ n *int64 }

func (c counted) Write(p []byte) (int, error) {
	*c.n += int64(len(p))
	return len(p), nil
}

// A row group ends with the page that fills 8 MiB, wherever chunks end.
func TestGroupsEndByBytes(t *testing.T) {
	d := &domain.Domain{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: name, Type: domain.Float64, FloatCuts: []float64{0, 1}})
	}
	const rows = 20*codec.BatchRows + 100
	c := randomChunk(d, rows, 0, rand.New(rand.NewPCG(5, 6)))
	whole := fileOf(t, d, Options{}, c)
	r := must.Value(file.NewParquetReader(bytes.NewReader(whole)))(t)
	var got []int64
	for i := range r.NumRowGroups() {
		got = append(got, r.MetaData().RowGroup(i).NumRows())
	}
	// A page of eight columns is 1 MiB of numbers that do not compress: with its headers, eight are 8 MiB.
	must.List(t, got, []int64{8 * codec.BatchRows, 8 * codec.BatchRows, 4*codec.BatchRows + 100}, "row groups")
	var parts []*domain.Chunk
	for lo := 0; lo < rows; lo += 40_000 {
		hi := min(rows, lo+40_000)
		part := &domain.Chunk{Rows: hi - lo}
		for _, col := range c.Columns {
			part.Columns = append(part.Columns, domain.Column{Form: domain.Floats, Floats: col.Floats[lo:hi]})
		}
		parts = append(parts, part)
	}
	must.Hold(t, bytes.Equal(whole, fileOf(t, d, Options{}, parts...)), "other chunks make another file")
}

// A file is the same whether its memory is new or was another file's, and files written at once do not
// meet in it.
func TestMemoryIsUsedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := &domain.Domain{Attributes: []domain.Attribute{{Name: "s", Type: domain.String}, {Name: "i", Type: domain.Int64, Cuts: []int64{0, 3000}}}}
	for i := range 500 {
		texts.Attributes[0].Values = append(texts.Attributes[0].Values, string(rune('a'+i)))
	}
	domains := []*domain.Domain{mixedDomain(), texts}
	var chunks []*domain.Chunk
	var want [][]byte
	for _, d := range domains {
		c := randomChunk(d, 30_000, 0.1, r)
		runtime.GC() // twice: what a sync.Pool holds lives through one
		runtime.GC()
		chunks, want = append(chunks, c), append(want, fileOf(t, d, Options{}, c))
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 3 {
				var b bytes.Buffer
				w, err := NewWriter(&b, domains[i%2], Options{})
				if err == nil {
					err = w.Write(chunks[i%2])
				}
				if err == nil {
					_, err = w.Close()
				}
				must.Hold(t, err == nil && bytes.Equal(b.Bytes(), want[i%2]), "a file that was written again differs (error %v)", err)
			}
		})
	}
	all.Wait()
}
