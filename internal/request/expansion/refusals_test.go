package expansion

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/solver"
)

// What is wrong with a request is said in sentences, without a word of Go's types.
func TestRefusals(t *testing.T) {
	type misspelt struct {
		Domain  string  `beam:"domain"`
		Epsilon float64 `beam:"epsilon"`
		Delta   float64 `beam:"delta"`
		Row     int64   `beam:"row"`
	}
	type textual struct {
		Domain  string `beam:"domain"`
		Epsilon string `beam:"epsilon"`
	}
	with := func(fields ...string) []string { return append(append([]string{}, rowsOf...), fields...) }
	good := few{people, 1, 1e-9}
	for _, tt := range []struct {
		name   string
		fields []string
		o      any
		change func(*jobpb.ExpansionRequest)
		want   string
	}{
		{"an unknown option", rowsOf, misspelt{people, 1, 1e-9, 5}, nil, "row is no option of synthesize; did you mean rows?"},
		{"an option of another type, and one left out", rowsOf, textual{people, "1"}, nil, "delta is required: δ; there is no safe default: far below 1/(number of people), or 0 for pure differential privacy.\nepsilon: want a number"},
		{"ε is 0", rowsOf, few{people, 0, 1e-9}, nil, "epsilon 0: want a finite number above 0"},
		{"a domain with a fault", rowsOf, few{strings.Replace(people, "bins: 10", "bins: x", 1), 1, 1e-9}, nil, `domain:4:54: column "age": bins: got "x"`},
		{"nobody said who is protected", rowsOf, few{strings.Replace(people, "privacy_id: id\n", "", 1), 1, 1e-9}, nil, "domain:1:1: privacy_id: is required, since it says who is protected"},
		{"a column that the rows have not", rowsOf[:3], good, nil, `column "born" of the domain is no field of the rows; the rows have id, sex, age`},
		{"a column of another name", []string{"id STRING", "sex STRING", "agee INT64", "born STRING"}, good, nil, `column "age" of the domain is no field of the rows; did you mean "agee"?`},
		{"a column of another type", []string{"id STRING", "sex DOUBLE", "age INT64", "born STRING"}, good, nil, `column "sex" is STRING in the domain and a float in the rows; declare it as FLOAT64 or INT64 or NUMERIC, or make it a str`},
		{"an ID that is no text", []string{"id DOUBLE", "sex STRING", "age INT64", "born STRING"}, good, nil, `privacy_id "id" is a float in the rows`},
		{"INT16, though no column", with("x INT16"), good, nil, `field "x" is INT16`},
		{"a list", with("x LIST"), good, nil, `field "x" is a list`},
		{"anything", with("x beam:logical:pythonsdk_any:v1"), good, nil, `field "x" is of any type`},
		{"a type of somebody's", with("x beam:logical_type:uuid:v1"), good, nil, `field "x" is of the logical type beam:logical_type:uuid:v1`},
		{"a letter that is not ASCII", with("é STRING"), good, nil, `field "é": want a name of ASCII letters`},
		{"names that Go takes for one", with("Age STRING"), good, nil, `fields "age" and "Age" differ in the case of the first letter alone`},
		{"people of another table", rowsOf, few{people + "events: {person: [sex], rows: {min: 0, max: 5}}", 1, 1e-9}, nil, "people without rows exist, and come from a table of their own"},
		{"an order that is no column", rowsOf, few{people + "events: {person: [sex], rows: {max: 5}, order: day}", 1, 1e-9}, nil, `events: order: no column is called "day"`},
		{"windows", rowsOf, good, func(r *jobpb.ExpansionRequest) {
			r.Components.WindowingStrategies["all"].WindowFn.Urn = "beam:window_fn:fixed_windows:v1"
		}, "the rows are in windows"},
		{"a stream", rowsOf, good, func(r *jobpb.ExpansionRequest) {
			r.Components.Pcollections["theirs"].IsBounded = pipepb.IsBounded_UNBOUNDED
		}, "the rows have no end"},
		{"pickles", rowsOf, good, func(r *jobpb.ExpansionRequest) {
			r.Components.Coders["rows"].Spec.Urn = "beam:coder:pickled_python:v1"
		}, "the elements are no rows with a schema"},
		{"another transform", rowsOf, good, func(r *jobpb.ExpansionRequest) { r.Transform.Spec.Urn = "beam:x" }, "this service has the schema transforms " + Identifier + " and " + DiscoverIdentifier + " alone"},
		{"a runner that retries", rowsOf, good, func(r *jobpb.ExpansionRequest) { r.PipelineOptions = runner(t, "FlinkRunner") }, "store is required on FlinkRunner"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := ask(t, tt.fields, tt.o)
			if tt.change != nil {
				tt.change(req)
			}
			got := expand(t, req).GetError()
			must.Hold(t, strings.Contains(got, tt.want), "got  %s\nwant %s", got, tt.want)
			must.Hold(t, strings.HasPrefix(got, "dapple: ") && !strings.Contains(got, "struct {") && !strings.Contains(got, "reflect.") && !strings.Contains(got, "synth:") && !strings.Contains(got, "goroutine"),
				"not for people who have no Go: %s", got)
		})
	}
}

