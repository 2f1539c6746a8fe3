package discover_test

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/transforms/discover"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// A customer is a record of a program that declares no domain.
type customer struct {
	ID, Plan string
}

func init() { beam.RegisterType(reflect.TypeFor[customer]()) }

// From records to rows without a domain: a first pipeline finds one with a tenth of the budget, a second one spends the rest.
func ExampleThen() {
	ctx, total := context.Background(), synth.Params{Epsilon: 1, Delta: 1e-9}
	customers := func(s beam.Scope) beam.PCollection {
		var list []customer
		for i := range 20_000 {
			list = append(list, customer{fmt.Sprint("c", i), []string{"basic", "plus"}[i%2]})
		}
		return beam.CreateList(s, list)
	}
	found, err := discover.Then(ctx, "prism", customers, discover.Params{PrivacyID: "ID", Epsilon: total.Epsilon, Delta: total.Delta, Share: dp.ShareOf(1, 10)})
	if err != nil {
		panic(err)
	}
	file, err := schema.Parse("found", found.File(""))
	if err != nil {
		panic(err)
	}
	p, s := beam.NewPipelineWithRoot()
	total.Domain, total.Prior = file.Domain, &found.Prior
	rows, _ := synth.Synthesize(s, customers(s), total)
	fmt.Println(rows.Type().Type(), file.Domain.Names())
	if _, err := beam.Run(ctx, "prism", p); err != nil {
		panic(err)
	}
	// Output: discover_test.customer [Plan]
}

// What can be found is known before anything is read: with fewer people than this, most of a table would not be seen.
func ExampleParams_Outlook() {
	p := discover.Params{
		Columns: []discover.Column{{Name: "sex", Untyped: true}, {Name: "age", Untyped: true}, {Name: "town", Untyped: true}},
		Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10),
	}
	o, err := p.Outlook()
	if err != nil {
		panic(err)
	}
	_, needed := o.Enough(0)
	fmt.Printf("a category needs %.0f people, so %.0f people would do\n", o.Value, needed)
	// Output: a category needs 214 people, so 2675 people would do
}
