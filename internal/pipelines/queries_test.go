package pipelines

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
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
		file := must.Value(schema.Parse("d.yaml", []byte(queryColumns+text)))(t)
		var f Faults
		_, ok := (&Request{File: file}).workload(&f)
		must.Hold(t, ok == (says == "") && (says == "" || strings.Contains(f.Error(), says)), "%.60s: %v, want %q", text, f, says)
	}
}

// answersOfFile reads text, source and value of each query in _answers.parquet.
func answersOfFile(t *testing.T, output string) (words map[string][]string, values map[string]float64) {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join(output+".release", publish.AnswersFile)))(t)
	columns := []parquetio.Figures{{Name: "id", Words: []string{}}, {Name: "query", Words: []string{}}, {Name: "from", Words: []string{}}, {Name: "value"}, {Name: "standard_error"}, {Name: "low"}, {Name: "high"}}
	f := must.Value(parquetio.ReadFigures(bytes.NewReader(b), publish.AnswersFile, columns))(t)
	words, values = map[string][]string{}, map[string]float64{}
	for i, id := range f[0].Words {
		words[id], values[id] = []string{f[1].Words[i], f[2].Words[i]}, f[3].Numbers[i]
		value, s, low, high := f[3].Numbers[i], f[4].Numbers[i], f[5].Numbers[i], f[6].Numbers[i]
		must.Hold(t, s > 0 && low <= value && value <= high && high > low, "query %s: %g, standard error %g, %g to %g", id, value, s, low, high)
	}
	return words, values
}

// TestAnswers: the queries of a workload are answered in the release, under the number of their entry, with the values that query
// gives; on the page, which is drawn again alike; and a file of other answers is refused. Without such queries there is no file.
func TestAnswers(t *testing.T) {
	entries := "workload:\n  - {columns: [plan, active]}\n  - {count: {plan: [basic, plus], active: true}}\n  - {prefixes: plan}\n  - parity: [active, plan]\n  - {columns: [active], values: [-0.5, 1]}\n"
	for method, from := range map[string]string{"dpam": "measured", "dpfw": "modelled"} {
		c := shop(t, 4000)
		c.Method = method
		put(t, c.Domain, shopDomain+entries)
		mustRun(t, c)
		words, values := answersOfFile(t, c.Output)
		for id, text := range map[string]string{"2": "count: {plan: [basic, plus], active: true}", "3.1": "prefixes: plan, up to basic", "3.2": "prefixes: plan, up to plus", "3.3": "prefixes: plan, up to pro",
			"4": "parity: [active, plan]", "5": "columns: [active], values: [-0.5, 1]"} {
			must.Equal(t, fmt.Sprint(words[id]), fmt.Sprint([]string{text, from}), "%s: query %s", method, id)
		}
		must.Hold(t, len(words) == 6, "%s: %d answers", method, len(words))
		count := func(where string) float64 {
			a := must.Value(queried(QueryConfig{Dir: c.Output, SQL: "SELECT COUNT(*) FROM rows WHERE " + where}))(t)
			return a.Answers[0].Value
		}
		even := count("plan IN (basic, pro) AND active = false OR plan NOT IN (basic, pro) AND active = true")
		odd := count("plan IN (basic, pro) AND active = true OR plan NOT IN (basic, pro) AND active = false")
		for id, want := range map[string]float64{"2": count("plan IN (basic, plus) AND active = true"), "3.2": count("plan IN (basic, plus)"), "4": even - odd,
			"5": count("active = true") - .5*count("active = false")} {
			must.Hold(t, math.Abs(values[id]-want) <= 1e-6, "%s: query %s has the answer %g, and query says %g", method, id, values[id], want)
		}
		checkAnswersPage(t, c, words)
	}
	c := shop(t, 100)
	mustRun(t, c)
	must.Fails(os.Stat(filepath.Join(c.Output+".release", publish.AnswersFile)))(t, "", "a workload without queries has answers")
}

// checkAnswersPage looks at the page of a run with queries, and then gives it the answers of another.
func checkAnswersPage(t *testing.T, c Config, words map[string][]string) {
	t.Helper()
	page := must.Value(os.ReadFile(filepath.Join(c.Output+".release", publish.ReportFile)))(t)
	for _, w := range words {
		must.Hold(t, strings.Contains(string(page), "<bdi>"+html.EscapeString(w[0])+"</bdi>"), "the page has no query %s", w[0])
	}
	again := filepath.Join(t.TempDir(), "again.html")
	must.Do(t, drawn(ReportConfig{Dir: c.Output, HTML: again}))
	b, err := os.ReadFile(again)
	must.Hold(t, err == nil && bytes.Equal(b, page), "the page is drawn anew as another one: %v", err)
	other := c
	other.Output += "2"
	mustRun(t, other)
	swapIn(t, c.Output+".release", other, publish.AnswersFile, true)
	must.Fails(verified(VerifyConfig{Dir: c.Output}))(t, "_privacy.json is the statement of another _answers.parquet", "answers of another run")
}
