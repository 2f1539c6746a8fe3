package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// told is all that a curator can say.
var told = map[string]string{
	"name": "Visits 2024", "curator": "City Hospital", "curator_type": "Nonprofit", "authors": "A. Author; B. Writer", "use": "teaching",
	"region": "somewhere", "sector": "Healthcare", "source": "bigquery shop.raw.visits", "security": "two people have access",
	"justification": "plan at a target of 0.02", "other_releases": "none is planned", "licence": "https://creativecommons.org/licenses/by/4.0/",
}

// released is a statement of a run on columns of every type, one of them computed and one made up.
func released(about map[string]string, pure bool) Privacy {
	d := &domain.Domain{PrivacyID: "person", Generated: []domain.Generated{{Column: "key", As: "uuid"}}}
	for _, t := range domain.Types() {
		a := domain.Attribute{Name: strings.ToLower(t.String()), Type: t, Null: true, Resolution: 1}
		switch {
		case t.Facts().Categories:
			a.Values = []string{"0", "1"}
		case t == domain.Float64:
			a.FloatCuts = []float64{0, 1}
		default:
			a.Cuts = []int64{0, 10}
		}
		d.Attributes = append(d.Attributes, a)
	}
	d.Derived = []domain.Derived{{Column: domain.Attribute{Name: "twice", Type: domain.Int64}, From: "int64 * 2", Place: 99}}
	d.Orders = []domain.Order{{Columns: []string{"date", "datetime"}}}
	s := accountant.Statement{Epsilon: 1, Delta: 1e-9, AchievedEpsilon: 1, Neighbouring: "AddRemove", Accounting: "GDP", Conversion: "GDP", Capacity: "1/2",
		Ledger: []accountant.Line{{Stage: "measure", Kind: "discrete_gaussian", Count: 3, Scale: "sigma2=25", Rho: "1/4"}}}
	if pure {
		s.Delta, s.Neighbouring = 0, "Replace"
	}
	p := New(Run{Statement: s, Domain: d, Total: query.Total{Units: 1000, Variance: 25}, Method: "rake", Rows: 1000,
		Told: Told{RowsAt: "out", RowsFormat: "parquet", About: about, Began: "2026-01-31T12:00:00Z"}})
	p.Hashes.Rows = strings.Repeat("0", 64)
	return p
}

// The statement says what an unusable value becomes, also in columns whose bins are learned: those are coded by their
// values, so that NULL is not the last of their cells.
func TestDictionaryOfUnusableValues(t *testing.T) {
	learned := domain.Attribute{Name: "age", Type: domain.Int64, Cuts: []int64{10, 99}, Learned: 20, Resolution: 5, Null: true}
	fallback := learned
	fallback.Null, fallback.HasFallback, fallback.Fallback = false, true, 3
	price := domain.Attribute{Name: "price", Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 1000}, Learned: 20, Resolution: 5, Null: true}
	binned := domain.Attribute{Name: "size", Type: domain.Float64, FloatCuts: []float64{0, 1, 2}, FloatResolution: .5, HasFallback: true, Fallback: 1}
	closed := domain.Attribute{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, Other: true, OtherValue: "other"}
	d := &domain.Domain{Attributes: []domain.Attribute{learned, fallback, price, binned, closed}}
	var got []string
	for _, c := range dictionary(d, nil) {
		got = append(got, fmt.Sprint(c.Unusable, " ", c.Multiple, " ", c.Learned))
	}
	must.List(t, got, []string{"NULL 5 true", "25 5 true", "NULL 0.05 true", "[1, 2] 0.5 false", "other  false"})
}

// What is done to columns that are not modelled is among the steps after the noise.
func TestPostProcessingIsListed(t *testing.T) {
	p := released(nil, false)
	must.Contain(t, strings.Join(p.Process.After, "; "), "computed from others or made up")
}

