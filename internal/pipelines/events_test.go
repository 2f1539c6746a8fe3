package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const purchasesDomain = `privacy_id: customer
columns:
  - {name: plan, type: STRING, values: [basic, plus], other: true}
  - {name: item, type: STRING, values: [tea, milk, bread], other: true}
  - {name: price, type: INT64, min: 0, max: 40, bins: 4, null: true}
events: {person: [plan], rows: {max: 12}, usual: [item]}
constraints:
  - {derive: twice, from: price * 2}
generate:
  - {column: receipt, as: serial}
`

// purchases makes a table of n customers, most of whose purchases are of one item. Customers of plan plus buy more often and
// spend more, and one has more rows than are written.
func purchases(t *testing.T, n int) Config {
	t.Helper()
	c := shop(t, 0)
	rng := rand.New(rand.NewPCG(4, 4))
	items := []string{"tea", "milk", "bread", "nails"}
	var lines []string
	for i := range n {
		plan, often := "basic", 0.5
		if i%3 == 0 {
			plan, often = "plus", 0.85
		}
		usual := rng.IntN(4)
		for j := 0; j == 0 || j < 12 && rng.Float64() < often || i == 1 && j < 500; j++ {
			item := usual
			if rng.IntN(10) < 4 {
				item = rng.IntN(4)
			}
			lines = append(lines, fmt.Sprintf("c%d,%s,%s,%d\n", i, plan, items[item], rng.IntN(20)+10*int(often)+5*item))
		}
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for path, content := range map[string]string{c.Domain: purchasesDomain, c.Input: "customer,plan,item,price\n" + strings.Join(lines, "")} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	c.Format, c.Shards, c.SampleSeed, c.HasSampleSeed, c.Delta, c.Epsilon = "csv", 3, 5, true, 1e-9, 5
	return c
}

// evaluated compares a run's rows with its table.
func evaluated(t *testing.T, c Config) evaluate.Report {
	t.Helper()
	name := filepath.Join(t.TempDir(), "figures.json")
	err := evaluate.Run(context.Background(), evaluate.Config{Domain: c.Domain, Input: c.Input, Synthetic: c.Output, JSON: name}, io.Discard)
	must.Do(t, err)
	b := must.Value(os.ReadFile(name))(t)
	var r evaluate.Report
	must.Do(t, json.Unmarshal(b, &r))
	return r
}

// People are written with their rows: each under a number of its own, with one plan and at most so many rows, and as the
// true ones are, row by row, in how many they have and in how alike they are. In 20 runs the figures were .0035, .0074, .052,
// .031 and 1.00 with standard deviations of .0009, .0012, .0038, .0015 and .0066: each bound is 6 or more of them away.
func TestPeople(t *testing.T) {
	c := purchases(t, 4000)
	res := mustRun(t, c)
	must.Hold(t, res.Privacy.RowsMax == 12 && strings.Contains(res.Privacy.Bounding, "Each person weighs 1"),
		"the statement says %q, at most %d rows", res.Privacy.Bounding, res.Privacy.RowsMax)
	total, plans, rows, receipts := 0, map[string]string{}, map[string]int{}, map[string]bool{}
	files, err := filepath.Glob(filepath.Join(c.Output, "*.csv"))
	must.Need(t, err == nil && len(files) == 3, "%d files, %v", len(files), err)
	for _, f := range files {
		b := must.Value(os.ReadFile(f))(t)
		all := strings.Split(strings.TrimSpace(string(b)), "\n")
		must.Need(t, all[0] == "customer,receipt,plan,item,price,twice", "columns %s", all[0])
		for _, line := range all[1:] {
			cells := strings.Split(line, ",")
			total++
			who := cells[0]
			rows[who]++
			must.Need(t, rows[who] <= 12 && (rows[who] <= 1 || plans[who] == cells[2]), "customer %s: more than 12 rows, or two plans", who)
			plans[who], receipts[cells[1]] = cells[2], true
			price, _ := strconv.Atoi(cells[4])
			twice, _ := strconv.Atoi(cells[5])
			must.Hold(t, twice == 2*price, "twice %s is %s", cells[4], cells[5])
		}
	}
	must.Hold(t, int64(total) == res.Written.Rows && len(receipts) == total,
		"%d rows with %d receipts, and %d are said to be written", total, len(receipts), res.Written.Rows)
	n := len(rows)
	must.Hold(t, rows[strconv.Itoa(n)] != 0 && rows["0"] == 0, "%d customers are not numbered from 1 on", n)
	r := evaluated(t, c).Real
	p := r.People
	must.Hold(t, p.Changing == [2]int{} && p.TooManyRows == 0 && p.RowsCut == 488 && p.Synthetic == len(rows), "people %+v", p)
	if p.RowsPerson.TV > 0.02 || p.RowsByPerson.TV > 0.03 || p.SamePerson.TV > p.SamePerson.Dealt/2 || r.Widths[1].AverageTV > 0.04 {
		t.Errorf("errors %+v; of pairs of columns %g", *p, r.Widths[1].AverageTV)
	}
	shown := float64(r.SyntheticRows) / float64(r.TrueRows-488)
	must.Hold(t, shown >= 0.95 && shown <= 1.05, "%.3f times as many rows", shown)
	few, _ := sampleFrom(t, c, func(s *SampleConfig) { s.NumPeople = 12 })
	who := map[string]bool{}
	for _, line := range few {
		who[line[0]] = true
	}
	must.Hold(t, len(who) == 12 && len(few) >= 12, "%d people with %d rows; 12 people were asked for", len(who), len(few))
	where, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Where = "plan = plus AND rows_per_person >= 4" })
	for _, line := range where {
		must.Need(t, line[2] == "plus", "a customer of plan %s under a condition", line[2])
	}
}

