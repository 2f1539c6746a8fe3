package pipelines

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/dry"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// sampleFrom draws rows of the model that c's run released, as CSV in one file.
func sampleFrom(t *testing.T, c Config, more func(*SampleConfig)) ([][]string, *Sampled) {
	t.Helper()
	s := SampleConfig{
		Model: filepath.Join(c.Output+".release", publish.ModelFile), Output: filepath.Join(t.TempDir(), "more"), Format: "csv", Shards: 1,
		SampleSeed: 5, HasSampleSeed: true, Runner: "direct",
	}
	more(&s)
	r := must.Value(ValidateSample(context.Background(), s))(t)
	res := must.Value(RunSample(context.Background(), r))(t)
	return readRows(t, s.Output), res
}

// readRows returns the rows of an output of one CSV file.
func readRows(t *testing.T, output string) [][]string {
	t.Helper()
	f := must.Value(os.Open(filepath.Join(output, "part-00000-of-00001.csv")))(t)
	defer f.Close()
	rows := must.Value(csv.NewReader(f).ReadAll())(t)
	return rows[1:]
}

// Rows of a released model: as many as asked or as many as it stands for, under a condition, the same
// for the same seed on every runner and as the run itself wrote.
func TestSample(t *testing.T) {
	c := shop(t, 400)
	c.Epsilon, c.Format, c.Shards, c.SampleSeed, c.HasSampleSeed = 10, "csv", 1, 5, true
	mustRun(t, c)

	first := readRows(t, c.Output)
	rest, _ := sampleFrom(t, c, func(*SampleConfig) {})
	rows, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Rows = 50 })
	again, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Rows, s.Runner = 50, "prism" })
	other, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Rows, s.SampleSeed = 50, 6 })
	must.Hold(t, len(rows) == 50 && reflect.DeepEqual(rows, again) && !reflect.DeepEqual(rows, other),
		"%d rows; equal for one seed: %v; for another: %v", len(rows), reflect.DeepEqual(rows, again), reflect.DeepEqual(rows, other))

	must.Hold(t, reflect.DeepEqual(first, rest) && len(first) != 0, "the run wrote %d rows, and its model gives %d others for the same seed", len(first), len(rest))

	// A quarter of 400 customers are on plan pro. At ε = 10 their number has a standard deviation of 1.3
	// (100 runs), and 50 are more than 30 of these. Without the condition there are 400 rows.
	pro, res := sampleFrom(t, c, func(s *SampleConfig) { s.Where = "plan=pro" })
	must.Hold(t, len(pro) >= 50 && len(pro) <= 150 && res.Rows == int64(len(pro)), "%d rows on plan pro, %d reported", len(pro), res.Rows)
	for _, row := range pro {
		must.Need(t, row[0] == "pro", "row %v does not meet the condition", row)
	}
	var text strings.Builder
	if err := res.WriteText(&text); err != nil || !strings.HasPrefix(text.String(), "wrote   ") || !strings.Contains(text.String(), "at no privacy cost") {
		t.Errorf("said %q, %v", text.String(), err)
	}
}

func TestSampleFaults(t *testing.T) {
	c := shop(t, 100)
	mustRun(t, c)
	s := SampleConfig{Model: filepath.Join(c.Output+".release", publish.ModelFile), Output: c.Output, Rows: -1, Shards: -1, Format: "xml", Runner: "magic", Where: "agee>=20"}
	_, err := ValidateSample(context.Background(), s)
	for _, flag := range []string{"--rows", "--shards", "--format", "--runner", "--output", "--where"} {
		must.Fail(t, err, flag+": ")
	}
	s = SampleConfig{Model: s.Model, Output: filepath.Join(c.Output, "more.csv")}
	_, err = ValidateSample(context.Background(), s)
	must.Fail(t, err, "more.csv ends in .csv, and its files would be parquet; add --format=csv", "Parquet in a directory with the name of a CSV file")
	s.Format = "csv"
	must.Passes(ValidateSample(context.Background(), s))(t)
}

const tripDomain = `privacy_id: none
columns:
  - {name: city, type: STRING, values: [Austin, Boston], other: true, other_value: elsewhere}
  - {name: start, type: DATE, min: 2020-01-01, max: 2020-12-31, step: quarter, fallback: 2020-01-01}
  - {name: end, type: DATE, min: 2020-01-01, max: 2021-03-31, null: true}
  - {name: time, type: INT64, min: 0, max: 2359, bins: 7, fallback: 0}
constraints:
  - {order: [start, end]}
  - {derive: hour, from: time / 100}
  - {derive: state, from: city, map: {Austin: TX, Boston: MA}, else: XX}
generate:
  - {column: id, as: uuid}
`

