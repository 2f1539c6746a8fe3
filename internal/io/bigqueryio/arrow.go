package bigqueryio

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

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
			if as, ok := s.reads(k, f.Type); ok && strings.EqualFold(f.Name, c.Name) {
				found, reads = i, as
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
	record := r.RecordBatch()
	if record.NumRows() != rows {
		return nil, fmt.Errorf("bigquery: %s: a batch has other rows than it states: %w", d.source.Table, errForm)
	}
	for lo := 0; lo < int(rows); lo += chunkRows {
		chunk, out := newChunk(d.source)
		chunk.Rows = min(chunkRows, int(rows)-lo)
		for i := range out {
			d.columns[i].Take(record.Column(d.fields[i]), lo, lo+chunk.Rows, out[i])
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}
