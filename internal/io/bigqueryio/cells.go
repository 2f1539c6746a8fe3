package bigqueryio

import (
	"errors"
	"math/big"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/native"
)

const (
	chunkRows  = 1 << 14 // records that go on together: their cells and codes stay in the cache
	chunkBytes = 1 << 25 // of one text column, beyond which a chunk goes on earlier
)

// errForm means that the client delivers other types than documented. It contains no cell.
var errForm = errors.New("a cell is not of its column's type")

// rows collects records until a chunk is full. It is a bigquery.ValueLoader.
type rows struct {
	source  *Source
	chunk   *domain.Chunk
	columns []*domain.Column // of chunk, in the order of source.Columns
	large   bool
	num     big.Int
}

func newRows(s *Source) *rows {
	r := &rows{source: s}
	r.next()
	return r
}

// next begins a chunk. The previous one belongs to its caller.
func (r *rows) next() {
	r.chunk, r.columns = newChunk(r.source)
	r.large = false
	for _, c := range r.columns {
		switch c.Form {
		case domain.Text:
			c.Offsets = append(make([]uint32, 0, chunkRows+1), 0)
		case domain.Floats:
			c.Floats = make([]float64, 0, chunkRows)
		default:
			c.Ints = make([]int64, 0, chunkRows)
		}
	}
}

// newChunk returns an empty chunk, and its columns in the order of the source's.
func newChunk(s *Source) (chunk *domain.Chunk, columns []*domain.Column) {
	attrs := len(s.Columns)
	if s.HasID {
		attrs--
	}
	chunk = &domain.Chunk{Columns: make([]domain.Column, attrs), Source: "bigquery: " + s.Table.String()}
	for i := range chunk.Columns {
		columns = append(columns, &chunk.Columns[i])
	}
	if s.HasID {
		columns = append(columns, &chunk.ID)
	}
	for i, c := range columns {
		c.Form = s.Columns[i].As.Facts().Form
	}
	return chunk, columns
}

func (r *rows) full() bool { return r.chunk.Rows == chunkRows || r.large }

// settled returns the chunk. A number that its column's type does not hold is a value that cannot be used.
func (r *rows) settled() *domain.Chunk {
	for i, c := range r.columns {
		if col := &r.source.Columns[i]; col.As != domain.Int64 {
			native.Settle(c, &domain.Attribute{Type: col.As, Scale: col.Scale})
		}
	}
	return r.chunk
}

// Load appends a record.
func (r *rows) Load(values []bigquery.Value, _ bigquery.Schema) error {
	if len(values) != len(r.columns) {
		return errForm
	}
	for i, c := range r.columns {
		if err := r.add(c, &r.source.Columns[i], values[i]); err != nil {
			return err
		}
	}
	r.chunk.Rows++
	return nil
}

// add appends a cell.
func (r *rows) add(c *domain.Column, col *Column, v bigquery.Value) error {
	null := v == nil
	if null && c.Nulls == nil {
		c.Nulls = make([]bool, r.chunk.Rows, chunkRows)
	}
	if c.Nulls != nil {
		c.Nulls = append(c.Nulls, null)
	}
	ok := true
	switch c.Form {
	case domain.Text:
		var s string
		if !null {
			s, ok = v.(string)
		}
		c.Bytes = append(c.Bytes, s...)
		c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
		r.large = r.large || len(c.Bytes) > chunkBytes
	case domain.Floats:
		var f float64
		if !null {
			f, ok = v.(float64)
		}
		c.Floats = append(c.Floats, f)
	default:
		var n int64
		if !null {
			n, ok = types[col.As].native(r, col, v)
		}
		c.Ints = append(c.Ints, n)
	}
	if !ok {
		return errForm
	}
	return nil
}
