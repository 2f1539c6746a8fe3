package evaluate

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
)

// released reports whether a domain with learned bins is of the same columns as d: bins that a run over d has learned.
func released(learned, d *domain.Domain) bool {
	if learned == nil || learned.Len() != d.Len() || learned.Learns() {
		return false
	}
	for a := range d.Attributes {
		x, y := &learned.Attributes[a], &d.Attributes[a]
		if x.Name != y.Name || x.Type != y.Type || len(x.Runs) == 0 && x.Size() != y.Size() {
			return false
		}
	}
	return true
}

// inBins returns the rows of t that have values, with columns of learned bins in those of d.
func inBins(t *Table, d *domain.Domain) *Table {
	out, encoder := NewTable(d), domain.NewEncoder(d)
	out.Rows = (t.Rows + t.every - 1) / t.every
	for a := range out.Columns {
		if len(d.Attributes[a].Runs) == 0 && t.every == 1 {
			out.Columns[a] = t.Columns[a]
			continue
		}
		column := make([]domain.Code, out.Rows)
		for r := range column {
			if column[r] = t.Columns[a][r*t.every]; len(d.Attributes[a].Runs) > 0 {
				column[r] = coded(encoder, a, t.values[a].numbers[r], &d.Attributes[a])
			}
		}
		out.Columns[a] = column
	}
	return out
}

// redrawn returns the values of the table's attributes with each drawn again inside its cell: of d, the domain that a release has
// learned the bins of; nil: of the table's.
func redrawn(t *Table, d *domain.Domain) []*values {
	out, bins := make([]*values, len(t.Columns)), d
	if d == nil {
		d = &domain.Domain{}
		for _, v := range t.values[:len(t.Columns)] {
			d.Attributes = append(d.Attributes, *v.attr)
		}
	}
	for a := range out {
		out[a] = newValues(&d.Attributes[a])
	}
	encoder, decoder, word := domain.NewEncoder(d), domain.NewDecoder(d), rand.New(rand.NewPCG(1, 1))
	var chunk domain.Chunk
	codes := make([]domain.Code, 0, d.Len()*redrawnAtOnce)
	flush := func() {
		decoder.Decode(&chunk, codes, func(int, int) uint64 { return word.Uint64() })
		for r := range chunk.Rows {
			for a, v := range out {
				v.add(&chunk.Columns[a], r)
			}
		}
		codes = codes[:0]
	}
	for r := 0; r < t.Rows; r += t.every {
		for a := range t.Columns {
			code := t.Columns[a][r]
			if bins != nil && len(d.Attributes[a].Runs) > 0 {
				code = coded(encoder, a, t.values[a].numbers[r/t.every], &d.Attributes[a])
			}
			codes = append(codes, code)
		}
		if len(codes) == cap(codes) {
			flush()
		}
	}
	if len(codes) > 0 {
		flush()
	}
	return out
}

// coded returns the cell of a number in ones or, of dates and times, in native units; NaN is NULL.
func coded(encoder *domain.Encoder, column int, x float64, a *domain.Attribute) (code domain.Code) {
	switch {
	case math.IsNaN(x):
		code, _ = encoder.Null(column)
	case a.Type == domain.Float64 || a.Type == domain.Numeric:
		code, _ = encoder.FromFloat(column, x)
	default:
		code, _ = encoder.FromNative(column, int64(x))
	}
	return code
}

// redrawnAtOnce is the number of rows that are decoded together.
const redrawnAtOnce = 4096