// schemaOf compiles a published form; part names a definition of it.
func schemaOf(t *testing.T, path, part string) *jsonschema.Schema {
	t.Helper()
	b := must.Value(os.ReadFile(path))(t)
	var doc any
	must.Do(t, yaml.Unmarshal(b, &doc)) // JSON is YAML
	doc.(map[string]any)["$id"] = "https://example.org/form"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	must.Do(t, c.AddResource("https://example.org/form", doc))
	s := must.Value(c.Compile("https://example.org/form" + part))(t)
	return s
}

// A record is valid in the registry's own form, whatever the curator has left out that may be; and is refused without
// what may not.
func TestRegistryRecord(t *testing.T) {
	form := schemaOf(t, "testdata/deployments-schema.yaml", "")
	least := maps.Clone(told)
	maps.DeleteFunc(least, func(key, _ string) bool { return !slices.Contains(registryNeeds, key) })
	for _, about := range []map[string]string{told, least} {
		for _, pure := range []bool{false, true} {
			b := must.Value(released(about, pure).Registry())(t)
			var record any
			must.Do(t, yaml.Unmarshal(b, &record))
			err := form.Validate(record)
			must.Hold(t, err == nil, "%v\n%s", err, b)
			for _, want := range []string{"City Hospital", "Synthetic data", "2026-01-31", map[bool]string{false: "Approximate DP", true: "Pure DP"}[pure], "one person"} {
				must.Hold(t, bytes.Contains(b, []byte(want)), "%s lacks %q", b, want)
			}
			record.(map[string]any)["deployment"].(map[string]any)["surprise"] = 1
			must.Hold(t, form.Validate(record) != nil, "the form takes anything")
		}
	}
	for _, key := range registryNeeds {
		about := maps.Clone(told)
		delete(about, key)
		must.Fails(released(about, false).Registry())(t, key)
	}
}

// The description has every column, the promise and the curator's words.
func TestCroissant(t *testing.T) {
	files := []RowFile{{"part-0.parquet", strings.Repeat("1", 64)}, {"part-1.parquet", strings.Repeat("2", 64)}}
	for _, n := range []int{0, 1, 2} {
		p := released(told, false)
		b := must.Value(p.Croissant(files[:n]))(t)
		var d struct {
			Distribution []map[string]any `json:"distribution"`
			RecordSet    []struct {
				Field []map[string]any `json:"field"`
			} `json:"recordSet"`
		}
		must.Do(t, json.Unmarshal(b, &d))
		want := []int{0, 1, 3}[n]
		must.Hold(t, len(d.Distribution) == want, "%d files: %d entries, want %d", n, len(d.Distribution), want)
		must.Hold(t, n == 0 || len(d.RecordSet[0].Field) == len(p.Dictionary), "fields %v, want %d", d.RecordSet, len(p.Dictionary))
		for _, want := range []string{"Visits 2024", "City Hospital", "teaching", p.Guarantee(), `"rai:hasSyntheticData": true`} {
			must.Hold(t, bytes.Contains(b, []byte(want)), "%s lacks %q", b, want)
		}
		for _, f := range d.RecordSet {
			for _, field := range f.Field {
				must.Hold(t, field["dataType"] != nil && field["dataType"] != "", "no type: %v", field)
			}
		}
	}
}

// The statement names every column of the rows, how those come about that are not modelled, and the constraints.
func TestDictionaryIsWhole(t *testing.T) {
	p := released(nil, false)
	got := p.columnNames()
	must.Hold(t, strings.HasPrefix(got, "key, string, ") && strings.HasSuffix(got, ", twice") && len(p.Dictionary) == 11, "columns %s", got)
	must.Hold(t, p.Dictionary[0].Made == "made up as uuid, never from data" && p.Dictionary[10].Made == "computed as int64 * 2",
		"got %+v and %+v", p.Dictionary[0], p.Dictionary[10])
	must.Hold(t, slices.Equal(p.Constraints, []string{"date <= datetime"}), "constraints %v", p.Constraints)
}
