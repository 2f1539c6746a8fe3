package pipelines

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const visitsDomain = `privacy_id: who
columns:
  - {name: sex, type: STRING, values: [f, m], fallback: f}
  - {name: day, type: INT64, min: 0, max: 99, fallback: 40}
  - {name: kind, type: STRING, values: [k, l, m], fallback: k}
`

// histories makes a table of n people of three rows each, whose days are what day says of a person and a row, and returns a
// request for it.
func histories(t *testing.T, events string, n int, day func(who, row int) string) Config {
	t.Helper()
	c := shop(t, 0)
	rng := rand.New(rand.NewPCG(6, 6))
	var b strings.Builder
	b.WriteString("who,sex,day,kind\n")
	for i := range n {
		for j := range 3 {
			if cell := day(i, j); cell != "none" {
				fmt.Fprintf(&b, "p%d,%s,%s,%s\n", i, "fm"[i%2:i%2+1], cell, "klm"[rng.IntN(3):][:1])
			}
		}
	}
	put(t, c.Domain, visitsDomain+events)
	put(t, c.Input, b.String())
	c.Format, c.Method, c.Delta, c.Epsilon, c.SampleSeed, c.HasSampleSeed = "csv", "rake", 1e-9, 5, 5, true
	return c
}

// TestHistoriesOfBadInput: whatever the column that orders rows holds, a run ends well, and the rows of each person lie in its
// order and inside its range.
func TestHistoriesOfBadInput(t *testing.T) {
	const plain, strict = "events: {person: [sex], rows: {max: 5}, order: day}\n", "events: {person: [sex], rows: {max: 5}, order: day, strict: true}\n"
	for _, test := range []struct {
		name, events string
		day          func(who, row int) string
		least, most  int     // of the days that are written
		firsts       float64 // least share of people whose first row lies at the fallback
	}{
		{"NULL", plain, func(int, int) string { return "" }, 0, 99, .5},
		{"no numbers", plain, func(int, int) string { return "soon" }, 0, 99, .5},
		{"tied", plain, func(who, _ int) string { return strconv.Itoa(20 + who%60) }, 0, 99, 0},
		{"tied and strict", strict, func(who, _ int) string { return strconv.Itoa(20 + who%60) }, 0, 99, 0},
		{"constant", plain, func(int, int) string { return "40" }, 0, 99, .5},
		{"one row", plain, func(who, row int) string {
			if row > 0 {
				return "none"
			}
			return strconv.Itoa(who % 100)
		}, 0, 99, 0},
		{"beyond the range", plain, func(who, row int) string { return strconv.Itoa(-500 + 1000*row + who%50) }, 0, 99, 0},
		{"gaps as wide as the range", strict, func(_, row int) string { return strconv.Itoa(99 * min(row, 1)) }, 0, 99, 0},
	} {
		c := histories(t, test.events, 400, test.day)
		mustRun(t, c)
		header, rows := readCSV(t, c.Output)
		must.Need(t, strings.Join(header, ",") == "who,sex,day,kind" && len(rows) != 0, "%s: columns %v, %d rows", test.name, header, len(rows))
		last, at, people := "", 0, map[string]bool{}
		begin := 0
		for _, r := range rows {
			day, err := strconv.Atoi(r[2])
			switch {
			case err != nil || day < test.least || day > test.most:
				t.Fatalf("%s: a row on day %q", test.name, r[2])
			case r[0] == last && (day < at || day == at && test.events == strict):
				t.Fatalf("%s: a row of %s on day %d after one on day %d", test.name, r[0], day, at)
			case r[0] != last && people[r[0]]:
				t.Fatalf("%s: the rows of %s are not together", test.name, r[0])
			case r[0] != last && day == 40:
				begin++
			}
			last, at, people[r[0]] = r[0], day, true
		}
		share := float64(begin) / float64(len(people))
		must.Hold(t, share >= test.firsts, "%s: %.2f of the people begin at the fallback, want %.2f", test.name, share, test.firsts)
	}
}

