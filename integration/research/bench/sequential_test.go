package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestModelled: a line of the page has a program's title, ε if it has one, and settings; the versions are those that the script pins.
func TestModelled(t *testing.T) {
	report := &evaluate.Report{Real: evaluate.Comparison{Widths: []evaluate.Width{{}, {AverageTV: .25}}, People: &evaluate.People{Sequences: &evaluate.Sequences{
		Transitions: []evaluate.Transition{{Pairs: evaluate.Share{TV: .2}, First: evaluate.Share{TV: .1}}, {Pairs: evaluate.Share{TV: .4}}},
		Gaps:        evaluate.Share{TV: .3},
	}}}}
	h := families.Histories()[0]
	m := must.Value(newModelled(h, "mostly-8", []byte(`{"Version": "p 1.0", "Settings": "so", "Spent": 7.5}`), 60, report))(t)
	got := strings.Join(m.cells(), "|")
	want := "careers|MOSTLY AI, noise|7.50|0.4000|0.3000|0.1000|0.3000|0.0000|0.2500|60|" + m.Date + "|p 1.0; so"
	must.Hold(t, got == want, "%s, want %s", got, want)
	script := must.Value(os.ReadFile("sequential.py"))(t)
	var all []modelled
	err := readLines(modelledFile, &all)
	must.Need(t, err == nil && len(all) != 0, "%v, %v", len(all), err)
	for _, m := range all {
		name, version, _ := strings.Cut(m.Version, " ")
		must.Hold(t, strings.Contains(string(script), `"`+name+`": "`+version+`"`), "sequential.py pins no %s", m.Version)
	}
}
