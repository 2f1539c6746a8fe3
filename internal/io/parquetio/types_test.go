package parquetio

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Every type has a row, whole, and a physical type that pages can be made of.
func TestEveryTypeHasARow(t *testing.T) {
	physical := []parquet.Type{parquet.Types.ByteArray, parquet.Types.FixedLenByteArray, parquet.Types.Double,
		parquet.Types.Int64, parquet.Types.Int32, parquet.Types.Boolean}
	for _, typ := range domain.Types() {
		if int(typ) >= len(types) {
			t.Errorf("%v has no row in types.go", typ)
			continue
		}
		row := types[typ]
		if !slices.Contains(physical, row.physical) || row.logical == nil {
			t.Errorf("%v: physical or logical is missing in types.go", typ)
			continue
		}
		must.Passes(newColumn("x", typ, 0, true).Node())(t, "%v", typ)
	}
}
