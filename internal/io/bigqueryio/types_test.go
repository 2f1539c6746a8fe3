package bigqueryio

import (
	"testing"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Every type has a row, whole, and BigQuery's own name for it is the domain's.
func TestEveryTypeHasARow(t *testing.T) {
	for _, typ := range domain.Types() {
		if int(typ) >= len(types) || types[typ].field == "" {
			t.Errorf("%v has no row in types.go", typ)
			continue
		}
		row := types[typ]
		if (row.native != nil) != (typ.Facts().Form == domain.Ints) {
			t.Errorf("%v: native in types.go is for types of form Ints, and for no other", typ)
		}
		if d := describe(&bigquery.FieldSchema{Name: "x", Type: row.field}); d.Type != typ || d.Fault != "" {
			t.Errorf("%v is called %s in types.go, which reads as %+v", typ, row.field, d)
		}
	}
}
