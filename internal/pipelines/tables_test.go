package pipelines

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// readCSV reads all parts of a directory in order: the names of the columns, and the rows.
func readCSV(t *testing.T, dir string) (names []string, rows [][]string) {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dir, "part-*.csv"))
	must.Need(t, err == nil && len(parts) != 0, "%s: no parts, %v", dir, err)
	for _, part := range parts {
		f := must.Value(os.Open(part))(t)
		all, err := csv.NewReader(f).ReadAll()
		err = errors.Join(err, f.Close())
		must.Do(t, err)
		names, rows = all[0], append(rows, all[1:]...)
	}
	return names, rows
}

// Two tables are the one that they replace, taken apart: joined by the number of the person they give the same rows, every
// key resolves, and evaluate finds the same. They are verified as one output, and a part of either that has gone is missed.
func TestTwoTables(t *testing.T) {
	c := purchases(t, 300)
	c.Tables = true
	res := mustRun(t, c)
	ctx := context.Background()
	joined := filepath.Join(t.TempDir(), "joined")
	s, err := ValidateSample(ctx, SampleConfig{Model: c.Output, Output: joined, Format: "csv", Shards: 2, SampleSeed: 5, HasSampleSeed: true, Runner: "direct"})
	if err == nil {
		_, err = RunSample(ctx, s)
	}
	must.Do(t, err)
	peopleNames, people := readCSV(t, filepath.Join(c.Output, "people"))
	rowNames, rows := readCSV(t, filepath.Join(c.Output, "events"))
	got := strings.Join(peopleNames, " ") + "; " + strings.Join(rowNames, " ")
	must.Need(t, got == "customer plan; customer receipt item price twice", "columns %s", got)
	plans := map[string]string{}
	for _, p := range people {
		plans[p[0]] = p[1]
	}
	must.Hold(t, len(plans) == len(people) && int64(len(people)) == res.Written.People && int64(len(rows)) == res.Written.Rows && res.Privacy.Rows == res.Written.Rows,
		"%d people of %d numbers and %d rows; said to be written are %d and %d", len(people), len(plans), len(rows), res.Written.People, res.Written.Rows)
	if _, want := readCSV(t, joined); len(want) != len(rows) {
		t.Errorf("%d rows, and %d in one table", len(rows), len(want))
	} else {
		for i, r := range rows {
			if plan, ok := plans[r[0]]; !ok || !slices.Equal(want[i], []string{r[0], r[1], plan, r[2], r[3], r[4]}) {
				t.Fatalf("row %d: %v of plan %q, and %v in one table", i, r, plan, want[i])
			}
		}
	}
	one := c
	one.Output = joined
	two := must.Value(json.Marshal(evaluated(t, c)))(t)
	if want, err := json.Marshal(evaluated(t, one)); err != nil || !bytes.Equal(two, want) {
		t.Errorf("evaluate finds %s, and of one table %s, %v", two, want, err)
	}
	verify := func() error {
		r, err := ValidateVerify(ctx, VerifyConfig{Dir: c.Output})
		if err == nil {
			_, err = Verify(ctx, r)
		}
		return err
	}
	must.Pass(t, verify())
	must.Do(t, os.Remove(filepath.Join(c.Output, "people", "part-00002-of-00003.csv")))
	must.Fail(t, verify(), "people/part-00002-of-00003.csv is missing", "without a part of the people")
}

// What two tables cannot be written for is refused before anything is read, and a directory of two is not one table.
func TestTwoTablesFaults(t *testing.T) {
	c := shop(t, 40)
	c.Tables = true
	_, err := ValidateRun(context.Background(), c)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "--layout") && strings.Contains(err.Error(), "declares no events"), "without events: %v", err)
	c = purchases(t, 40)
	for _, c.Tables = range []bool{false, true} {
		to := c
		to.Output, to.Write = "bq://project.shop.bought", "append"
		must.Fails(ValidateRun(context.Background(), to))(t, "--write: append would mix up people", "two tables %t, append", c.Tables)
	}
	mustRun(t, c)
	c.Input, c.Output = c.Output, filepath.Join(t.TempDir(), "again")
	must.Fails(ValidateRun(context.Background(), c))(t, "a table of people and one of their rows; name", "two tables as one")
}

