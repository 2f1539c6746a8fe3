package expansion

import (
	"strings"
	"testing"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/transforms/discover"
)

// toFind are the options of most callers of discover.
type toFind struct {
	PrivacyID string  `beam:"privacy_id"`
	Epsilon   float64 `beam:"epsilon"`
	Delta     float64 `beam:"delta"`
}

// toFill are the options of a caller that has a domain file with open parts.
type toFill struct {
	PrivacyID string  `beam:"privacy_id"`
	Domain    string  `beam:"domain"`
	Epsilon   float64 `beam:"epsilon"`
	Delta     float64 `beam:"delta"`
}

const openPeople = `privacy_id: id
columns:
  - {name: sex, type: STRING, values: [f, m], fallback: f} # as they answered
  - {name: age, type: INT64, min: 0, max: find, "null": true}
  - {name: note, type: STRING}
events: {person: [sex, note], rows: {max: find}}
`

// Of a domain file with open parts these alone are found, and what it declares stands in the file that goes back.
func TestExpandDiscoverOpen(t *testing.T) {
	if resp := expand(t, askDiscover(t, rowsOf, toFill{"id", openPeople, .5, 1e-9})); resp.GetError() != "" {
		t.Fatal(resp.GetError())
	}
	s := &pipepb.Schema{}
	for _, f := range rowsOf {
		s.Fields = append(s.Fields, field(f))
	}
	text := openPeople
	o := findOptions{PrivacyID: "id", Domain: &text}
	open, err := o.open(s)
	if err != nil || len(open.Columns) != 2 || !open.Rows {
		t.Fatalf("open is %+v, %v", open, err)
	}
	found := &discover.Found{PrivacyID: "id", MaxRows: 8, Columns: []discover.FoundColumn{{Name: "age", Type: domain.Int64, Min: "0", Max: "127"}, {Name: "note", Left: "nobody shares one"}}}
	data, err := found.Encode()
	if err != nil {
		t.Fatal(err)
	}
	fn := &fileFn{Domain: text, Charge: schema.Charge{ID: "one", PrivacyID: "id", Neighbouring: "add_remove", Epsilon: .5, Delta: 1e-9, Accounting: "GDP", Loss: "1/2", NoisyNumbers: 3}}
	if err := fn.ProcessElement(string(data), func(d FoundDomain) { text = d.Domain }); err != nil {
		t.Fatal(err)
	}
	file, err := schema.Parse("domain", []byte(text))
	if err != nil || file.Charge == nil || file.Domain.Index("note") >= 0 || !strings.Contains(text, "fallback: f} # as they answered") || !strings.Contains(text, "max: 127") || !strings.Contains(text, "rows: {max: 8}") {
		t.Errorf("%v\n%s", err, text)
	}
}

// askDiscover is a request to find a domain.
func askDiscover(t *testing.T, fields []string, o any) *jobpb.ExpansionRequest {
	t.Helper()
	req := ask(t, fields, o)
	payload := &pipepb.SchemaTransformPayload{}
	if err := proto.Unmarshal(req.Transform.Spec.Payload, payload); err != nil {
		t.Fatal(err)
	}
	payload.Identifier = DiscoverIdentifier
	req.Transform.Spec.Payload = encode(payload)
	return req
}

// The graph of discover has one output, whose row is a domain file with its figures; every name is under the namespace.
func TestExpandDiscover(t *testing.T) {
	resp := expand(t, askDiscover(t, rowsOf, toFind{"id", .5, 1e-9}))
	if resp.GetError() != "" {
		t.Fatal(resp.GetError())
	}
	out := resp.GetTransform().GetOutputs()
	if len(out) != 1 || len(resp.GetTransform().GetSubtransforms()) == 0 {
		t.Fatalf("outputs %v", out)
	}
	c := resp.GetComponents()
	s := &pipepb.Schema{}
	if err := proto.Unmarshal(c.GetCoders()[c.GetPcollections()[out[domainTag]].GetCoderId()].GetSpec().GetPayload(), s); err != nil {
		t.Fatal(err)
	}
	if got := describe(s); !strings.HasPrefix(got, "domain STRING, epsilon DOUBLE, delta DOUBLE, left_out ") {
		t.Errorf("the output has %s", got)
	}
	consumed := 0
	for id, tr := range c.GetTransforms() {
		if !strings.HasPrefix(id, "external_7_") || strings.HasPrefix(tr.GetSpec().GetUrn(), placeholder) {
			t.Errorf("transform %q, %s", id, tr.GetSpec().GetUrn())
		}
		for _, col := range tr.GetInputs() {
			if col == "theirs" && len(tr.GetSubtransforms()) == 0 {
				consumed++
			}
		}
	}
	if consumed != 1 {
		t.Errorf("the rows are read by %d transforms", consumed)
	}
}

