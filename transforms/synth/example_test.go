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

// customers is what a customer can be: public facts, none of them read off the records.
var customers = &domain.Domain{PrivacyID: "customer_id", Attributes: []domain.Attribute{
	{Name: "plan", Type: domain.String, Values: []string{"basic", "plus"}, HasFallback: true},
	{Name: "age", Type: domain.Int64, Cuts: []int64{18, 30, 50, 99}, Resolution: 1, HasFallback: true},
}}

// records are 5000 records of 2500 customers.
func records() []Customer {
	all := make([]Customer, 5000)
	for i := range all {
		all[i] = Customer{fmt.Sprint("c", i%2500), []string{"basic", "plus"}[i%2], int64(18 + i%60)}
	}
	return all
}

// A pipeline that has a PCollection of its own structs gains rows of the same type.
func ExampleSynthesize() {
	p, s := beam.NewPipelineWithRoot()
	people := beam.CreateList(s, records())

	people, _ = synth.Synthesize(s, people, synth.Params{Domain: customers, Epsilon: 1, Delta: 1e-9, Rows: 1000})

	synthetic := transformtest.Capture[Customer](s, people)
	if err := transformtest.RunOn("prism", p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(synthetic.Elements()), "rows; the first has an ID:", synthetic.Elements()[0].ID != "")
	// Output: 1000 rows; the first has an ID: false
}

// What was released comes with the rows: statement, ledger, errors and model.
func ExampleRelease_Artifacts() {
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.CreateList(s, records()), synth.Params{Domain: customers, Epsilon: 1, Delta: 1e-9})
	released := transformtest.Capture[*synth.Artifact](s, release.Artifacts(s))

	if err := transformtest.RunOn("prism", p); err != nil {
		fmt.Println(err)
		return
	}
	a := released.Elements()[0]
	fmt.Printf("%s: ε = %g, δ = %g, %s\n", a.Method, a.Statement.Epsilon, a.Statement.Delta, a.Statement.Neighbouring)
	fmt.Println("the ledger begins with:", a.Statement.Ledger[0].Stage)
	// Output:
	// rake: ε = 1, δ = 1e-09, AddRemove
	// the ledger begins with: total
}

// The same step by step, with a workload and row counts of one's own.
func ExampleSolve() {
	p, s := beam.NewPipelineWithRoot()
	people := beam.CreateList(s, records())
	units := private.Bound(s, private.Encode(s, people, customers, private.EncodeParams{}), private.BoundParams{})
	stats := counts.Count(s, units, query.AllMarginals(customers.Sizes(), 2, 1000), counts.Params{})
	model := synth.Solve(s, stats, synth.SolveParams{Epsilon: 1, Delta: 1e-9})
	rows := synth.Sample(s, model, synth.SampleParams{Rows: 1000, As: reflect.TypeFor[Customer]()})
	synthetic := transformtest.Capture[Customer](s, rows)

	if err := transformtest.RunOn("prism", p); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(synthetic.Elements()), "rows; the first has an ID:", synthetic.Elements()[0].ID != "")
	// Output: 1000 rows; the first has an ID: false
}