func runner(t *testing.T, name string) *structpb.Struct {
	t.Helper()
	s := must.Value(structpb.NewStruct(map[string]any{"beam:option:runner:v1": name}))(t)
	return s
}

// A store, or the caller's word, is asked of runners alone that may retry.
func TestStorePolicy(t *testing.T) {
	dir, yes := t.TempDir(), true
	for _, tt := range []struct {
		runner string
		o      options
		ok     bool
	}{
		{"", options{}, true},
		{"PrismRunner", options{}, true},
		{"apache_beam.runners.direct.DirectRunner", options{}, true},
		{"PortableRunner", options{}, false},
		{"DataflowRunner", options{}, false},
		{"PortableRunner", options{NoRetries: &yes}, true},
		{"FlinkRunner", options{Store: &dir}, true},
	} {
		err := retries(tt.o.Store, tt.o.NoRetries, runner(t, tt.runner))
		must.Hold(t, (err == nil) == tt.ok, "%q with %+v: %v", tt.runner, tt.o, err)
	}
}

// A release in a store has the name that its caller gives it, so that a pipeline adopts that release alone.
func TestRunIDIsGiven(t *testing.T) {
	store, run := t.TempDir(), "monday"
	for want, o := range map[string]options{
		"run_id is required with store":   {Store: &store},
		"run_id names a release in store": {RunID: &run},
		"":                                {Store: &store, RunID: &run},
	} {
		o.Domain, o.Epsilon, o.Delta = people, 1, 1e-9
		p, err := o.params(must.Value(schema.Parse("domain", []byte(o.Domain)))(t))
		must.Hold(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "got %v, want %q", err, want)
		must.Hold(t, err != nil || p.RunID == run, "the release is called %q", p.RunID)
	}
}

// Every parameter of Synthesize can be given.
func TestParams(t *testing.T) {
	o := options{
		Domain: people, Epsilon: 2, Delta: 1e-6, Neighbouring: new(string), Rows: new(int64), Workload: [][]string{{"sex", "born"}, {"age"}},
		Units: new(float64), Method: new(string), MemoryLimit: new(int64), ErrorShare: new(float64), Shards: new(int64), SampleSeed: new(int64), Store: new(string), RunID: new(string), Ledger: new(string),
	}
	*o.Neighbouring, *o.Rows, *o.Units, *o.Method, *o.MemoryLimit, *o.Shards, *o.SampleSeed, *o.Store, *o.RunID, *o.Ledger = "replace", 10, 7, "dpfw", 1<<20, 3, 5, "gs://b/d", "monday", "gs://b/book"
	p := must.Value(o.params(must.Value(schema.Parse("domain", []byte(o.Domain)))(t)))(t)
	p.As = reflect.TypeFor[struct{}]()                    // set by Expand
	p.Public = new(solver.Public)                         // made from rows by a Go program
	p.Budget = new(synth.Budget)                          // set by Expand, which knows the budgets by name
	p.Prior = new(accountant.Prior)                       // of discover.Then, in Go; a domain file of Discover carries its charge
	p.Runner, p.NoStore = "its own", "no_retries says it" // the caller's pipeline knows its runner
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("Params.%s cannot be given", v.Type().Field(i).Name)
		}
	}
	o.Domain, o.Workload = people+"events: {person: [sex], rows: {max: 3}}\nworkload: {target: age}\n", nil
	toward := must.Value(o.params(must.Value(schema.Parse("domain", []byte(o.Domain)))(t)))(t)
	target := toward.Domain.Index("age")
	for _, m := range toward.Workload.Marginals {
		weighty := slices.Contains(m.Clique, target)
		must.Hold(t, weighty == (m.Weight == query.TargetWeight) && (weighty || m.Weight == 1), "marginal %v weighs %g", m.Clique, m.Weight)
	}
	if usual := query.WithOrder(toward.Domain, query.Default(toward.Domain.Sizes())); len(toward.Workload.Marginals) != len(usual.Marginals) {
		t.Errorf("%d marginals for a target, %d usual ones", len(toward.Workload.Marginals), len(usual.Marginals))
	}
	must.Hold(t, len(p.Workload.Marginals) == 2 && p.Workload.Marginals[0].Clique.Compare(p.Workload.Marginals[1].Clique) < 0, "workload %v", p.Workload.Marginals)
}