// Dry rows need no data, keep every constraint and the condition, and say what they are.
func TestDryRows(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "trips.yaml")
	must.Do(t, os.WriteFile(name, []byte(tripDomain), 0o666))
	c := SampleConfig{Domain: name, Output: filepath.Join(dir, "dry"), Format: "csv", Rows: 3000, Shards: 1, SampleSeed: 7, HasSampleSeed: true,
		Runner: "direct", Where: "start >= 2020-02-14 AND (time < 930 OR city = Austin)"}
	r := must.Value(ValidateSample(context.Background(), c))(t)
	res := must.Value(RunSample(context.Background(), r))(t)
	f := must.Value(os.Open(filepath.Join(c.Output, "part-00000-of-00001.csv")))(t)
	defer f.Close()
	rows := must.Value(csv.NewReader(f).ReadAll())(t)
	got := strings.Join(rows[0], ",")
	must.Need(t, got == "id,city,start,end,time,hour,state" && len(rows) == 3001, "%d lines of %s", len(rows), got)
	ids, cities, nulls := map[string]bool{}, map[string]int{}, 0
	for _, row := range rows[1:] {
		city, start, end, state := row[1], row[2], row[3], row[6]
		clock, _ := strconv.Atoi(row[4])
		hour, _ := strconv.Atoi(row[5])
		must.Need(t, hour == clock/100 && state == map[string]string{"Austin": "TX", "Boston": "MA", "elsewhere": "XX"}[city] && (end == "" || start <= end),
			"row %v breaks a constraint", row)
		must.Need(t, start >= "2020-02-14" && (clock < 930 || city == "Austin"), "row %v does not meet the condition", row)
		if ids[row[0]] = true; end == "" {
			nulls++
		}
		cities[city]++
	}
	must.Hold(t, len(ids) == 3000 && len(cities) == 3 && nulls != 0, "%d keys, cities %v, %d NULL", len(ids), cities, nulls)
	var text strings.Builder
	err := res.WriteText(&text)
	must.Hold(t, err == nil && strings.Contains(text.String(), "DRY ROWS") && !strings.Contains(text.String(), "privacy cost"), "said %q, %v", text.String(), err)
	manifest, err := os.ReadFile(filepath.Join(c.Output+".release", "_manifest.json"))
	must.Hold(t, err == nil && strings.Contains(string(manifest), dry.Note), "the manifest does not say that rows are dry: %v", err)
	exact := "privacy_id: none\ncolumns:\n  - {name: x, type: NUMERIC, min: 0, max: 58, resolution: 0.0001, exact: [0.2121212, 0.5833333], fallback: 0}\n" +
		"  - {name: y, type: FLOAT64, min: 0, max: 58, resolution: 0.01, exact: [0.333333], fallback: 0}\n"
	must.Do(t, os.WriteFile(name, []byte(exact), 0o666))
	c.Where, c.Output = "", filepath.Join(dir, "exact")
	r, err = ValidateSample(context.Background(), c)
	must.Do(t, err)
	must.Passes(RunSample(context.Background(), r))(t, "dry rows of columns with exact values")
	c.Rows, c.Model = 0, "out"
	if _, err := ValidateSample(context.Background(), c); err == nil || !strings.Contains(err.Error(), "--rows: is required for dry rows") || !strings.Contains(err.Error(), "--domain: together with --model") {
		t.Errorf("got %v", err)
	}
}

// Rows of a run, and more rows of its model, keep what the domain declares in Parquet as in CSV; the table has neither the
// derived nor the generated columns, and breaks the order in places.
func TestConstraintsOfARun(t *testing.T) {
	c := shop(t, 50)
	domainFile := strings.Replace(tripDomain, "2021-03-31,", "2021-03-31, step: month,", 1) + "  - {column: no, as: \"T-##\"}\n"
	var table strings.Builder
	table.WriteString("city,start,end,time\n")
	for i := range 400 {
		fmt.Fprintf(&table, "%s,2020-%02d-%02d,2020-%02d-%02d,%d\n", []string{"Austin", "Boston", "Rome"}[i%3], 1+i%12, 1+i%28, 1+(i+i%5)%12, 1+i%19, i*5%2360)
	}
	for path, content := range map[string]string{c.Domain: domainFile, c.Input: table.String()} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	c.Method, c.Output, c.Shards, c.Rows = "rake", filepath.Join(t.TempDir(), "trips"), 3, 400
	mustRun(t, c)
	file := must.Value(schema.Parse(c.Domain, []byte(domainFile)))(t)
	w, serial := file.Domain.Written(), map[string]bool{}
	for shard := range 3 {
		r := must.Value(parquetio.OpenFile(filepath.Join(c.Output, fmt.Sprintf("part-%05d-of-00003.parquet", shard)), w, parquetio.ReadOptions{}))(t)
		var chunk *domain.Chunk
		for c, err := range r.Chunks() {
			must.Need(t, err == nil && chunk == nil, "several chunks %v", err)
			chunk = c
		}
		must.Do(t, r.Close())
		at := func(name string) *domain.Column { return &chunk.Columns[w.Index(name)] }
		text := func(name string, row int) string {
			if c := at(name); c.Form == domain.Text {
				return string(c.Text(row))
			}
			return at(name).Dict[at(name).Ints[row]]
		}
		for row := range chunk.Rows {
			end := at("end")
			must.Hold(t, end.Null(row) || at("start").Ints[row] <= end.Ints[row], "shard %d, row %d: the end is before the start", shard, row)
			must.Hold(t, at("hour").Ints[row] == at("time").Ints[row]/100, "shard %d, row %d: hour does not follow from time", shard, row)
			if want := map[string]string{"Austin": "TX", "Boston": "MA", "elsewhere": "XX"}[text("city", row)]; text("state", row) != want {
				t.Errorf("shard %d, row %d: state %s, want %s", shard, row, text("state", row), want)
			}
			serial[text("no", row)] = true
		}
	}
	must.Hold(t, len(serial) == 400 && serial["T-01"] && serial["T-400"], "%d different numbers in 400 rows of three files", len(serial))
	rows, _ := sampleFrom(t, c, func(s *SampleConfig) { s.Rows, s.Where = 700, "time >= 615" })
	for _, row := range rows {
		clock, _ := strconv.Atoi(row[5])
		must.Need(t, (row[4] == "" || row[3] <= row[4]) && row[6] == strconv.Itoa(clock/100) && clock >= 615 && strings.HasPrefix(row[1], "T-"),
			"row %v breaks a constraint", row)
	}
}

