package expansion

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
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
	resp := expand(t, askDiscover(t, rowsOf, toFill{"id", openPeople, .5, 1e-9}))
	must.Need(t, resp.GetError() == "", "%v", resp.GetError())
	s := &pipepb.Schema{}
	for _, f := range rowsOf {
		s.Fields = append(s.Fields, field(f))
	}
	text := openPeople
	o := findOptions{PrivacyID: "id", Domain: &text}
	open, err := o.open(s)
	must.Need(t, err == nil && len(open.Columns) == 2 && open.Rows, "open is %+v, %v", open, err)
	prior := must.Value((discover.Params{Epsilon: .5, Delta: 1e-9, Share: dp.ShareOf(1, 1)}).Prior())(t)
	prior.ID = "one"
	found := &discover.Found{Prior: prior, PrivacyID: "id", MaxRows: 8, Columns: []discover.FoundColumn{{Name: "age", Type: domain.Int64, Min: "0", Max: "127"}, {Name: "note", Left: "nobody shares one"}}}
	data := must.Value(found.Encode())(t)
	fn := &fileFn{Domain: text}
	must.Do(t, fn.ProcessElement(string(data), func(d FoundDomain) { text = d.Domain }))
	file, err := schema.Parse("domain", []byte(text))
	must.Hold(t, err == nil && file.Charge != nil && file.Domain.Index("note") < 0 && strings.Contains(text, "fallback: f} # as they answered") && strings.Contains(text, "max: 127") && strings.Contains(text, "rows: {max: 8, beyond: [max]}"),
		"%v\n%s", err, text)
}

// askDiscover is a request to find a domain.
func askDiscover(t *testing.T, fields []string, o any) *jobpb.ExpansionRequest {
	t.Helper()
	req := ask(t, fields, o)
	payload := &pipepb.SchemaTransformPayload{}
	must.Do(t, proto.Unmarshal(req.Transform.Spec.Payload, payload))
	payload.Identifier = DiscoverIdentifier
	req.Transform.Spec.Payload = encode(payload)
	return req
}

// The graph of discover has one output, whose row is a domain file with its figures; every name is under the namespace.
func TestExpandDiscover(t *testing.T) {
	resp := expand(t, askDiscover(t, rowsOf, toFind{"id", .5, 1e-9}))
	must.Need(t, resp.GetError() == "", "%v", resp.GetError())
	out := resp.GetTransform().GetOutputs()
	must.Need(t, len(out) == 1 && len(resp.GetTransform().GetSubtransforms()) != 0, "outputs %v", out)
	c := resp.GetComponents()
	s := &pipepb.Schema{}
	must.Do(t, proto.Unmarshal(c.GetCoders()[c.GetPcollections()[out[domainTag]].GetCoderId()].GetSpec().GetPayload(), s))
	got := describe(s)
	must.Hold(t, strings.HasPrefix(got, "domain STRING, epsilon DOUBLE, delta DOUBLE, left_out "), "the output has %s", got)
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
	must.Hold(t, consumed == 1, "the rows are read by %d transforms", consumed)
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
		{rowsOf, toFill{"none", openPeople, .5, 1e-9}, `privacy_id "none" differs from the domain's`},
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
		must.Hold(t, strings.Contains(got, tt.want) && strings.HasPrefix(got, "dapple: ") && !strings.Contains(got, "discover:"), "got  %s\nwant %s", got, tt.want)
	}
	req := askDiscover(t, rowsOf, toFind{"id", .5, 1e-9})
	req.PipelineOptions = runner(t, "FlinkRunner")
	must.Contain(t, expand(t, req).GetError(), "store is required on FlinkRunner", "a runner that retries")
}