// TestHistoriesAreRefused: what cannot be an order, be remembered or be asked is said at the launch.
func TestHistoriesAreRefused(t *testing.T) {
	rising := func(who, row int) string { return strconv.Itoa(who%60 + 9*row) }
	for events, want := range map[string]string{
		"events: {person: [sex, day], rows: {max: 5}, order: day}\n":                   `column "day" is a person column, which is the same in all rows`,
		"events: {person: [sex], rows: {max: 5}, order: day, previous: [sex]}\n":       `column "sex" is a person column, which is the same in the row before`,
		"events: {person: [sex], rows: {max: 5}, order: kind}\n":                       `column "kind" is of type STRING`,
		"events: {person: [sex], rows: {max: 500}, order: day, strict: true}\n":        `somebody with 500 rows needs as many different values of column "day", which has 100`,
		"events: {person: [sex], rows: {max: 5}, previous: [kind]}\n":                  "there is no order; add order: COLUMN",
		"events: {person: [sex], rows: {max: 5}, order: day, previous: [day, kind]}\n": `column "day" is the one that orders the rows`,
	} {
		c := histories(t, events, 9, rising)
		must.Fails(ValidateRun(context.Background(), c))(t, want, "%s", events)
	}
	c := histories(t, "events: {person: [sex], rows: {max: 5}, order: day}\n", 300, rising)
	for _, method := range []string{"dpam", "dpfw"} {
		c.Method = method
		must.Fails(ValidateRun(context.Background(), c))(t, "works with bins that the domain declares, and some columns have none", "%s", method)
	}
	c.Method, c.Tables = "rake", true
	mustRun(t, c)
	for where, want := range map[string]string{"day > 3": "day", "kind = k": "kind, which changes from row to row"} {
		_, err := ValidateSample(context.Background(), SampleConfig{Model: c.Output + ".release", Output: filepath.Join(t.TempDir(), "more"), Where: where})
		must.Fail(t, err, want, "where %s", where)
	}
	s := SampleConfig{Model: c.Output + ".release", Output: filepath.Join(t.TempDir(), "women"), Where: "sex = f", Format: "csv", Tables: true}
	r, err := ValidateSample(context.Background(), s)
	if err == nil {
		_, err = RunSample(context.Background(), r)
	}
	must.Do(t, err)
	_, people := readCSV(t, filepath.Join(s.Output, "people"))
	_, rows := readCSV(t, filepath.Join(s.Output, "events"))
	last, at := "", 0
	for _, row := range rows {
		day, _ := strconv.Atoi(row[1])
		must.Need(t, row[0] != last || day >= at, "rows of %s are not in order", last)
		last, at = row[0], day
	}
	must.Hold(t, len(people) != 0 && len(rows) >= len(people), "%d people with %d rows", len(people), len(rows))
	for _, p := range people {
		must.Need(t, p[1] == "f", "a person %v", p)
	}
}

// TestHistoriesLeaveOut: where noise alone would put more rows elsewhere than dealing them at random does, nothing of the row before
// is remembered. Plan, run and statement say so, rows stay in order, and the same request gives the same release again.
func TestHistoriesLeaveOut(t *testing.T) {
	rising := func(who, row int) string { return strconv.Itoa(who%60 + 9*row) }
	for epsilon, leaves := range map[float64]bool{.1: true, 5: false} {
		c := histories(t, "events: {person: [sex], rows: {max: 5}, order: day}\n", 200, rising)
		c.Epsilon, c.ExpectedRows = dp.Epsilon(epsilon), 200
		planned := must.Value(must.Value(ValidateRun(context.Background(), c))(t).Plan())(t)
		result := mustRun(t, c)
		notes := strings.Join(result.Written.Notes, "\n")
		const note, stated = "what follows kind is left out", "how far it is from the one before, but not in kind"
		must.Hold(t, len(planned.Forgotten) > 0 == leaves && strings.Contains(notes, note) == leaves && strings.Contains(result.Privacy.Bounding, stated) == leaves,
			"ε = %g: planned %v, said %q, stated %q", epsilon, planned.Forgotten, notes, result.Privacy.Bounding)
		last, at := "", 0
		_, rows := readCSV(t, c.Output)
		for _, r := range rows {
			day := must.Value(strconv.Atoi(r[2]))(t)
			must.Need(t, r[0] != last || day >= at, "ε = %g: a row of %s on day %d after one on day %d", epsilon, last, day, at)
			last, at = r[0], day
		}
	}
}
