package bigqueryio

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	arrow15 "github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/dapple-dp/dapple/dp/domain"
	arrays "github.com/dapple-dp/dapple/internal/io/columns"
)

// arrowDecoder turns the Arrow batches of a session into chunks. Goroutines can share it.
type arrowDecoder struct {
	source  *Source
	schema  []byte          // serialized
	fields  []int           // the batch's column of each of the source's
	columns []arrays.Column // how each is read
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
	for k, c := range s.Columns {
		found, reads := -1, arrays.Column{}
		for i, f := range r.Schema().Fields() {
			if typ := laterType(f.Type); strings.EqualFold(f.Name, c.Name) && typ != arrow.Null {
				if as, ok := s.reads(k, typ); ok {
					found, reads = i, as
				}
			}
		}
		if found < 0 {
			changed = append(changed, c.Name)
		}
		d.fields, d.columns = append(d.fields, found), append(d.columns, reads)
	}
	if len(changed) > 0 {
		return nil, s.changed(changed)
	}
	return d, nil
}

// reads returns how a column is read from arrays of a type.
func (s *Source) reads(column int, t arrow.DataType) (arrays.Column, bool) {
	if s.HasID && column == len(s.Columns)-1 {
		return arrays.ID(t)
	}
	return arrays.Of(t, &domain.Attribute{Type: s.Columns[column].As, Scale: s.Columns[column].Scale})
}

// recovered turns a panic of the library, which damaged bytes cause, into an error without the panic's text.
func recovered(s *Source, err *error) {
	if recover() != nil {
		*err = fmt.Errorf("bigquery: %s: damaged Arrow data: %w", s.Table, errForm)
	}
}

// decode returns the records of a batch in chunks.
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
	cells := make([]arrow.Array, len(d.fields))
	for i, field := range d.fields {
		cells[i] = array.MakeFromData(later(record.Column(field).Data()))
	}
	for lo := 0; lo < int(rows); lo += chunkRows {
		chunk, out := newChunk(d.source)
		chunk.Rows = min(chunkRows, int(rows)-lo)
		for i := range out {
			d.columns[i].Take(cells[i], lo, lo+chunk.Rows, out[i])
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}

// later returns an array of the client's version of Arrow as one of the version that package columns reads. They share
// their memory.
func later(d arrow15.ArrayData) arrow.ArrayData {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = memory.NewBufferBytes(b.Bytes())
		}
	}
	out := array.NewData(laterType(d.DataType()), d.Len(), buffers, nil, d.NullN(), d.Offset())
	if texts := d.Dictionary(); d.DataType().ID() == arrow15.DICTIONARY {
		out.SetDictionary(later(texts))
	}
	return out
}

// laterTypes are the types without parameters that the service sends, and laterIndices the types of indices of dictionaries.
var laterTypes = map[arrow15.Type]arrow.DataType{
	arrow15.STRING: arrow.BinaryTypes.String, arrow15.INT64: arrow.PrimitiveTypes.Int64, arrow15.FLOAT64: arrow.PrimitiveTypes.Float64,
	arrow15.BOOL: arrow.FixedWidthTypes.Boolean, arrow15.DATE32: arrow.FixedWidthTypes.Date32,
}

var laterIndices = map[arrow15.Type]arrow.DataType{
	arrow15.INT8: arrow.PrimitiveTypes.Int8, arrow15.INT16: arrow.PrimitiveTypes.Int16, arrow15.INT32: arrow.PrimitiveTypes.Int32, arrow15.INT64: arrow.PrimitiveTypes.Int64,
}

// laterType returns a type in the later version; null, which no column of the service has, if it is not one of these.
func laterType(t arrow15.DataType) arrow.DataType {
	switch t := t.(type) {
	case *arrow15.Time64Type:
		return &arrow.Time64Type{Unit: arrow.TimeUnit(t.Unit)}
	case *arrow15.TimestampType:
		return &arrow.TimestampType{Unit: arrow.TimeUnit(t.Unit), TimeZone: t.TimeZone}
	case *arrow15.Decimal128Type:
		return &arrow.Decimal128Type{Precision: t.Precision, Scale: t.Scale}
	case *arrow15.Decimal256Type:
		return &arrow.Decimal256Type{Precision: t.Precision, Scale: t.Scale}
	case *arrow15.DictionaryType:
		if index, ok := laterIndices[t.IndexType.ID()]; ok {
			return &arrow.DictionaryType{IndexType: index, ValueType: laterType(t.ValueType)}
		}
	}
	if known, ok := laterTypes[t.ID()]; ok {
		return known
	}
	return arrow.Null
}
