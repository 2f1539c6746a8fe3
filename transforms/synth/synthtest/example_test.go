package synthtest_test

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/synth/synthtest"
)

// Order is a record of the pipeline that is tested.
type Order struct {
	Customer string
	Country  string
	Items    int64
}

func init() {
	beam.RegisterType(reflect.TypeFor[Order]())
	register.Function1x1(declared)
}

func declared(o Order) bool { return o.Country != "" && o.Items >= 1 && o.Items <= 100 }

// The pipeline takes the stage as an argument: synth.Synthesize where it runs, synthtest.Synthesize in its test.
func pipeline(s beam.Scope, orders beam.PCollection, stage func(beam.Scope, beam.PCollection, synth.Params) (beam.PCollection, synth.Release)) beam.PCollection {
	rows, _ := stage(s, orders, synth.Params{Epsilon: 1, Delta: 1e-9, Domain: &domain.Domain{PrivacyID: "customer", Attributes: []domain.Attribute{
		{Name: "country", Type: domain.String, Values: []string{"FR", "IT", "PT"}, HasFallback: true},
		{Name: "items", Type: domain.Int64, Cuts: []int64{1, 2, 5, 100}, Resolution: 1, HasFallback: true},
	}}})
	return rows
}

func ExampleSynthesize() {
	p, s, orders := ptest.CreateList([]Order{{"c1", "FR", 3}})
	rows := pipeline(s, orders, synthtest.Synthesize)
	passert.Count(s, rows, "dry rows", synthtest.DefaultRows)
	passert.True(s, rows, declared)
	fmt.Println(ptest.Run(p))
	// Output: <nil>
}