// What is wrong with a request to find a domain is said in sentences.
func TestDiscoverRefusals(t *testing.T) {
	store := "gs://b/d"
	for _, tt := range []struct {
		fields []string
		o      any
		want   string
	}{
		{rowsOf, toFind{"person", .5, 1e-9}, `privacy_id "person" is no field of the rows`},
		{rowsOf, toFind{"born", .5, 1e-9}, `privacy_id "born" is a date in the rows`},
		{rowsOf, toFind{"", .5, 1e-9}, "privacy_id is required, since it says who is protected"},
		{rowsOf, toFind{"id", .5, 0}, "values are found at the price of delta"},
		{append(rowsOf[:len(rowsOf):len(rowsOf)], "x INT16"), toFind{"id", .5, 1e-9}, `field "x" is INT16`},
		{rowsOf, few{openPeople, 1, 1e-9}, "privacy_id is required"},
		{rowsOf, toFill{"id", people, .5, 1e-9}, "nothing in it is to be found"},
		{rowsOf, toFill{"none", openPeople, .5, 1e-9}, `privacy_id "none" is another one than that of the domain`},
		{rowsOf, toFill{"id", strings.Replace(openPeople, "age", "years", 1), .5, 1e-9}, `column "years" of the domain is no field of the rows`},
		{rowsOf, toFill{"id", strings.Replace(openPeople, "INT64", "NUMERIC", 1), .5, 1e-9}, `column "age" is NUMERIC in the domain and an int in the rows; to find what it can contain, declare it as INT64`},
		{rowsOf, toFill{"id", openPeople + "seed: 1\n", .5, 1e-9}, `unknown key "seed"`},
		{rowsOf, struct {
			PrivacyID string `beam:"privacy_id"`
			Seed      int64  `beam:"seed"`
		}{"id", 1}, "seed is no option of discover"},
		{rowsOf, struct {
			PrivacyID string  `beam:"privacy_id"`
			Epsilon   float64 `beam:"epsilon"`
			Delta     float64 `beam:"delta"`
			Store     *string `beam:"store"`
		}{"id", .5, 1e-9, &store}, "run_id is required with store"},
	} {
		got := expand(t, askDiscover(t, tt.fields, tt.o)).GetError()
		if !strings.Contains(got, tt.want) || !strings.HasPrefix(got, "dapple: ") || strings.Contains(got, "discover:") {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	req := askDiscover(t, rowsOf, toFind{"id", .5, 1e-9})
	req.PipelineOptions = runner(t, "FlinkRunner")
	if got := expand(t, req).GetError(); !strings.Contains(got, "store is required on FlinkRunner") {
		t.Errorf("a runner that retries: %s", got)
	}
}

// The domain that goes back is a domain file with the charge of the finding, which Synthesize takes.
func TestDiscoveredFile(t *testing.T) {
	columns, err := findColumnsOf(t)
	if err != nil {
		t.Fatal(err)
	}
	o := findOptions{PrivacyID: "id", Epsilon: .5, Delta: 1e-9}
	p, err := o.params(columns)
	if err != nil {
		t.Fatal(err)
	}
	found := &discover.Found{PrivacyID: "id", Columns: []discover.FoundColumn{{Name: "sex", Values: []string{"f", "m"}}, {Name: "note", Left: "nobody shares one"}}}
	data, err := found.Encode()
	if err != nil {
		t.Fatal(err)
	}
	run, err := p.Run()
	if err != nil {
		t.Fatal(err)
	}
	var rows []FoundDomain
	fn := &fileFn{Charge: publish.ChargeOf("one", p.PrivacyID, run)}
	if err := fn.ProcessElement(string(data), func(d FoundDomain) { rows = append(rows, d) }); err != nil {
		t.Fatal(err)
	}
	file, err := schema.Parse("domain", []byte(rows[0].Domain))
	if err != nil {
		t.Fatalf("%v\n%s", err, rows[0].Domain)
	}
	if file.Charge == nil || file.Charge.Epsilon != .5 || file.Charge.PrivacyID != "id" || len(rows[0].LeftOut) != 1 || rows[0].LeftOut[0] != "note: nobody shares one" {
		t.Errorf("%+v of\n%s", rows[0], rows[0].Domain)
	}
}

func findColumnsOf(t *testing.T) ([]discover.Column, error) {
	t.Helper()
	s := &pipepb.Schema{}
	for _, f := range rowsOf {
		s.Fields = append(s.Fields, field(f))
	}
	_, columns, err := findable(s, "id")
	return columns, err
}