// The domain that goes back is a domain file with the charge of the finding, which Synthesize takes.
func TestDiscoveredFile(t *testing.T) {
	columns := must.Value(findColumnsOf(t))(t)
	o := findOptions{PrivacyID: "id", Epsilon: .5, Delta: 1e-9}
	p := must.Value(o.params(columns))(t)
	prior := must.Value(p.Prior())(t)
	prior.ID = "one"
	found := &discover.Found{Prior: prior, PrivacyID: "id", Columns: []discover.FoundColumn{{Name: "sex", Values: []string{"f", "m"}}, {Name: "note", Left: "nobody shares one"}}}
	data := must.Value(found.Encode())(t)
	var rows []FoundDomain
	fn := &fileFn{}
	must.Do(t, fn.ProcessElement(string(data), func(d FoundDomain) { rows = append(rows, d) }))
	file, err := schema.Parse("domain", []byte(rows[0].Domain))
	must.Need(t, err == nil, "%v\n%s", err, rows[0].Domain)
	must.Hold(t, file.Charge != nil && file.Charge.ID == "one" && file.Charge.Epsilon == .5 && file.Charge.PrivacyID == "id" && len(rows[0].LeftOut) == 1 && rows[0].LeftOut[0] == "note: nobody shares one",
		"%+v of\n%s", rows[0], rows[0].Domain)
}

// TestAdoptedFindingStatesItsOwnCharge: what was found under a run ID states what it was drawn with, whoever asks for it again. With
// any other parameter it is refused, and no ε of a call stands on noise that was drawn with another.
func TestAdoptedFindingStatesItsOwnCharge(t *testing.T) {
	dir, id := t.TempDir(), "weekly"
	var rows []ward
	for i := range 3000 {
		rows = append(rows, ward{fmt.Sprint("p", i), []string{"eye", "heart"}[i%2]})
	}
	replace := "replace"
	first, again := "", findOptions{PrivacyID: "id", Epsilon: 8, Delta: 1e-6, Store: &dir, RunID: &id}
	for i, o := range []findOptions{again, again,
		{PrivacyID: "id", Epsilon: .01, Delta: 1e-6}, {PrivacyID: "id", Epsilon: 80, Delta: 1e-6}, {PrivacyID: "id", Epsilon: 8, Delta: 1e-9},
		{PrivacyID: "none", Epsilon: 8, Delta: 1e-6}, {PrivacyID: "id", Epsilon: 8, Delta: 1e-6, Neighbouring: &replace},
	} {
		o.Store, o.RunID = &dir, &id
		columns := must.Value(discover.ColumnsOf(reflect.TypeFor[ward](), o.unit()))(t)
		p := must.Value(o.params(columns))(t)
		pipe, s := beam.NewPipelineWithRoot()
		made := transformtest.Capture[FoundDomain](s, beam.ParDo(s, &fileFn{}, discover.Discover(s, beam.CreateList(s, rows), p)))
		if i >= 2 {
			must.Fail(t, ptest.Run(pipe), "was found with other parameters, of ε = 8 and δ = 1e-06: use another run ID", "finding %d adopts another", i)
			continue
		}
		transformtest.Run(t, pipe)
		got := made.Elements()[0]
		if i == 0 {
			first = got.Domain
		}
		if file, err := schema.Parse("domain", []byte(got.Domain)); err != nil || got.Domain != first || file.Charge.Epsilon != 8 || file.Charge.ID == "" || file.Charge.ID == id {
			t.Errorf("finding %d, %v:\n%s", i, err, got.Domain)
		}
	}
}

