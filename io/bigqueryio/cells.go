package bigqueryio

import (
	"errors"
	"math/big"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	chunkRows  = 1 << 14 // records that go on together: their cells and codes stay in the cache
	chunkBytes = 1 << 25 // of one text column, beyond which a chunk goes on earlier
)

// errForm says that the client delivers something else than its documentation says. It holds no cell.
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
		c.Form = form(s.Columns[i].As)
	}
	return chunk, columns
}

// form returns how cells of a type are held.
func form(t domain.Type) domain.Form {
	switch t {
	case domain.String:
		return domain.Text
	case domain.Float64:
		return domain.Floats
	}
	return domain.Ints
}

func (r *rows) full() bool { return r.chunk.Rows == chunkRows || r.large }

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
			n, ok = r.native(col, v)
		}
		c.Ints = append(c.Ints, n)
	}
	if !ok {
		return errForm
	}
	return nil
}

// native returns a value of the client in the native unit of the column's type.
func (r *rows) native(col *Column, v bigquery.Value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, col.As == domain.Int64
	case bool:
		if v {
			return 1, col.As == domain.Bool
		}
		return 0, col.As == domain.Bool
	case *big.Rat:
		return r.scaled(v, col.Scale), col.As == domain.Numeric
	case civil.Date:
		return days(v), col.As == domain.Date
	case civil.DateTime:
		return days(v.Date)*microsPerDay + micros(v.Time), col.As == domain.DateTime
	case civil.Time:
		return micros(v), col.As == domain.Time
	case time.Time:
		return v.UnixMicro(), col.As == domain.Timestamp
	}
	return 0, false
}

const microsPerDay = 24 * 60 * 60 * 1_000_000

func days(d civil.Date) int64 { return d.In(time.UTC).Unix() / (24 * 60 * 60) } // exact: midnight

func micros(t civil.Time) int64 {
	return ((int64(t.Hour)*60+int64(t.Minute))*60+int64(t.Second))*1_000_000 + int64(t.Nanosecond)/1000
}

// scaled returns ⌊v·10^scale⌋, or the nearest int64: what is finer than the native unit moves over no
// cut point, and what is larger is in the same edge cell.
func (r *rows) scaled(v *big.Rat, scale int) int64 {
	n := r.num.Mul(v.Num(), tens[scale])
	return moved(n.Div(n, v.Denom()), 0) // Euclidean: rounds down, as the denominator is positive
}
