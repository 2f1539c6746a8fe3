package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// textFile is a file of the texts in two columns "id" and "s", by another writer.
func textFile(t testing.TB, texts []string, o ...parquet.WriterProperty) []byte {
	t.Helper()
	column := func(name string) schema.Node {
		return schema.MustPrimitive(schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Required, schema.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
	}
	root := must.Value(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{column("id"), column("s")}, -1))(t)
	values := make([]parquet.ByteArray, len(texts))
	for i, s := range texts {
		values[i] = parquet.ByteArray(s)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(o...)))
	g := w.AppendRowGroup()
	for range 2 {
		c, err := g.NextColumn()
		must.Do(t, err)
		_, err = c.(*file.ByteArrayColumnChunkWriter).WriteBatch(values, nil, nil)
		must.Do(t, errors.Join(err, c.Close()))
	}
	must.Do(t, errors.Join(g.Close(), w.Close()))
	return out.Bytes()
}

// No text of a record ends a run, however long and however often it is repeated: a file holds it once, and it
// is spelled out in pieces.
func TestLongTexts(t *testing.T) {
	const limit = 1 << 20
	var texts []string
	for i := range 400 { // 40 MB, 200 kB in the file
		texts = append(texts, strings.Repeat("x", 100_000)+fmt.Sprint(i%2), "b")
	}
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "s", Type: domain.String, Values: []string{"a", "b"}, Other: true, OtherValue: "c"}}}
	other, _ := d.Attributes[0].OtherCode()
	for name, o := range map[string][]parquet.WriterProperty{
		"dictionary":    {parquet.WithDictionaryDefault(true), parquet.WithDictionaryPageSizeLimit(1 << 30)},
		"shared starts": {parquet.WithDictionaryDefault(false), parquet.WithEncoding(parquet.Encodings.DeltaByteArray)},
	} {
		b := textFile(t, sortedPairs(name, texts), append(o, parquet.WithCompression(compress.Codecs.Uncompressed))...)
		must.Need(t, len(b) <= 2<<20, "%s: the file has %d bytes", name, len(b))
		r := must.Value(Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{MaxPageBytes: limit}))(t)
		at, want := 0, sortedPairs(name, texts)
		for c, err := range r.Chunks() {
			must.Need(t, err == nil, "%s: row %d: %v", name, at, err)
			ids := 0 // bytes of them, which go on with their records
			for i := range c.Rows {
				ids += len(cell(&c.ID, i))
			}
			must.Hold(t, ids <= 32<<20+200_000, "%s: a chunk has %d bytes of IDs", name, ids)
			codes := encoded(d, c)
			for i := range c.Rows {
				must.Need(t, cell(&c.ID, i) == want[at+i], "%s: row %d: another ID", name, at+i)
				code := other
				if want[at+i] == "b" {
					code = 1
				}
				must.Need(t, codes[i] == code, "%s: row %d: another category", name, at+i)
			}
			at += c.Rows
		}
		must.Hold(t, at == len(texts), "%s: %d rows, want %d", name, at, len(texts))
	}
}

// sortedPairs puts equal texts together, where an encoding holds what a text shares with the one before.
func sortedPairs(name string, texts []string) []string {
	if name == "dictionary" {
		return texts
	}
	var long, short []string
	for _, s := range texts {
		if len(s) == 1 {
			short = append(short, s)
		} else {
			long = append(long, s)
		}
	}
	return append(long, short...)
}
