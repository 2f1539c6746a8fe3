package arrowio

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	batchRows  = 1 << 16
	batchBytes = 64 << 20 // of texts, at which a batch ends early
)

// written returns the type of a column of a file.
func written(a *domain.Attribute) arrow.DataType {
	switch a.Type {
	case domain.String:
		return arrow.BinaryTypes.String
	case domain.Float64:
		return arrow.PrimitiveTypes.Float64
	case domain.Numeric:
		return &arrow.Decimal128Type{Precision: int32(a.Digits()), Scale: int32(a.Scale)}
	case domain.Bool:
		return arrow.FixedWidthTypes.Boolean
	case domain.Date:
		return arrow.FixedWidthTypes.Date32
	case domain.DateTime:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case domain.Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case domain.Time:
		return arrow.FixedWidthTypes.Time64us
	}
	return arrow.PrimitiveTypes.Int64
}

// writer writes chunks as batches.
type writer struct {
	d     *domain.Domain
	batch *array.RecordBuilder
	out   *ipc.FileWriter
	rows  int
	bytes int
	err   error // the first one; it stays
}

func newWriter(w io.Writer, d *domain.Domain) (*writer, error) {
	fields := make([]arrow.Field, d.Len())
	for i := range d.Attributes {
		a := &d.Attributes[i]
		fields[i] = arrow.Field{Name: a.Name, Type: written(a), Nullable: a.Null}
	}
	s := arrow.NewSchema(fields, nil)
	out, err := ipc.NewFileWriter(struct{ io.Writer }{w}, ipc.WithSchema(s)) // Close is not the library's to call
	if err != nil {
		return nil, fmt.Errorf("arrowio: %w", err)
	}
	return &writer{d: d, batch: array.NewRecordBuilder(memory.DefaultAllocator, s), out: out}, nil
}

// Write writes the rows of a chunk, which has one column for each attribute. After an error every call returns it.
func (w *writer) Write(c *domain.Chunk) error {
	if len(c.Columns) != w.d.Len() {
		panic("arrowio: Write: chunk and domain differ in size")
	}
	for lo := 0; lo < c.Rows && w.err == nil; {
		hi := min(lo+batchRows-w.rows, c.Rows)
		for k := range c.Columns {
			for row := lo; row < hi; row++ {
				w.cell(w.batch.Field(k), &w.d.Attributes[k], &c.Columns[k], row)
			}
		}
		w.rows += hi - lo
		if lo = hi; w.rows == batchRows || w.bytes >= batchBytes {
			w.flush()
		}
	}
	return w.err
}

// Close ends the file. It does not close the underlying writer.
func (w *writer) Close() error {
	w.flush()
	if w.err == nil {
		w.fail(w.out.Close())
	}
	return w.err
}

func (w *writer) fail(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("arrowio: %w", err)
	}
}

// flush writes the batch, if it has rows.
func (w *writer) flush() {
	if w.err != nil || w.rows == 0 {
		return
	}
	b := w.batch.NewRecordBatch()
	defer b.Release()
	w.fail(w.out.Write(b))
	w.rows, w.bytes = 0, 0
}

var (
	errNull  = errors.New("NULL in a column without null")
	errValue = errors.New("a category is no value of the column's type")
)

// cell appends a cell to a column of the batch.
func (w *writer) cell(b array.Builder, a *domain.Attribute, c *domain.Column, row int) {
	if c.Form == domain.Absent || c.Null(row) {
		if !a.Null {
			w.fail(errNull)
		}
		b.AppendNull()
		return
	}
	text := ""
	switch c.Form {
	case domain.Ints:
		appendNative(b, c.Ints[row])
		return
	case domain.Floats:
		b.(*array.Float64Builder).Append(c.Floats[row])
		return
	case domain.Dictionary:
		text = c.Dict[c.Ints[row]]
	default:
		text = string(c.Text(row))
	}
	if a.Type == domain.String {
		w.bytes += len(text)
		b.(*array.StringBuilder).Append(text)
		return
	}
	v, ok := a.ParseNative(text)
	if !ok {
		w.fail(errValue)
	}
	appendNative(b, v)
}

// appendNative appends a value in the native unit.
func appendNative(b array.Builder, v int64) {
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(v)
	case *array.BooleanBuilder:
		b.Append(v != 0)
	case *array.Date32Builder:
		b.Append(arrow.Date32(v))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v))
	case *array.Time64Builder:
		b.Append(arrow.Time64(v))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(v))
	}
}
