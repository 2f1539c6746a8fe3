package synth_test

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
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

// Two releases of the same people, within one total that the statement of each names.
func ExampleBudget() {
	p, s := beam.NewPipelineWithRoot()
	people := beam.CreateList(s, records())
	total := &synth.Budget{Epsilon: 1, Delta: 1e-9}
	params := synth.Params{Domain: customers, Epsilon: .69, Delta: 1e-9, Budget: total}

	_, first := synth.Synthesize(s, people, params)
	_, second := synth.Synthesize(s, people, params)
	one := transformtest.Capture[*synth.Artifact](s, first.Artifacts(s))
	other := transformtest.Capture[*synth.Artifact](s, second.Artifacts(s))

	if err := transformtest.RunOn("prism", p); err != nil {
		fmt.Println(err)
		return
	}
	a, b := one.Elements()[0], other.Elements()[0]
	fmt.Println(a.Statement.Guarantee("customer"))
	fmt.Println(b.Statement.Guarantee("customer"))
	fmt.Println("the same noise:", bytes.Equal(a.Model, b.Model))
	// Output:
	// ε = 0.69, δ = 1e-09, add or remove one customer; with the other releases of its pipeline ε = 1, δ = 1e-09
	// ε = 0.69, δ = 1e-09, add or remove one customer; with the other releases of its pipeline ε = 1, δ = 1e-09
	// the same noise: false
}

// Patient is a person of the pipeline, and Visit a row of one.
type (
	Patient struct {
		ID  int64 `dapple:"patient_id"`
		Sex string
	}
	Visit struct {
		ID   int64 `dapple:"patient_id"`
		Ward *string
	}
)

func init() {
	beam.RegisterType(reflect.TypeFor[Patient]())
	beam.RegisterType(reflect.TypeFor[Visit]())
}

// People of whom some have no rows, and their rows, become synthetic people and rows of the same types.
func ExampleSynthesizePeople() {
	visits := &domain.Domain{PrivacyID: "patient_id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "ward", Type: domain.String, Values: []string{"A", "B"}, Null: true},
	}}
	hospital, err := visits.WithEvents([]string{"sex"}, nil, []int64{0, 1, 2, 4}, 9)
	if err != nil {
		fmt.Println(err)
		return
	}
	var people []Patient
	var rows []Visit
	for i := range int64(600) {
		people = append(people, Patient{i, []string{"F", "M"}[i%2]})
		for j := range i % 4 {
			rows = append(rows, Visit{i, &[]string{"A", "B"}[j%2]})
		}
	}
	p, s := beam.NewPipelineWithRoot()
	made, rowsMade, _ := synth.SynthesizePeople(s, beam.CreateList(s, people), beam.CreateList(s.Scope("rows"), rows),
		synth.PeopleParams{Params: synth.Params{Domain: hospital, Epsilon: 1, Delta: 1e-9, Rows: 1000}})

	patients, events := transformtest.Capture[Patient](s, made), transformtest.Capture[Visit](s, rowsMade)
	if err := transformtest.RunOn("prism", p); err != nil {
		fmt.Println(err)
		return
	}
	known, resolve := map[int64]bool{}, true
	for _, p := range patients.Elements() {
		known[p.ID] = true
	}
	for _, v := range events.Elements() {
		resolve = resolve && known[v.ID]
	}
	fmt.Println(len(known), "people; every row is of one of them:", resolve)
	// Output: 1000 people; every row is of one of them: true
}
