package parquetio

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// For loaders that read neither V2 nor OPTIONAL columns: version 1, its encodings, REQUIRED columns; a
// NULL is an error.
func TestOldLoaders(t *testing.T) {
	d := mixedDomain()
	o := Options{Pages: PagesV1, Nulls: NullsRefused}
	c := randomChunk(d, 500, 0, rand.New(rand.NewPCG(1, 2)))
	b := fileOf(t, d, o, c)
	sameRows(t, b, d, c)
	r := must.Value(file.NewParquetReader(bytes.NewReader(b)))(t)
	if v := r.MetaData().Version(); v != 0 { // arrow's V1_0
		t.Errorf("version %v", v)
	}
	for i := range d.Len() {
		if r.MetaData().Schema.Column(i).MaxDefinitionLevel() != 0 {
			t.Errorf("column %d is not REQUIRED", i)
		}
		chunk := must.Value(r.RowGroup(0).MetaData().ColumnChunk(i))(t)
		if e := chunk.Encodings()[0]; chunk.HasDictionaryPage() && e.String() != "PLAIN_DICTIONARY" {
			t.Errorf("column %d: encoding %v", i, e)
		}
	}
	w := must.Value(NewWriter(&bytes.Buffer{}, d, o))(t)
	if err := w.Write(randomChunk(d, 10, 1, rand.New(rand.NewPCG(1, 2)))); !errors.Is(err, errNull) {
		t.Errorf("NULLs were taken: %v", err)
	}
	if _, err := NewWriter(&bytes.Buffer{}, d, Options{Nulls: 7}); err == nil {
		t.Error("an unknown option was taken")
	}
}

// Equal rows make equal bytes, however they come in chunks: a part that is written again is the same file.
func TestSameBytes(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 70000, 0.1, rand.New(rand.NewPCG(1, 2)))
	whole := fileOf(t, d, Options{}, c)
	if !bytes.Equal(whole, fileOf(t, d, Options{}, copyRows(c, 0, 1234), copyRows(c, 1234, 66000), copyRows(c, 66000, 70000))) {
		t.Error("chunks show in the file")
	}
}
