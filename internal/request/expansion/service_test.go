package expansion

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
)

var update = flag.Bool("update", false, "write golden files")

func TestMain(m *testing.M) {
	beam.Init()
	m.Run()
}

// Every name of the graph is under the namespace or the caller's, and names something; the outputs have the columns that
// are written, without the privacy ID and without fields that are none, and their logical types.
func TestExpand(t *testing.T) {
	req := ask(t, rowsOf, few{people, 1, 1e-9})
	resp := expand(t, req)
	must.Need(t, resp.GetError() == "", "%v", resp.GetError())
	c := resp.GetComponents()
	known := func(what, id string, there bool) {
		must.Hold(t, there && (strings.HasPrefix(id, "external_7_") || id == "theirs" || id == "rows" || id == "all"),
			"%s %q is not there, or under no namespace", what, id)
	}
	consumed := 0
	names := map[string]bool{}
	for id, tr := range c.GetTransforms() {
		known("transform", id, true)
		if names[tr.GetUniqueName()] || !strings.HasPrefix(tr.GetUniqueName(), "Make people up/") {
			t.Errorf("transform %q is not the only one of its name below the caller's", tr.GetUniqueName())
		}
		names[tr.GetUniqueName()] = true
		must.Hold(t, !strings.HasPrefix(tr.GetSpec().GetUrn(), placeholder), "%s is left", tr.GetSpec().GetUrn())
		for _, sub := range tr.GetSubtransforms() {
			known("transform", sub, c.GetTransforms()[sub] != nil)
		}
		for _, m := range []map[string]string{tr.GetInputs(), tr.GetOutputs()} {
			for _, col := range m {
				known("collection", col, c.GetPcollections()[col] != nil)
				if col == "theirs" && len(tr.GetSubtransforms()) == 0 {
					consumed++
				}
			}
		}
		if env := tr.GetEnvironmentId(); env != "" {
			known("environment", env, c.GetEnvironments()[env] != nil)
		}
		if tr.GetSpec().GetUrn() == "beam:transform:combine_per_key:v1" {
			p := &pipepb.CombinePayload{}
			must.Do(t, proto.Unmarshal(tr.GetSpec().GetPayload(), p))
			known("coder", p.GetAccumulatorCoderId(), c.GetCoders()[p.GetAccumulatorCoderId()] != nil)
		}
	}
	must.Hold(t, consumed == 1, "the rows are read by %d transforms", consumed)
	for id, col := range c.GetPcollections() {
		known("collection", id, true)
		known("coder", col.GetCoderId(), c.GetCoders()[col.GetCoderId()] != nil)
		known("windowing", col.GetWindowingStrategyId(), c.GetWindowingStrategies()[col.GetWindowingStrategyId()] != nil)
	}
	for id, cd := range c.GetCoders() {
		known("coder", id, true)
		for _, part := range cd.GetComponentCoderIds() {
			known("coder", part, c.GetCoders()[part] != nil)
		}
	}
	out := resp.GetTransform().GetOutputs()
	must.Hold(t, len(out) == 2 && len(resp.GetTransform().GetSubtransforms()) != 0, "outputs %v of %v", out, resp.GetTransform().GetSubtransforms())
	for tag, want := range map[string]string{
		rowsTag:      "sex STRING, age INT64, born beam:logical_type:date:v1?",
		statementTag: "guarantee STRING, epsilon DOUBLE, delta DOUBLE, method STRING, units DOUBLE, cell_error DOUBLE?, tv DOUBLE?, ledger STRING, privacy STRING, model_sha256 STRING, model_place STRING?",
	} {
		got := output(t, resp, tag)
		must.Hold(t, got == want, "%s:\n%s, want\n%s", tag, got, want)
	}
}

// Many rows of a person come with its number, under the name of the privacy ID, and with the column that orders them. What the
// model has besides is nobody's column.
func TestExpandPeopleWithManyRows(t *testing.T) {
	visits := "  - {name: visits, type: INT64, min: 0, max: 9, fallback: 0}\n"
	for domain, want := range map[string]string{
		people + "events: {person: [sex], rows: {max: 5}, usual: [age]}":           "sex STRING, age INT64, born beam:logical_type:date:v1?, id INT64",
		people + visits + "events: {person: [sex], rows: {max: 5}, order: visits}": "sex STRING, age INT64, born beam:logical_type:date:v1?, visits INT64, id INT64",
	} {
		resp := expand(t, ask(t, append(slices.Clone(rowsOf), "visits INT64"), few{domain, 1, 1e-9}))
		if resp.GetError() != "" {
			t.Errorf("%s:\n%s", domain, resp.GetError())
		} else if got := output(t, resp, rowsTag); got != want {
			t.Errorf("%s:\n%s, want\n%s", domain, got, want)
		}
	}
}

// output describes the schema of an output.
func output(t *testing.T, resp *jobpb.ExpansionResponse, tag string) string {
	t.Helper()
	c, s := resp.GetComponents(), &pipepb.Schema{}
	col := c.GetPcollections()[resp.GetTransform().GetOutputs()[tag]]
	must.Do(t, proto.Unmarshal(c.GetCoders()[col.GetCoderId()].GetSpec().GetPayload(), s))
	return describe(s)
}

