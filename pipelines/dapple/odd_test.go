package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// oddTables are tables that nobody means to synthesise, and that happen.
var oddTables = []struct{ name, records string }{
	{"usual", strings.Repeat("p1,Female,30,1000,2024-01-01\np2,Male,50,2000,2024-05-01\n", 50)},
	{"header only", ""},
	{"one row", "p1,Female,30,1000,2024-01-01\n"},
	{"all rows of one person", strings.Repeat("p1,Female,30,1000,2024-01-01\np1,Male,90,90000,2024-12-01\n", 300)},
	{"nobody's rows", strings.Repeat(",Female,30,1000,2024-01-01\n", 300)},
	{"nothing usable", strings.Repeat("p1,?,x,y,z\np2,,,,\np3,\\N,1e400,NaN,2024-02-30\n", 100)},
}

// Every table makes the same files and the same charges, and nothing is said on the way: what a run leaves
// says nothing about which of these it was, but for the noisy figures.
func TestOddTables(t *testing.T) {
	methods := []string{"auto", "dpam", "dpfw"}
	if testing.Short() {
		methods = methods[:1]
	}
	for _, method := range methods {
		for _, delta := range []string{"1e-9", "0"} {
			t.Run(method+" δ="+delta, func(t *testing.T) {
				t.Parallel()
				var files []string
				var charges []any
				for i, table := range oddTables {
					dir := tableOf(t, peopleHeader+table.records)
					args := append([]string{"synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--quiet", "--runner=direct"},
						"--epsilon=1", "--delta="+delta, "--method="+method, "--marginals=2")
					run := dapple(t, dir, args...)
					run.want(t, 0)
					must.Hold(t, run.stderr == "", "%s: a quiet run says %q", table.name, run.stderr)
					gotFiles, gotCharges := append(names(t, filepath.Join(dir, "out")), names(t, filepath.Join(dir, "out.release"))...), chargesOf(t, dir)
					if i == 0 {
						files, charges = gotFiles, gotCharges
					}
					must.Hold(t, reflect.DeepEqual(gotFiles, files), "%s: files %v, want %v", table.name, gotFiles, files)
					// A schedule that follows noisy figures has other rounds in every run.
					must.Hold(t, gotCharges[0] != "planned" || reflect.DeepEqual(gotCharges, charges), "%s: charges %v, want %v", table.name, gotCharges, charges)
				}
			})
		}
	}
}

// chargesOf returns schedule, capacity and ledger of a released statement.
func chargesOf(t *testing.T, dir string) []any {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join(dir, "out.release/_privacy.json")))(t)
	var s map[string]any
	must.Do(t, json.Unmarshal(b, &s))
	return []any{s["schedule"], s["capacity"], s["ledger"]}
}

// Cells that no column can use become the declared cells: other, NULL, the fallback.
func TestUnusableCells(t *testing.T) {
	huge := strings.Repeat("x", 10<<20)
	for _, tt := range []struct{ name, sex, age, income, day string }{
		{"NaN", "NaN", "NaN", "NaN", "NaN"},
		{"infinities", "Inf", "Inf", "+Inf", "Infinity"},
		{"huge cells", huge, "1" + strings.Repeat("0", 10<<20) + "x", huge, huge},
		{"invalid UTF-8", "\xff\xfe", "\xff", "\xc3\x28", "\xa0\xa1"},
		{"NUL bytes", "\x00", "\x00", "1\x00", "2024-01\x00"},
		{"other scripts", "女", "٣٤x", "一千", "二〇二四年"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			b.WriteString(peopleHeader)
			for i := range 400 {
				if i > 0 && tt.sex == huge { // one such record is enough; the others are short
					fmt.Fprintf(&b, "p%d,?,?,?,?\n", i)
					continue
				}
				fmt.Fprintf(&b, "p%d,%s,%s,%s,%s\n", i, tt.sex, tt.age, tt.income, tt.day)
			}
			expectRows(t, b.String(), "other, NULL, the first bin, the first quarter", func(row []string) bool {
				income, err := strconv.ParseFloat(row[2], 64)
				return err == nil && row[0] == "other" && row[1] == "" && income < 25000 && row[3] <= "2024-03-31"
			})
		})
	}
}

// expectRows synthesises a table of 400 equal people with a large budget and fails if fewer than 90 of
// 100 rows are as they should be.
//
// The 288 noisy cells of four marginals have standard deviation 0.6: together they miss the table by 10. A fit
// with 40 people elsewhere misses it by 60, since each of them is missing from three of the four cells in which
// all people are, and so it is not the one nearest to the noisy cells. In 50 runs no row was another.
func expectRows(t *testing.T, table, want string, is func(row []string) bool) {
	t.Helper()
	dir := tableOf(t, table)
	dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--quiet", "--format=csv",
		"--epsilon=20", "--delta=1e-6", "--method=dpam", "--rows=100", "--shards=1").want(t, 0)
	f := must.Value(os.Open(filepath.Join(dir, "out/part-00000-of-00001.csv")))(t)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must.Need(t, err == nil && len(rows) == 101, "%d rows, %v", len(rows), err)
	other := slices.DeleteFunc(rows[1:], is)
	must.Hold(t, len(other) <= 10, "%d of 100 rows are not %s, such as %.200q", len(other), want, other)
}

// TestExtremeBudgets: a budget with which a method cannot run is refused before anything is read; every other runs,
// without a word of a fault. The first two have noise whose variance a float64 does not hold.
func TestExtremeBudgets(t *testing.T) {
	dir := tableOf(t, peopleHeader+strings.Repeat("p1,Female,30,1000,2024-01-01\np2,Male,50,2000,2024-05-01\n", 20))
	for i, row := range []struct {
		method, epsilon, delta string
		runs                   bool
	}{
		{"dpam", "705", "0", true},
		{"dpam", "1e6", "0", true},
		{"dpfw", "1e300", "0", true},
		{"dpfw", "1e-9", "0", false},
		{"dpam", "1000", "0.99999999", true},
		{"rake", "1e6", "1e-9", true},
		{"rake", "1e300", "1e-9", false},
	} {
		run := dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", fmt.Sprint("--output=out", i), "--quiet", "--runner=direct",
			"--marginals=2", "--method="+row.method, "--epsilon="+row.epsilon, "--delta="+row.delta, "--accept_delta")
		if row.runs {
			run.want(t, 0)
			continue
		}
		run.want(t, 2)
		must.Hold(t, strings.Contains(run.stderr, "nothing was read or written"), "%s at ε = %s: %s", row.method, row.epsilon, run.stderr)
	}
}
