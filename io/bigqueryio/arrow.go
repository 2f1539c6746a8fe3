package bigqueryio

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/internal/native"
)

// arrowDecoder turns the Arrow batches of a session into chunks. Goroutines can share it.
type arrowDecoder struct {
	source *Source
	schema []byte // serialized
	fields []int  // the batch's column of each of the source's
}

// newArrowDecoder finds the source's columns in the schema of a session, which has them in the table's
// order.
func newArrowDecoder(s *Source, schema []byte) (d *arrowDecoder, err error) {
	defer recovered(s, &err)
	r, err := ipc.NewReader(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("bigquery: %s: the Arrow schema cannot be read", s.Table)
	}
	d = &arrowDecoder{source: s, schema: schema}
	var changed []string
	for _, c := range s.Columns {
		found := -1
		for i, f := range r.Schema().Fields() {
			if strings.EqualFold(f.Name, c.Name) && types[c.As].arrow(f.Type) {
				found = i
			}
		}
		if found < 0 {
			changed = append(changed, c.Name)
		}
		d.fields = append(d.fields, found)
	}
	if len(changed) > 0 {
		return nil, s.changed(changed)
	}
	return d, nil
}

// recovered turns a panic of the library, which damaged bytes cause, into an error without the panic's text.
func recovered(s *Source, err *error) {
	if recover() != nil {
		*err = fmt.Errorf("bigquery: %s: damaged Arrow data: %w", s.Table, errForm)
	}
}

// decode returns the records of a batch in chunks. They share the batch's memory: nothing is released, and the
// garbage collector frees it when the chunks are gone.
func (d *arrowDecoder) decode(batch []byte, rows int64) (chunks []*domain.Chunk, err error) {
	defer recovered(d.source, &err)
	r, err := ipc.NewReader(io.MultiReader(bytes.NewReader(d.schema), bytes.NewReader(batch)))
	if err != nil || !r.Next() {
		return nil, fmt.Errorf("bigquery: %s: damaged Arrow data: %w", d.source.Table, errForm)
	}
	record := r.Record()
	if record.NumRows() != rows {
		return nil, fmt.Errorf("bigquery: %s: a batch has other rows than it states: %w", d.source.Table, errForm)
	}
	for lo := int64(0); lo < rows; lo += chunkRows {
		chunk, columns := newChunk(d.source)
		chunk.Rows = int(min(chunkRows, rows-lo))
		for i, out := range columns {
			cells := array.NewSlice(record.Column(d.fields[i]), lo, lo+int64(chunk.Rows))
			if !fill(out, cells, &d.source.Columns[i]) {
				return nil, fmt.Errorf("bigquery: %s: %w", d.source.Table, errForm)
			}
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}

// fill sets a column to the cells of an array.
func fill(out *domain.Column, cells arrow.Array, c *Column) bool {
	if cells.NullN() > 0 {
		out.Nulls = make([]bool, cells.Len())
		for i := range out.Nulls {
			out.Nulls[i] = cells.IsNull(i)
		}
	}
	switch a := cells.(type) {
	case *array.String:
		fillText(out, a)
	case *array.Dictionary:
		return fillDictionary(out, a)
	case *array.Int64:
		out.Ints = a.Int64Values()
	case *array.Float64:
		out.Floats = a.Float64Values()
	case *array.Boolean:
		out.Ints = numbers(a.Len(), func(i int) int64 { return truth(a.Value(i)) })
	case *array.Date32:
		out.Ints = numbers(a.Len(), func(i int) int64 { return int64(a.Value(i)) })
	case *array.Time64:
		unit := units[a.DataType().(*arrow.Time64Type).Unit]
		out.Ints = numbers(a.Len(), func(i int) int64 { return unit.ToMicros(int64(a.Value(i))) })
	case *array.Timestamp:
		unit := units[a.DataType().(*arrow.TimestampType).Unit]
		out.Ints = numbers(a.Len(), func(i int) int64 { return unit.ToMicros(int64(a.Value(i))) })
	case *array.Decimal128:
		out.Ints = decimals(a, c.Scale)
	case *array.Decimal256:
		out.Ints = decimals(a, c.Scale)
	default:
		return false
	}
	return true
}

func numbers(n int, at func(i int) int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

// decimals returns numbers in units of 10^−scale, 0 for NULL.
func decimals[D interface{ BigInt() *big.Int }](a interface {
	arrow.Array
	Value(int) D
}, scale int) []int64 {
	places := scale - int(a.DataType().(arrow.DecimalType).GetScale())
	return numbers(a.Len(), func(i int) int64 {
		if a.IsNull(i) {
			return 0
		}
		return native.Moved(a.Value(i).BigInt(), places)
	})
}

// fillText takes over the texts, whose offsets in a slice do not begin at 0.
func fillText(out *domain.Column, a *array.String) {
	out.Bytes, out.Offsets = a.ValueBytes(), make([]uint32, a.Len()+1)
	for i := range a.Len() {
		out.Offsets[i+1] = uint32(a.ValueOffset(i+1) - a.ValueOffset(0))
	}
}

// fillDictionary takes over indices and texts. The index of a NULL has no meaning.
func fillDictionary(out *domain.Column, a *array.Dictionary) bool {
	texts, ok := a.Dictionary().(*array.String)
	if !ok {
		return false
	}
	out.Form, out.Offsets, out.Dict = domain.Dictionary, nil, make([]string, texts.Len())
	for i := range out.Dict {
		out.Dict[i] = texts.Value(i)
	}
	out.Ints = numbers(a.Len(), func(i int) int64 {
		if a.IsNull(i) {
			return 0
		}
		return int64(a.GetValueIndex(i))
	})
	return true
}

// units are Arrow's units of time.
var units = map[arrow.TimeUnit]native.Unit{
	arrow.Second: native.Seconds, arrow.Millisecond: native.Millis, arrow.Microsecond: native.Micros, arrow.Nanosecond: native.Nanos,
}
