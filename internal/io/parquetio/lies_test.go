package parquetio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// lyingFile is a file of two row groups whose footer is changed by lie.
func lyingFile(t *testing.T, honest []byte, lie func(*metadata.FileMetaData)) []byte {
	t.Helper()
	end := len(honest) - 8
	at := end - int(binary.LittleEndian.Uint32(honest[end:]))
	m := must.Value(metadata.NewFileMetaData(honest[at:end], nil))(t)
	lie(m)
	b := bytes.NewBuffer(bytes.Clone(honest[:at]))
	n := must.Value(m.WriteTo(b, nil))(t)
	return append(binary.LittleEndian.AppendUint32(b.Bytes(), uint32(n)), codec.Magic...)
}

// A footer that lies ends in an error, or changes no cell.
func TestLyingFooters(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 300, 0.2, rand.New(rand.NewPCG(5, 6)))
	honest := fileOf(t, d, Options{GroupRows: 200}, c)
	want := cellsOf(t, honest, d)
	got := cellsOf(t, lyingFile(t, honest, func(*metadata.FileMetaData) {}), d)
	must.Need(t, got == want, "the truth reads as other cells")
	for _, rows := range []int64{-1, math.MinInt64, 0, 1, 99, 101, 1 << 20, 1 << 40, math.MaxInt64} {
		check(t, fmt.Sprint("rows ", rows), lyingFile(t, honest, func(m *metadata.FileMetaData) {
			m.RowGroups[1].NumRows = rows
			m.NumRows = 200 + rows
		}), d, "")
	}
	numbers := []int64{math.MinInt64, -1, 0, 1, 3, 4, 5, 99, 101, 1000, 1 << 20, 1 << 31, 1 << 40, math.MaxInt64}
	for k := range d.Attributes {
		for _, n := range numbers {
			for what, lie := range map[string]func(*metadata.FileMetaData){
				"values":            func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[k].MetaData.NumValues = n },
				"page offset":       func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[k].MetaData.DataPageOffset = n },
				"page offset by":    func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[k].MetaData.DataPageOffset += n },
				"dictionary offset": func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[k].MetaData.DictionaryPageOffset = &n },
				"compressed size":   func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[k].MetaData.TotalCompressedSize = n },
				"size":              func(m *metadata.FileMetaData) { m.RowGroups[1].Columns[k].MetaData.TotalUncompressedSize = n },
			} {
				check(t, fmt.Sprintf("column %d: %s %d", k, what, n), lyingFile(t, honest, lie), d, want)
			}
		}
		for n := range 12 {
			wrong := func(m *metadata.FileMetaData) {
				for range n { // the type of the field has no name outside the library
					m.RowGroups[1].Columns[k].MetaData.Codec++
				}
			}
			// A wrong codec can make bytes of any others; it must not end the process.
			_, err := cellsIn(lyingFile(t, honest, wrong), d)
			must.Hold(t, err == nil || strings.HasPrefix(err.Error(), "parquet: x.parquet: "), "column %d: codec %d: %v", k, n, err)
		}
	}
}

// check reads a file that must end in an error of ours, or have the cells of want if there is one.
func check(t *testing.T, lie string, file []byte, d *domain.Domain, want string) {
	t.Helper()
	got, err := cellsIn(file, d)
	switch {
	case err != nil && !strings.HasPrefix(err.Error(), "parquet: x.parquet: "):
		t.Errorf("%s: error %v", lie, err)
	case err == nil && got != want:
		t.Errorf("%s: other cells, and no error", lie)
	}
}

func cellsOf(t *testing.T, file []byte, d *domain.Domain) string {
	t.Helper()
	s := must.Value(cellsIn(file, d))(t)
	return s
}

// cellsIn returns all cells of a file as text.
func cellsIn(file []byte, d *domain.Domain) (string, error) {
	r, err := Open(bytes.NewReader(file), "x.parquet", d, ReadOptions{})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for c, err := range r.Chunks() {
		if err != nil {
			return "", err
		}
		for i := range c.Rows {
			for k := range c.Columns {
				b.WriteString(unit(&d.Attributes[k], &c.Columns[k], i))
				b.WriteByte(' ')
			}
		}
	}
	return b.String(), nil
}

// Encrypted files begin and end with another mark.
func TestEncrypted(t *testing.T) {
	b, d := smallFile(t)
	copy(b, "PARE")
	copy(b[len(b)-4:], "PARE")
	must.Fail(t, readAll(b, d), "x.parquet: it is encrypted, its footer too; write it again without encryption")
}

// TestIndexOutside: an index that is outside of the dictionary ends in an error, for numbers and for texts.
func TestIndexOutside(t *testing.T) {
	for typ, entries := range map[domain.Type][]byte{domain.Int64: words(7, 8), domain.String: plainTexts("a", "b")} {
		kind := map[domain.Type]parquet.Type{domain.Int64: parquet.Types.Int64, domain.String: parquet.Types.ByteArray}[typ]
		for last, damaged := range map[byte]bool{1: false, 2: true, 255: true} {
			c := column1(kind, nil)
			c.pages = append(structOf(1, 2, 2, len(entries), 3, len(entries), 7, structOf(1, 2, 2, 0)), entries...)
			page := append([]byte{2, 0, 0, 0, 8 << 1, 1, 8, 1<<1 | 1}, 0, 1, 0, 1, 0, 1, 0, last)
			c.pages = append(append(c.pages, structOf(1, 0, 2, len(page), 3, len(page), 5, structOf(1, 8, 2, 8, 3, 3, 4, 3))...), page...)
			got, err := cellsIn(madeFile(8, []made{c}), only("x", typ))
			must.Hold(t, damaged == (err != nil) && (!damaged || strings.HasSuffix(err.Error(), `column "x": a page is damaged`) || strings.HasSuffix(err.Error(), "the file cannot be processed")),
				"%v, index %d: %q, %v", typ, last, got, err)
		}
	}
}
