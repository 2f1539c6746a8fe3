package transformtest

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Create returns a PCollection of the given values, which may be none at all.
func Create[T any](s beam.Scope, values ...T) beam.PCollection {
	return beam.CreateList(s, append(reflect.Zero(reflect.TypeFor[[]T]()).Interface().([]T), values...))
}

// Chunk returns a chunk of text cells: rows[i][a] is the cell of column a, and ids[i] the privacy ID of
// row i. ids is nil without privacy IDs.
func Chunk(rows [][]string, ids []string) *domain.Chunk {
	c := &domain.Chunk{Rows: len(rows)}
	if ids != nil {
		c.ID = Text(ids)
	}
	if len(rows) == 0 {
		return c
	}
	for a := range rows[0] {
		cells := make([]string, len(rows))
		for i := range rows {
			cells[i] = rows[i][a]
		}
		c.Columns = append(c.Columns, Text(cells))
	}
	return c
}

// Text returns a column of text cells.
func Text(cells []string) domain.Column {
	col := domain.Column{Form: domain.Text, Offsets: make([]uint32, 1, len(cells)+1)}
	for _, s := range cells {
		col.Bytes = append(col.Bytes, s...)
		col.Offsets = append(col.Offsets, uint32(len(col.Bytes)))
	}
	return col
}
