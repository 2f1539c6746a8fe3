package synth_test

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/transformtest"
	"github.com/dapple-dp/dapple/transforms/counts"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Customer is a record of the pipeline that gains the stage, and of what comes out of it.
type Customer struct {
	ID   string `dapple:"customer_id"`
	Plan string
	Age  int64
}

func init() { beam.RegisterType(reflect.TypeFor[Customer]()) }

// A pipeline that has a PCollection of its own structs gains rows of the same type.
func ExampleSolve() {
	dom := &domain.Domain{PrivacyID: "customer_id", Attributes: []domain.Attribute{
		{Name: "plan", Type: domain.String, Values: []string{"basic", "plus"}, HasFallback: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{18, 30, 50, 99}, Resolution: 1, HasFallback: true},
	}}
	var records []Customer
	for i := range 5000 {
		records = append(records, Customer{fmt.Sprint("c", i%2500), []string{"basic", "plus"}[i%2], int64(18 + i%60)})
	}

	p, s := beam.NewPipelineWithRoot()
	customers := beam.CreateList(s, records)
	units := private.Bound(s, private.Encode(s, customers, dom), private.BoundParams{})
	stats := counts.Count(s, units, query.AllMarginals(dom.Sizes(), 2, 1000))
	model := synth.Solve(s, stats, synth.Params{Epsilon: 1, Delta: 1e-9})
	rows := synth.Sample(s, model, synth.SampleParams{Rows: 1000, As: reflect.TypeFor[Customer]()})
	synthetic := transformtest.Capture[Customer](s, rows)

	if err := transformtest.RunOn("prism", p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(synthetic.Elements()), "rows; the first has an ID:", synthetic.Elements()[0].ID != "")
	// Output: 1000 rows; the first has an ID: false
}
