package schema

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestJSON: a domain file written as JSON declares the same, and names its faults as before.
func TestJSON(t *testing.T) {
	for _, path := range []string{"testdata/product.yaml", "../../../examples/visits/people.yaml", "../../../examples/constraints/stays.yaml"} {
		data := must.Value(os.ReadFile(path))(t)
		want := must.Value(Parse("domain", data))(t)
		text, err := JSON("domain", data)
		must.Need(t, err == nil && json.Valid(text), "%s: %v\n%s", path, err, text)
		got, err := Parse("domain", text)
		must.Hold(t, err == nil && reflect.DeepEqual(got.Domain, want.Domain), "%s: declares another domain: %v\n%s", path, err, text)
	}
	pairs := "privacy_id: none\ncolumns: [{name: a, type: STRING, values: [x, y], null: true}, {name: b, type: INT64, min: 0, max: 1, null: true}]\n" +
		"constraints: [{derive: c, from: [a, b], map: {x: {0: 3.5, 1: 4}, y: {1: 2}}, else: 1}]\n"
	want := must.Value(Parse("domain", []byte(pairs)))(t)
	got, err := Parse("domain", must.Value(JSON("domain", []byte(pairs)))(t))
	if err != nil || !reflect.DeepEqual(got.Domain, want.Domain) || len(want.Domain.Derived) != 1 || len(want.Domain.Derived[0].Map) != 3 {
		t.Errorf("a map of two columns: %v", err)
	}
	must.Fails(JSON("domain", []byte("privacy_id: none\ncolumns: [{name: a}]")))(t, "", "a faulty file was written")
	odd := "privacy_id: none\ncolumns:\n  - {name: a, type: STRING, values: [No, 007, 1e3, \"null\", 0x10, .inf, \"<é\u2028\"], null: true}\n"
	if text, err := JSON("domain", []byte(odd)); err != nil || string(text) != `{"privacy_id":"none","columns":[{"name":"a","type":"STRING","values":["No","007",1e3,"null","0x10",".inf","<é\u2028"],"null":true}]}` {
		t.Errorf("got %s, %v", text, err)
	}
}