// What people cannot be asked for is refused before anything is read.
func TestPeopleFaults(t *testing.T) {
	c := purchases(t, 40)
	c.Rows = 10
	_, err := ValidateRun(context.Background(), c)
	var faults Faults
	must.Hold(t, errors.As(err, &faults) && len(faults) == 1 && faults[0].Where == "--rows", "faults %v, want one of --rows", err)
	c.Rows = 0
	mustRun(t, c)
	_, err = ValidateSample(context.Background(), SampleConfig{Model: c.Output + ".release", Output: filepath.Join(t.TempDir(), "more"), Where: "item = tea"})
	must.Fail(t, err, "item, which changes from row to row", "a condition on purchases")
	_, err = ValidateSample(context.Background(), SampleConfig{Domain: c.Domain, Output: filepath.Join(t.TempDir(), "dry"), Rows: 5})
	must.Fail(t, err, "declares events", "dry rows of people")
}

// People without rows are in the table of people alone, as often as they are true: the share of plan plus among them is 1 in
// 10 for 1 in 3 of the others. Rows of people who are not in it are not used, and nothing is NULL.
func TestPeopleWithoutRows(t *testing.T) {
	c := purchases(t, 3000)
	b, err := os.ReadFile(c.Input)
	must.Do(t, err)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	people, rows, seen := "customer,plan\nc1,basic\n", "customer,item,price\n", map[string]bool{}
	for i, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if !seen[cells[0]] {
			seen[cells[0]] = true
			people += cells[0] + "," + cells[1] + "\n"
		}
		rows += cells[0] + "," + cells[2] + "," + cells[3] + "\n"
		if i < 1000 {
			rows += fmt.Sprintf("stranger%d,tea,39\n", i%40)
		}
	}
	for i := range 2000 {
		plan := "basic"
		if i%10 == 0 {
			plan = "plus"
		}
		people += fmt.Sprintf("none%d,%s\n", i, plan)
	}
	c.People = filepath.Join(filepath.Dir(c.Input), "people.csv")
	declared := strings.Replace(purchasesDomain, "{max: 12}", "{min: 0, max: 12}", 1)
	for path, content := range map[string]string{c.Domain: declared, c.Input: rows, c.People: people} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	res := mustRun(t, c)
	must.Hold(t, len(res.Privacy.Tables) == 2 && strings.Contains(res.Privacy.Bounding, "People are listed in a table of their own"),
		"the statement says %q of tables %v", res.Privacy.Bounding, res.Privacy.Tables)
	_, made := readCSV(t, filepath.Join(c.Output, "events"))
	plans, has := map[string]string{}, map[string]bool{}
	if _, list := readCSV(t, filepath.Join(c.Output, "people")); true {
		for _, p := range list {
			plans[p[0]] = p[1]
		}
	}
	for _, r := range made {
		has[r[0]] = true
		must.Need(t, plans[r[0]] != "" && r[2] != "" && strings.Join(r, "") != "", "row %v of nobody, or without an item", r)
	}
	without, plus := 0, 0
	for who, plan := range plans {
		if !has[who] {
			if without++; plan == "plus" {
				plus++
			}
		}
	}
	// At ε = 5 the noise of either is below 10 people; wrong by these bounds is 10 standard deviations or more.
	must.Hold(t, without >= 1900 && without <= 2100 && plus >= 100 && plus <= 300,
		"%d people without rows, %d of them of plan plus; the true ones are 2000 and 200", without, plus)
	name := filepath.Join(t.TempDir(), "figures.json")
	must.Do(t, evaluate.Run(context.Background(), evaluate.Config{Domain: c.Domain, Input: c.Input, People: c.People, Synthetic: c.Output, JSON: name}, io.Discard))
	var r evaluate.Report
	if b, err = os.ReadFile(name); err == nil {
		err = json.Unmarshal(b, &r)
	}
	if p := r.Real.People; err != nil || p.Without != [2]int{2000, without} || p.Orphans != [2]int{1000, 0} || p.RowsPerson.TV > 0.02 || p.RowsByPerson.TV > 0.03 {
		t.Errorf("errors %+v, %v", p, err)
	}
	var said strings.Builder
	check, err := evaluate.OpenCheck(context.Background(), evaluate.CheckConfig{Domain: c.Domain, Input: c.Input, People: c.People})
	if err == nil {
		err = check.Run(context.Background(), &said)
	}
	must.Hold(t, err == nil && strings.Contains(said.String(), "5,000 people") && strings.Contains(said.String(), "without rows: 2,000 people") && strings.Contains(said.String(), "not in the table of people: 1,000") && strings.Contains(said.String(), "the table of people has 1 repeated record"),
		"check says %s, %v", &said, err)
	c.People = ""
	if _, err := ValidateRun(context.Background(), c); err == nil || !strings.Contains(err.Error(), "--people_input") || !strings.Contains(err.Error(), "rows: {min: 0}") {
		t.Errorf("without a table of people: %v", err)
	}
	c = purchases(t, 40)
	c.People = c.Input
	must.Fails(ValidateRun(context.Background(), c))(t, "rows: {min: 0, …}", "a table of people that nothing is said of")
}

// The model of few people with events is of their size, however many rows a person may have.
func TestModelOfFewPeopleIsSmall(t *testing.T) {
	for _, most := range []int{12, 365} {
		c := purchases(t, 400)
		c.Method, c.Epsilon = "", 1
		put(t, c.Domain, strings.Replace(purchasesDomain, "max: 12", fmt.Sprint("max: ", most), 1))
		mustRun(t, c)
		info := must.Value(os.Stat(filepath.Join(c.Output+".release", publish.ModelFile)))(t)
		t.Logf("figure: %d bytes for 400 people of at most %d rows", info.Size(), most)
		if info.Size() > 1<<20 {
			t.Errorf("the model of 400 people of at most %d rows has %d bytes", most, info.Size())
		}
	}
}