// No record of a person ends a run, whatever the domain allows: one with 100,000 rows, person columns that change within
// people, records of nobody. With at most one row each person is written with one.
func TestPeopleOfAnyKind(t *testing.T) {
	for _, most := range []int{1, 200} {
		c := purchases(t, 60)
		text := must.Value(os.ReadFile(c.Domain))(t)
		table := must.Value(os.ReadFile(c.Input))(t)
		more := strings.Repeat("c1,basic,tea,7\n", 50_000) + strings.Repeat("c1,plus,milk,8\n", 50_000) + ",plus,tea,1\nc2,gold,,\nc2,basic,bread,9\n"
		for path, content := range map[string]string{
			c.Domain: strings.Replace(string(text), "rows: {max: 12}", fmt.Sprintf("rows: {max: %d}", most), 1), c.Input: string(table) + more,
		} {
			must.Do(t, os.WriteFile(path, []byte(content), 0o666))
		}
		c.Tables = true
		res := mustRun(t, c)
		w := res.Written
		must.Hold(t, w.Rows >= w.People && (most != 1 || w.Rows == w.People), "at most %d rows: %d people and %d rows", most, w.People, w.Rows)
	}
}

// No record of two tables ends a run either: people named twice, people and rows without an ID, rows of strangers, lines that
// are cut off, a person with 100,000 rows. Every key of what is written resolves.
func TestTwoTablesOfAnyKind(t *testing.T) {
	c := purchases(t, 0)
	people := "customer,plan\n,plus\n\"\",basic\nc1,basic\nc1,plus\nc2,gold\nc3\nc4,\n"
	rows := "item,customer,price\ntea,,3\ntea,stranger,3\n,c3\n,c2,x\nnails,c4,-7,more\n" + strings.Repeat("tea,c1,7\n", 100_000)
	for i := range 80 {
		people += fmt.Sprintf("p%d,%s\n", i, []string{"basic", "plus"}[i%2])
		rows += strings.Repeat(fmt.Sprintf("milk,p%d,%d\n", i, i%40), i%3)
	}
	c.People = filepath.Join(filepath.Dir(c.Input), "people.csv")
	files := map[string]string{c.Domain: strings.Replace(purchasesDomain, "{max: 12}", "{min: 0, max: 12}", 1), c.Input: rows, c.People: people}
	for path, content := range files {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	mustRun(t, c)
	_, list := readCSV(t, filepath.Join(c.Output, "people"))
	known := map[string]bool{}
	for _, p := range list {
		known[p[0]] = true
	}
	header, events := readCSV(t, filepath.Join(c.Output, "events"))
	key := slices.Index(header, "customer")
	must.Hold(t, key > slices.Index(header, "item") && key < slices.Index(header, "price"),
		"rows have the columns %v, and the input has the customer between item and price", header)
	for _, e := range events {
		must.Need(t, known[e[key]], "row %v is of nobody", e)
	}
	must.Hold(t, len(known) == len(list), "%d people of %d numbers", len(list), len(known))
	c.Output = filepath.Join(t.TempDir(), "again")
	for content, want := range map[string]string{
		"customer\nc1\n":             `people.csv: the header line has no column "plan"`,
		"plan\nplus\n":               `people.csv: the header line has no column "customer"`,
		"":                           "people.csv: the file is empty",
		"customer,plan,plan\nc1,a,b": `people.csv: columns 2 and 3 are both called "plan"`,
	} {
		must.Do(t, os.WriteFile(c.People, []byte(content), 0o666))
		_, err := ValidateRun(context.Background(), c)
		must.Hold(t, err != nil && strings.Contains(err.Error(), "--people_input: ") && strings.Contains(err.Error(), want), "%q: %v", content, err)
	}
}
