package pipelines

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/schema"
)

const queryColumns = `privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], fallback: Male}
  - {name: age, type: INT64, min: 0, max: 9, null: true}
  - {name: region, type: STRING, values: [N, S, W], fallback: N}
workload:
`

// TestTooManyQueries: queries that no record changes, and too many, are refused with the line or the number.
func TestTooManyQueries(t *testing.T) {
	for text, says := range map[string]string{
		"  - {halfspace: {age: 1}, at_least: 100}":                                "leave it out",
		strings.Repeat("  - {parity: [sex]}\n", query.MaxLinear+1):                "at most 100000",
		"  - {columns: [sex], values: [0, 1]}\n  - {columns: [age], weight: 1}\n": "",
	} {
		file, err := schema.Parse("d.yaml", []byte(queryColumns+text))
		if err != nil {
			t.Fatal(err)
		}
		var f Faults
		if _, ok := (&Request{File: file}).workload(&f); ok != (says == "") || says != "" && !strings.Contains(f.Error(), says) {
			t.Errorf("%.60s: %v, want %q", text, f, says)
		}
	}
}
