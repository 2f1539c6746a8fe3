package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// What fewer than 20 units have is not proposed, however many records they have; identifiers and texts
// are left out.
func TestSupport(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,often,lone,name,tail,empty\n")
	for i := range 10_000 {
		lone := "SECRET"
		if i >= 100 {
			lone = "common"
		}
		tail := "often"
		if i%5 > 1 {
			tail = fmt.Sprint("tail ", i)
		}
		fmt.Fprintf(&b, "p%d,%s,%s,name %d,%s,\n", max(i, 100), []string{"a", "b"}[i%2], lone, i, tail)
	}
	path := put(t, "x.csv", b.String())
	got := propose(t, Params{Input: path, FromData: true, PrivacyID: "id"})
	for _, want := range []string{
		"{name: lone, type: STRING, values: [common], other: true}", "{name: often, type: STRING, values: [a, b], fallback: a}\n",
		"  # - {name: name, type: STRING}  # review: left out: no value has 20 people; is it an identifier, or text?",
		"  # - {name: tail, type: STRING}  # review: left out: most records have values that fewer than 20 people have",
		"  # - {name: empty, type: STRING}  # review: left out: it has no values",
	} {
		must.Hold(t, strings.Contains(got, want), "no %s in\n%s", want, got)
	}
	must.Hold(t, !strings.Contains(got, "SECRET"), "a value of one person is proposed:\n%s", got)
	must.Contain(t, propose(t, Params{Input: path, FromData: true}), "[SECRET, common]", "100 records of nobody's have a category")
}

// TestFrequentKeepsTheFrequent: counts are lower bounds, and a frequent value survives any number of rare
// ones.
func TestFrequentKeepsTheFrequent(t *testing.T) {
	f := newFrequent(maxCounted)
	for i := range 20 * maxCounted {
		f.add(fmt.Appendf(nil, "rare %d", i), 0, false)
		if i%100 == 0 {
			f.add([]byte("frequent"), 0, false)
		}
	}
	values, all := f.supported(false)
	must.Hold(t, len(values) == 1 && values[0] == "frequent" && !all && f.values["frequent"].records <= 20*maxCounted/100+1, "%q, all: %v", values, all)
}
