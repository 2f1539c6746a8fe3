package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/apache/arrow/go/v15/parquet/metadata"

	"github.com/dapple-dp/dapple/dp/domain"
)

// lyingFile is a file of 300 rows in two row groups, whose footer is changed before it is written: the rows
// of the second group by rows, and the description of its column k by lie.
func lyingFile(t *testing.T, d *domain.Domain, c *domain.Chunk, rows int, k int, lie func(*metadata.ColumnChunkMetaDataBuilder)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, d, Options{GroupRows: 200})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(c); err != nil {
		t.Fatal(err)
	}
	tab := w.t
	for i, col := range tab.columns {
		tab.encoders[i].add(col, tab.held)
		col.empty()
	}
	err = tab.footer.add(int64(rows), func(g *metadata.RowGroupMetaDataBuilder) error {
		g.SetNumRows(rows)
		for i, e := range tab.encoders {
			m := g.NextColumnChunk()
			packed, _, err := e.finish(tab.columns[i], tab.sink, tab.at, m)
			if err != nil {
				return err
			}
			if tab.at += packed; i == k {
				lie(m)
			}
		}
		return g.Finish(1, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.writeFooter(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A page header that claims gigabytes is refused before memory is taken for them.
func TestPageClaims(t *testing.T) {
	honest := append((&page{plain: 3, packed: 3, cells: 1}).appendHeader(nil), 1, 2, 3)
	read := func(data []byte) error {
		p := &pageReader{codec: compress.Codecs.Uncompressed, budget: 1000, max: 500}
		for p.data = data; len(p.data) > 0; {
			if err := p.next(); err != nil {
				return err
			}
		}
		return nil
	}
	claim := func(p page) []byte { return append(p.appendHeader(bytes.Clone(honest)), 1, 2, 3) }
	for name, tc := range map[string]struct {
		data []byte
		want error
	}{
		"honest":                   {honest, nil},
		"packed gigabyte":          {claim(page{v2: true, plain: 10, packed: 1 << 30, cells: 1}), errPage},
		"one packed byte more":     {claim(page{plain: 4, packed: 4, cells: 1}), errPage},
		"negative packed size":     {claim(page{plain: 3, packed: -3, cells: 1}), errPage},
		"negative plain size":      {claim(page{plain: -3, packed: 3, cells: 1}), errPage},
		"negative number of cells": {claim(page{plain: 3, packed: 3, cells: -1}), errPage},
		"levels beyond the page":   {claim(page{v2: true, plain: 3, packed: 3, levels: 4, cells: 1}), errPage},
		"negative levels":          {claim(page{v2: true, plain: 3, packed: 3, levels: -1, cells: 1}), errPage},
		"other plain size":         {claim(page{plain: 4, packed: 3, cells: 1}), errSize},
		"plain gigabyte":           {claim(page{plain: 1 << 30, packed: 3, cells: 1}), errLarge},
		"more than the footer":     {bytes.Repeat(honest, 334), errStated},
		"no header":                {append(bytes.Clone(honest), 0xff), errPage},
	} {
		if err := read(tc.data); !errors.Is(err, tc.want) || err != nil && tc.want == nil {
			t.Errorf("%s: got %v, want %v", name, err, tc.want)
		}
	}
	p := &pageReader{}
	if err := p.load(bytes.NewReader(honest), 5, 1<<10); !errors.Is(err, errPage) {
		t.Errorf("beyond the end: %v", err)
	}
}

// A footer that lies ends in an error, or changes no cell.
func TestLyingFooters(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 300, 0.2, rand.New(rand.NewPCG(5, 6)))
	want := cellsOf(t, fileOf(t, d, Options{}, c), d)
	truth := func(*metadata.ColumnChunkMetaDataBuilder) {}
	if got := cellsOf(t, lyingFile(t, d, c, 100, 0, truth), d); got != want {
		t.Fatal("the truth reads as other cells")
	}
	for _, rows := range []int{-1, math.MinInt64, 0, 1, 99, 101, 1 << 20, 1 << 40, math.MaxInt64} {
		check(t, fmt.Sprint("rows ", rows), lyingFile(t, d, c, rows, 0, truth), d, "")
	}
	numbers := []int64{math.MinInt64, -1, 0, 1, 3, 4, 5, 99, 101, 1000, 1 << 20, 1 << 31, 1 << 40, math.MaxInt64}
	for k := range d.Attributes {
		for _, n := range numbers {
			for what, lie := range map[string]func(*metadata.ColumnChunkMetaDataBuilder){
				"values":            func(m *metadata.ColumnChunkMetaDataBuilder) { m.Contents().MetaData.NumValues = n },
				"page offset":       func(m *metadata.ColumnChunkMetaDataBuilder) { m.Contents().MetaData.DataPageOffset = n },
				"page offset by":    func(m *metadata.ColumnChunkMetaDataBuilder) { m.Contents().MetaData.DataPageOffset += n },
				"dictionary offset": func(m *metadata.ColumnChunkMetaDataBuilder) { m.Contents().MetaData.DictionaryPageOffset = &n },
				"compressed size":   func(m *metadata.ColumnChunkMetaDataBuilder) { m.Contents().MetaData.TotalCompressedSize = n },
				"size":              func(m *metadata.ColumnChunkMetaDataBuilder) { m.Contents().MetaData.TotalUncompressedSize = n },
			} {
				check(t, fmt.Sprintf("column %d: %s %d", k, what, n), lyingFile(t, d, c, 100, k, lie), d, want)
			}
		}
		for n := range 12 {
			codec := func(m *metadata.ColumnChunkMetaDataBuilder) {
				for range n { // the type of the field has no name outside the library
					m.Contents().MetaData.Codec++
				}
			}
			// A wrong codec can make bytes of any others; it must not end the process.
			if _, err := cellsIn(lyingFile(t, d, c, 100, k, codec), d); err != nil && !strings.HasPrefix(err.Error(), "parquet: x.parquet: ") {
				t.Errorf("column %d: codec %d: %v", k, n, err)
			}
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
	s, err := cellsIn(file, d)
	if err != nil {
		t.Fatal(err)
	}
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
				b.WriteString(cell(&c.Columns[k], i))
				b.WriteByte(' ')
			}
		}
	}
	return b.String(), nil
}

// Encrypted files begin and end with another mark.
func TestEncrypted(t *testing.T) {
	b, d := smallFile(t, Options{})
	copy(b, "PARE")
	copy(b[len(b)-4:], "PARE")
	if err := readAll(b, d); err == nil || !strings.Contains(err.Error(), "x.parquet: it is encrypted, its footer too; write it again without encryption") {
		t.Error(err)
	}
}
