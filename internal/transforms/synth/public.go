package synth

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/fields"
	"github.com/dapple-dp/dapple/solver"
)

// PublicTable returns the table of a slice of structs that anybody may see, for Params.Public and SolveParams.Public.
// Fields belong to columns as in private.Encode; a privacy ID is not read, and every struct counts. It fails if rows
// is no slice of such structs or is empty, if a value is outside the domain, and if the domain has events or bins to be learned, for which no method
// uses a public table.
func PublicTable(rows any, d *domain.Domain) (*solver.Public, error) {
	list := reflect.ValueOf(rows)
	if list.Kind() != reflect.Slice {
		return nil, fmt.Errorf("synth: a public table of %T: want a slice of structs", rows)
	}
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if d.Events != nil || d.Learns() {
		return nil, errors.New("synth: no method uses a public table of a domain with events, or with bins that are to be learned")
	}
	open := *d
	open.PrivacyID = ""
	m, err := fields.Input(list.Type().Elem(), &open)
	if err != nil {
		return nil, fmt.Errorf("synth: the public table does not match the domain:\n%w", err)
	}
	b, reader := solver.NewPublicBuilder(d.Sizes()), m.NewReader(&open)
	var codes []domain.Code
	for i := range list.Len() {
		var bad int
		if codes, _, bad = reader.Read(list.Index(i).Interface(), codes[:0], nil); bad >= 0 {
			return nil, fmt.Errorf("synth: the public table: column %q of element %d is nothing that the domain declares", d.Attributes[bad].Name, i)
		}
		b.Add(codes)
	}
	return b.Table()
}
