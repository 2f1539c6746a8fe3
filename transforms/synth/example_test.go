package synth_test

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Customer is a record of the pipeline that gains the stage, and of what comes out of it.
type Customer struct {
	ID   string `dapple:"customer_id"`
	Plan string
	Age  int64
}

func init() {
	beam.RegisterType(reflect.TypeFor[Customer]())
	register.Function1x1(anonymous)
	register.Function1x1(promise)
	register.Function1x2(patientID)
	register.Function1x2(visitID)
	register.Function3x1(resolves)
	register.Function1x1(isTrue)
	register.Iter1[int64]()
}

// anonymous reports whether a row names nobody.
func anonymous(c Customer) bool { return c.ID == "" }

// promise returns what a release states.
func promise(a *synth.Artifact) string {
	return fmt.Sprintf("%s: %s; the ledger begins with %s", a.Method, a.Statement.Guarantee("customer"), a.Statement.Ledger[0].Stage)
}

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

	passert.Count(s, people, "rows", 1000)
	passert.True(s, people, anonymous)
	fmt.Println(ptest.Run(p))
	// Output: <nil>
}

// What was released comes with the rows: statement, ledger, errors and model.
func ExampleRelease_Artifacts() {
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.CreateList(s, records()), synth.Params{Domain: customers, Epsilon: 1, Delta: 1e-9})

	promises := beam.ParDo(s, promise, release.Artifacts(s))
	passert.Equals(s, promises, "dpam: ε = 1, δ = 0, add or remove one customer; the ledger begins with measure") // few marginals need no δ
	fmt.Println(ptest.Run(p))
	// Output: <nil>
}

// The same step by step, with a workload and row counts of one's own.
func ExampleSolve() {
	p, s := beam.NewPipelineWithRoot()
	people := beam.CreateList(s, records())
	units := synth.Bound(s, synth.Encode(s, people, customers, synth.EncodeParams{}), synth.BoundParams{})
	stats := synth.Count(s, units, query.AllMarginals(customers.Sizes(), 2, 1000), synth.CountParams{})
	model := synth.Solve(s, stats, synth.SolveParams{Epsilon: 1, Delta: 1e-9})
	rows := synth.Sample(s, model, synth.SampleParams{Rows: 1000, As: reflect.TypeFor[Customer]()})

	passert.Count(s, rows, "rows", 1000)
	passert.True(s, rows, anonymous)
	fmt.Println(ptest.Run(p))
	// Output: <nil>
}

// Two releases of the same people, within one total that the statement of each names.
func ExampleBudget() {
	p, s := beam.NewPipelineWithRoot()
	people := beam.CreateList(s, records())
	total := &synth.Budget{Epsilon: 1, Delta: 1e-9}
	params := synth.Params{Domain: customers, Epsilon: .69, Delta: 1e-9, Budget: total}

	_, first := synth.Synthesize(s, people, params)
	_, second := synth.Synthesize(s, people, params)

	promises := beam.ParDo(s, promise, beam.Flatten(s, first.Artifacts(s), second.Artifacts(s)))
	const each = "rake: ε = 0.69, δ = 1e-09, add or remove one customer; with the other releases of its pipeline ε = 1, δ = 1e-09; the ledger begins with total"
	passert.Equals(s, promises, each, each)
	fmt.Println(ptest.Run(p))
	// Output: <nil>
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

func patientID(p Patient) (int64, int64) { return p.ID, p.ID }

func visitID(v Visit) (int64, int64) { return v.ID, v.ID }

// resolves reports whether an ID belongs to one person, with rows or without.
func resolves(_ int64, people, _ func(*int64) bool) bool {
	var id int64
	return people(&id) && !people(&id)
}

func isTrue(ok bool) bool { return ok }

func init() {
	beam.RegisterType(reflect.TypeFor[Patient]())
	beam.RegisterType(reflect.TypeFor[Visit]())
}

// People, some without rows, and their rows become synthetic people and rows of the same types.
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

	// Every row is of one of the people.
	patients, of := beam.ParDo(s, patientID, made), beam.ParDo(s, visitID, rowsMade)
	passert.Count(s, made, "people", 1000)
	passert.True(s, beam.ParDo(s, resolves, beam.CoGroupByKey(s, patients, of)), isTrue)
	fmt.Println(ptest.Run(p))
	// Output: <nil>
}
