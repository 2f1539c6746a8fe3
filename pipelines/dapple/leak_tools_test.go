package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// evaluate and infer pay no budget: what they print is about the true table, and says so. Their errors and
// progress lines are nevertheless copied into tickets and logs, so that these hold no cell either; nor does
// evaluate print a text that the domain does not declare. Its quantiles and frequent values are numbers and dates of the table.

// brokenTables are inputs with canaries in a malformed line. Evaluate and infer read it, but for an open quote.
var brokenTables = map[string]string{
	"too few cells":      peopleHeader + canaryRecords() + canaryID + "," + canaryText + "\n",
	"too many cells":     peopleHeader + canaryRecords() + strings.Repeat(canaryText+",", 9) + "\n",
	"bare quote":         peopleHeader + canaryRecords() + canaryID + "," + canaryText + "\"x,1,1,1\n",
	"text after a quote": peopleHeader + canaryRecords() + canaryID + ",\"" + canaryText + "\"" + canaryText + ",1,1,1\n",
	"open quote":         peopleHeader + canaryRecords() + canaryID + ",\"" + canaryText + "\n" + canaryRecords(),
}

var brokenStatus = map[string]int{"open quote": 1}

func TestEvaluateCanaries(t *testing.T) {
	dir := people(t, 200)
	dapple(t, dir, synth("--quiet", "--rows=100")...).want(t, 0)
	evaluate := func(t *testing.T, table string) ended {
		put(t, dir, "people.csv", table)
		return dapple(t, dir, "evaluate", "--domain=people.yaml", "--input=people.csv", "--synthetic=out", "--json=errors.json")
	}
	good := evaluate(t, peopleHeader+canaryRecords())
	good.want(t, 0)
	noText(t, "standard output", []byte(good.stdout))
	noCanary(t, "standard error", []byte(good.stderr))
	figures := must.Value(os.ReadFile(filepath.Join(dir, "errors.json")))(t)
	noText(t, "errors.json", figures)
	for name, table := range brokenTables {
		t.Run(name, func(t *testing.T) {
			bad := evaluate(t, table)
			bad.want(t, brokenStatus[name])
			noText(t, "standard output", []byte(bad.stdout))
			noCanary(t, "standard error", []byte(bad.stderr))
		})
	}
	bad := evaluate(t, canaryRecords()) // a record for a header
	bad.want(t, 2, "--input: people.csv: the header line has no column")
	noCanary(t, "standard error", []byte(bad.stderr))
}

// noText is noCanary for what may hold the table's numbers and dates.
func noText(t *testing.T, place string, content []byte) {
	t.Helper()
	for _, name := range shown(content) {
		must.Hold(t, strings.HasPrefix(name, "the number") || name == "the day", "%s shows %s", place, name)
	}
}

func TestInferCanaries(t *testing.T) {
	dir := tableOf(t, peopleHeader+canaryRecords())
	peopleParquet(t, dir)
	for _, input := range []string{"people.csv", "people.parquet"} {
		names := dapple(t, dir, "infer", "--input="+input, "--privacy_id=person_id")
		names.want(t, 0)
		noCanary(t, "a proposal from names and types", []byte(names.stdout))
		noCanary(t, "standard error", []byte(names.stderr))
		from := dapple(t, dir, "infer", "--input="+input, "--privacy_id=person_id", "--from_data", "--output="+input+".yaml")
		from.want(t, 0)
		noCanary(t, "standard output", []byte(from.stdout))
		noCanary(t, "standard error", []byte(from.stderr))
	}
	for name, table := range brokenTables {
		t.Run(name, func(t *testing.T) {
			dir := tableOf(t, table)
			bad := dapple(t, dir, "infer", "--input=people.csv", "--privacy_id=person_id", "--from_data", "--output=x.yaml")
			bad.want(t, brokenStatus[name])
			noCanary(t, "standard output", []byte(bad.stdout))
			noCanary(t, "standard error", []byte(bad.stderr))
			if bad.status != 0 {
				noOutput(t, filepath.Join(dir, "x.yaml"))
			}
		})
	}
}
