package bigquery

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A table of BigQuery becomes rows without a domain file. Types come from its columns, and the rest is found: people with
// several rows each, and no value that only one of them has. A column that cannot be read is left out, with the reason. Noise makes a
// range or the number of rows larger, or a column one that changes, in one of some hundreds of runs: that is not compared.
func TestTableWithoutDomain(t *testing.T) {
	r := newRig(t, true)
	execute(t, r.BigQuery, "CREATE TABLE d.visits (who INT64 NOT NULL, town STRING, age INT64, fee NUMERIC(6, 2), day DATE, seen BOOL, note STRING, tags ARRAY<STRING>)")
	execute(t, r.BigQuery, `INSERT INTO d.visits (who, town, age, fee, day, seen, note)
		SELECT DIV(i, 2), IF(MOD(DIV(i, 2), 3) = 0, 'Köln', 'Bonn'), 18 + MOD(DIV(i, 2), 80), CAST(MOD(i, 50) AS NUMERIC) + 0.25,
			DATE_ADD(DATE '2023-01-01', INTERVAL MOD(i, 700) DAY), MOD(i, 3) = 0, CONCAT('note ', CAST(i AS STRING))
		FROM UNNEST(GENERATE_ARRAY(0, 7999)) AS i`)
	dir := t.TempDir()
	c := pipelines.Config{
		Input: "bq://test.d.visits", Output: filepath.Join(dir, "out"), PrivacyID: "who", Rows: 500,
		Epsilon: 5, Delta: 1e-6, Runner: "direct", Shards: 2, Services: reached(r.Config()),
	}
	ctx := services.Deadline(t)
	execute(t, r.BigQuery, "CREATE VIEW d.seen AS SELECT who, town FROM d.visits")
	view := c
	view.Input = "bq://test.d.seen"
	must.Fails(pipelines.ValidateFind(ctx, view))(t, "--input: has no state that a second reading can be compared with", "a view")
	req, err := pipelines.ValidateFind(ctx, c)
	must.Do(t, err)
	res := must.Value(pipelines.RunFound(ctx, req))(t)
	data := must.Value(os.ReadFile(filepath.Join(c.Output+".release", publish.DomainFile)))(t)
	for _, want := range []string{
		`name: "town", type: STRING, values: ["Bonn", "Köln"]`, `name: "age", type: INT64, min: `, `name: "fee", type: NUMERIC, min: `, `resolution: 0.0`,
		`name: "day", type: DATE, min: 20`, `name: "seen", type: BOOL`,
		`# - {name: "note"}  # left out: no value`, `rows: {max: `,
	} {
		must.Hold(t, strings.Contains(string(data), want), "the domain lacks %s:\n%s", want, data)
	}
	if notes := strings.Join(res.Written.Notes, "\n"); !strings.Contains(notes, "5 of 7 columns") || !strings.Contains(notes, "left out: tags: it is REPEATED") || !strings.Contains(notes, "--rows=500 does not apply") {
		t.Errorf("notes: %s", notes)
	}
	must.Hold(t, res.Privacy.Epsilon == 5 && res.Privacy.Ledger[0].Stage == "found kinds", "the statement: ε = %g, %+v", res.Privacy.Epsilon, res.Privacy.Ledger)

	// Rows go to a table too; all but its columns is looked at before anything is spent.
	c.Output, c.Release, c.Rows = "bq://test.d.visits", filepath.Join(dir, "made"), 0
	if _, err := pipelines.ValidateFind(ctx, c); err == nil || !strings.Contains(err.Error(), "--output: ") || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a table with rows: %v", err)
	}
	c.Output = "bq://test.d.made"
	req, err = pipelines.ValidateFind(ctx, c)
	must.Do(t, err)
	res, err = pipelines.RunFound(ctx, req)
	must.Do(t, err)
	must.Hold(t, res.Written.Job != "", "no load job is named")
	holds(t, r, "d.made WHERE town NOT IN ('Bonn', 'Köln', 'other')", 0)
	holds(t, r, "(SELECT COUNT(*) AS n FROM d.made) WHERE n BETWEEN 7000 AND 9000", 1)
	_, err = os.Stat(c.Release + ".found")
	must.Hold(t, os.IsNotExist(err), "what was found is still there: %v", err)
	must.Passes(os.Stat(filepath.Join(c.Release, publish.DomainFile)))(t)
}
