package bigqueryio

import (
	"testing"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Every type has a row, whole, and BigQuery's own name for it is the domain's.
func TestEveryTypeHasARow(t *testing.T) {
	for _, typ := range domain.Types() {
		if int(typ) >= len(types) || types[typ].field == "" {
			t.Errorf("%v has no row in types.go", typ)
			continue
		}
		row := types[typ]
		must.Hold(t, (row.native != nil) == (typ.Facts().Form == domain.Ints), "%v: native in types.go is for types of form Ints, and for no other", typ)
		d := describe(&bigquery.FieldSchema{Name: "x", Type: row.field})
		must.Hold(t, d.Type == typ && d.Fault == "", "%v is called %s in types.go, which reads as %+v", typ, row.field, d)
	}
}
