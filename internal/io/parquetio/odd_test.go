package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// oddRecord is a record of formattest.OddDomain.
type oddRecord struct {
	id, s string
	n     int64
	null  bool
}

// TestOddRecords: a record of any kind leaves the others as they are, with dictionaries and without.
func TestOddRecords(t *testing.T) {
	odd := map[string]oddRecord{
		"empty": {}, "NULL": {null: true}, "bytes": {"\xff\x00", "\xfe", math.MinInt64, false}, "a mark": {"\ufeffp1", "\ufeffx", 1, false},
		formattest.LongText: {"q", strings.Repeat("x", 17<<20), 1, false}, "a long ID": {strings.Repeat("q", 17<<20), "x", 1, false},
	}
	for _, dictionary := range []bool{true, false} {
		write := func(records []oddRecord) []byte { return oddFile(t, records, dictionary) }
		formattest.OddRecords(t, "parquet", schema.CSV{}, func(i int) oddRecord { return oddRecord{fmt.Sprint("p", i), "x", int64(i), false} }, odd, write)
		formattest.LongIDs(t, "parquet", func(id string) oddRecord { return oddRecord{id, "x", 1, false} }, write)
	}
}

// oddFile is a file of the records by another writer, three in each row group.
func oddFile(t *testing.T, records []oddRecord, dictionary bool) []byte {
	text := func(name string) pq.Node {
		return pq.MustPrimitive(pq.NewPrimitiveNodeLogical(name, parquet.Repetitions.Optional, pq.StringLogicalType{}, parquet.Types.ByteArray, -1, -1))
	}
	root, err := pq.NewGroupNode("schema", parquet.Repetitions.Required, pq.FieldList{text("id"), text("s"), pq.NewInt64Node("n", parquet.Repetitions.Optional, -1)}, -1)
	must.Do(t, err)
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root, file.WithWriterProps(parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDictionaryDefault(dictionary))))
	for part := range slices.Chunk(records, 3) {
		var ids, texts []parquet.ByteArray
		var numbers []int64
		levels := make([]int16, len(part))
		for i, r := range part {
			if !r.null {
				levels[i], ids, texts, numbers = 1, append(ids, parquet.ByteArray(r.id)), append(texts, parquet.ByteArray(r.s)), append(numbers, r.n)
			}
		}
		g := w.AppendRowGroup()
		for k := range 3 {
			c, err := g.NextColumn()
			must.Do(t, err)
			switch c := c.(type) {
			case *file.ByteArrayColumnChunkWriter:
				_, err = c.WriteBatch([][]parquet.ByteArray{ids, texts}[k], levels, nil)
			case *file.Int64ColumnChunkWriter:
				_, err = c.WriteBatch(numbers, levels, nil)
			}
			must.Do(t, errors.Join(err, c.Close()))
		}
		must.Do(t, g.Close())
	}
	must.Do(t, w.Close())
	return out.Bytes()
}