// Columns stand where the table that is read has them, computed and made-up ones too, and its header alone decides that.
// Rows of the model have the same order.
func TestColumnsStandInTheirPlace(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "trips.yaml"), tripDomain+"  - {column: ticket, as: AB-####}\n  - {column: added, as: serial}\n")
	put(t, filepath.Join(dir, "trips.csv"), "hour,time,city,id,end,start,note,ticket\n"+strings.Repeat("9,930,Austin,7,2020-02-03,2020-01-02,x,T1\n", 40))
	c := Config{Domain: filepath.Join(dir, "trips.yaml"), Input: filepath.Join(dir, "trips.csv"), Output: filepath.Join(dir, "out"),
		Epsilon: 20, Delta: 1e-9, Format: "csv", Rows: 5, Shards: 1, Runner: "direct", ExpectedRows: 40}
	res := mustRun(t, c)
	const want = "added,hour,state,time,city,id,end,start,ticket"
	header, list := readCSV(t, c.Output)
	got := strings.Join(header, ",")
	must.Need(t, got == want, "columns %s, want %s", got, want)
	row := list[0]
	clock, _ := strconv.Atoi(row[3])
	must.Hold(t, row[0] == "1" && row[1] == strconv.Itoa(clock/100) && len(row[5]) == 36 && (row[6] == "" || row[6] >= row[7]) && strings.HasPrefix(row[8], "AB-"),
		"values are in other places than their names: %q", row)
	for i, name := range header {
		must.Hold(t, res.Privacy.Dictionary[i].Name == name, "the statement's column %d is %s, want %s", i, res.Privacy.Dictionary[i].Name, name)
	}
	for _, where := range []string{"", "time >= 615"} {
		s := SampleConfig{Model: c.Output + ".release", Output: filepath.Join(dir, "more"+where[:min(len(where), 4)]), Format: "csv", Rows: 7, Shards: 1, Where: where}
		r, err := ValidateSample(context.Background(), s)
		if err == nil {
			_, err = RunSample(context.Background(), r)
		}
		must.Do(t, err)
		header, _ = readCSV(t, s.Output)
		must.Hold(t, strings.Join(header, ",") == want, "rows of the model where %q have the columns %s", where, header)
	}
}

// People and their rows have the order of the table that is read, in one table and in two.
func TestPeopleStandInTheirPlace(t *testing.T) {
	for two, want := range map[bool][]string{false: {"item,twice,receipt,customer,plan,price"}, true: {"customer,plan", "item,twice,receipt,customer,price"}} {
		c := purchases(t, 60)
		b := must.Value(os.ReadFile(c.Input))(t)
		table := "item,twice,receipt,customer,plan,price\n"
		for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n")[1:] {
			x := strings.Split(line, ",") // customer, plan, item, price
			table += strings.Join([]string{x[2], "0", "r", x[0], x[1], x[3]}, ",") + "\n"
		}
		must.Do(t, os.WriteFile(c.Input, []byte(table), 0o666))
		if c.Tables = two; !two {
			mustRun(t, c)
			header, rows := readCSV(t, c.Output)
			twice := "" // of no price
			if price, err := strconv.Atoi(rows[0][5]); err == nil {
				twice = strconv.Itoa(2 * price)
			}
			must.Hold(t, strings.Join(header, ",") == want[0] && rows[0][3] == "1" && rows[0][1] == twice,
				"columns %s, want %s; first row %q", header, want[0], rows[0])
			continue
		}
		mustRun(t, c)
		for i, name := range []string{"people", "events"} {
			if header, rows := readCSV(t, filepath.Join(c.Output, name)); strings.Join(header, ",") != want[i] || rows[0][slices.Index(header, "customer")] != "1" {
				t.Errorf("%s have the columns %s, want %s; first row %q", name, header, want[i], rows[0])
			}
		}
	}
}