// TestFoundDomainAndItsReleases: under one book a finding and each release with its domain are entries of their own, however often a
// pipeline is launched; a release says what found its domain, and one that asks otherwise under its run ID is refused.
func TestFoundDomainAndItsReleases(t *testing.T) {
	dir, ledger := t.TempDir(), filepath.Join(t.TempDir(), "people.book")
	terms := book.Terms{Name: "clinic", PrivacyID: "id", Neighbouring: "add_remove", Epsilon: 20, Delta: 1e-3, Inputs: []string{"wards"}}
	must.Value(book.Create(t.Context(), ledger, terms))(t)
	var rows []ward
	for i := range 3000 {
		rows = append(rows, ward{fmt.Sprint("p", i), []string{"eye", "heart"}[i%2]})
	}
	id, text := "find", ""
	find := findOptions{PrivacyID: "id", Epsilon: 4, Delta: 1e-6, Store: &dir, RunID: &id, Ledger: &ledger}
	columns := must.Value(discover.ColumnsOf(reflect.TypeFor[ward](), "id"))(t)
	for range 2 {
		p := must.Value(find.params(columns))(t)
		pipe, s := beam.NewPipelineWithRoot()
		made := transformtest.Capture[FoundDomain](s, beam.ParDo(s, &fileFn{}, discover.Discover(s, beam.CreateList(s, rows), p)))
		transformtest.Run(t, pipe)
		text = made.Elements()[0].Domain
	}
	file := must.Value(schema.Parse("domain", []byte(text)))(t)
	replace := dp.Replace
	for i, c := range []struct {
		run    string
		change func(*synth.Params)
		want   string // of an error; empty: none
		runs   int
	}{
		{"monday", func(*synth.Params) {}, "", 1}, {"monday", func(*synth.Params) {}, "", 1}, {"tuesday", func(*synth.Params) {}, "", 2},
		{"tuesday", func(p *synth.Params) { p.Epsilon = .5 }, "was made with ε 1, and this request has 0.5: use another run ID", 2},
		{"tuesday", func(p *synth.Params) { p.Delta = 1e-9 }, "was made with δ 1e-06, and this request has 1e-09: use another run ID", 2},
		{"tuesday", func(p *synth.Params) { p.Method = "dpam" }, "was made with method rake, and this request has dpam: use another run ID", 2},
		{"tuesday", func(p *synth.Params) { p.Neighbouring = replace }, "neighbouring is replace, and the domain was found for add_remove", 2},
		{"tuesday", func(p *synth.Params) {
			p.Domain = &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "ward", Type: domain.String, Values: []string{"eye", "ear"}, HasFallback: true, Fallback: 1}}}
		}, "with another domain: use another run ID", 2},
	} {
		p := synth.Params{Domain: file.Domain, Epsilon: 1, Delta: 1e-6, RunID: c.run, Store: archive.In(dir), Book: ledger}
		c.change(&p)
		said, err := described(t.Context(), file, p)
		var statement Statement
		if err == nil {
			pipe, s := beam.NewPipelineWithRoot()
			_, release := synth.Synthesize(s, beam.CreateList(s, rows), p)
			got := transformtest.Capture[Statement](s, state(s, release, p, said))
			if err = transformtest.RunOn("direct", pipe); err == nil {
				statement = got.Elements()[0]
			}
		}
		if text := fmt.Sprint(errtext.Of(err)); (err == nil) != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("release %d: %s, want %q", i, text, c.want)
		} else if err == nil && (said.Found.TogetherEpsilon != 5 || !strings.Contains(statement.Privacy, "the domain was found with ε = 4 and δ = 1e-06, and all releases that use it share that: with this one it is ε = 5 and δ = 2e-06")) {
			t.Errorf("release %d states %+v in\n%s", i, said.Found, statement.Privacy)
		}
		b := must.Value(book.Open(t.Context(), ledger))(t)
		if list := b.Standing(); len(list) != 1+c.runs || list[0].Key != book.FoundKey(file.Charge.ID) {
			t.Errorf("release %d: %d charges, want that of the finding and %d", i, len(list), c.runs)
		}
	}
}

type ward struct {
	ID   string `dapple:"id" beam:"id"`
	Ward string `dapple:"ward" beam:"ward"`
}

func init() { beam.RegisterType(reflect.TypeFor[ward]()) }

func findColumnsOf(t *testing.T) ([]discover.Column, error) {
	t.Helper()
	s := &pipepb.Schema{}
	for _, f := range rowsOf {
		s.Fields = append(s.Fields, field(f))
	}
	_, columns, err := findable(s, "id")
	return columns, err
}