func describe(s *pipepb.Schema) string {
	var fields []string
	for _, f := range s.GetFields() {
		kind := f.GetType().GetLogicalType().GetUrn()
		if kind == "" {
			kind = f.GetType().GetAtomicType().String()
		}
		if f.GetType().GetNullable() {
			kind += "?"
		}
		fields = append(fields, f.GetName()+" "+kind)
	}
	return strings.Join(fields, ", ")
}

// The options, their types and what is said of them stand in a golden file, which people read in Python and YAML.
func TestDiscover(t *testing.T) {
	resp := must.Value(new(Server).DiscoverSchemaTransform(t.Context(), nil))(t)
	c := resp.GetSchemaTransformConfigs()[Identifier]
	got := fmt.Sprintf("%v → %v\n%s\n", c.GetInputPcollectionNames(), c.GetOutputPcollectionNames(), c.GetDescription())
	for _, f := range c.GetConfigSchema().GetFields() {
		kind := f.GetType().GetAtomicType().String()
		if f.GetType().GetArrayType() != nil {
			kind = "ARRAY<ARRAY<" + f.GetType().GetArrayType().GetElementType().GetArrayType().GetElementType().GetAtomicType().String() + ">>"
		}
		if f.GetType().GetNullable() {
			kind += "?"
		}
		got += fmt.Sprintf("\n%s %s\n  %s\n", f.GetName(), kind, f.GetDescription())
	}
	golden := filepath.Join("testdata", "options.txt")
	if *update {
		must.Do(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	must.Equal(t, string(must.Value(os.ReadFile(golden))(t)), got)
}

// Releases of one budget count together, whatever each of them says, and one that does not fit is refused.
func TestBudgetOfSeveralReleases(t *testing.T) {
	type shared struct {
		Domain  string  `beam:"domain"`
		Epsilon float64 `beam:"epsilon"`
		Delta   float64 `beam:"delta"`
		Budget  string  `beam:"budget"`
		E       float64 `beam:"budget_epsilon"`
		D       float64 `beam:"budget_delta"`
	}
	s := &Server{}
	for _, c := range []struct {
		o    shared
		want string // of the refusal; empty: it is expanded
	}{
		{shared{people, .6, 1e-9, "a", 1, 1e-9}, ""},
		{shared{people, .6, 1e-9, "a", 1, 1e-9}, ""},
		{shared{people, .6, 1e-9, "a", 1, 1e-9}, "does not fit a Budget of ε = 1 and δ = 1e-09, to which 2 before it are charged"},
		{shared{people, .6, 1e-9, "b", 1, 1e-9}, ""},
		{shared{people, .1, 1e-9, "b", 2, 1e-9}, "budget b has ε = 1 and δ = 1e-09, and this release says 2 and 1e-09; say the same"},
		{shared{people, .1, 1e-9, "", 2, 1e-9}, "name it by budget"},
	} {
		resp, err := s.Expand(t.Context(), ask(t, rowsOf, c.o))
		if said := resp.GetError(); err != nil || (said == "") != (c.want == "") || !strings.Contains(said, c.want) || strings.Contains(said, "Synthesize:") {
			t.Errorf("%+v: %q (error %v), want %q", c.o, said, err, c.want)
		}
	}
}

// A budget book needs a run ID. What found the domain is charged to it when the pipeline is made, once.
func TestLedger(t *testing.T) {
	type booked struct {
		Domain  string  `beam:"domain"`
		Epsilon float64 `beam:"epsilon"`
		Delta   float64 `beam:"delta"`
		Ledger  string  `beam:"ledger"`
		RunID   string  `beam:"run_id"`
	}
	dir := filepath.Join(t.TempDir(), "people.book")
	terms := book.Terms{Name: "clinic", PrivacyID: "id", Neighbouring: "add_remove", Epsilon: 3, Delta: 1e-6, Inputs: []string{"people.csv"}}
	must.Value(book.Create(t.Context(), dir, terms))(t)
	prior := accountant.Prior{ID: "one", Params: accountant.Params{Accounting: dp.GaussianOnly, Epsilon: .1, Delta: 1e-9, Coordinates: 1000}, Share: dp.ShareOf(1, 1)}
	charge := must.Value(publish.ChargeOf(&discover.Found{Prior: prior, PrivacyID: "id"}))(t)
	for _, c := range []struct {
		o    booked
		want string
	}{
		{booked{people, .1, 1e-9, dir, ""}, "run_id is required with ledger"},
		{booked{people + charge.String(), .1, 1e-9, t.TempDir(), "a"}, "holds no budget book"},
		{booked{people + charge.String(), .1, 1e-9, dir, "a"}, ""},
		{booked{people + charge.String(), .1, 1e-9, dir, "b"}, ""},
	} {
		resp, err := new(Server).Expand(t.Context(), ask(t, rowsOf, c.o))
		said := resp.GetError()
		must.Hold(t, err == nil && (said == "") == (c.want == "") && strings.Contains(said, c.want), "%+v: %q (error %v), want %q", c.o, said, err, c.want)
	}
	b := must.Value(book.Open(t.Context(), dir))(t)
	list := b.Standing()
	must.Hold(t, len(list) == 1 && list[0].Key == "found-one", "%d charges, want that of the finding", len(list))
}
