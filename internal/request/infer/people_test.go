package infer

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A table of 300 people with 4 rows each, as in a panel, but for one with 60 and one with 1: sex never changes, region within 2 people,
// which is less than 1 %, age within a third, kind within all, and a flag is set in one row of 600, which is as seldom between
// people as within.
func TestPeopleAreProposed(t *testing.T) {
	var b strings.Builder
	b.WriteString("who,sex,title,region,age,kind,flag\n")
	for p := range 300 {
		rows := map[int]int{7: 60, 8: 1}[p]
		if rows == 0 {
			rows = 4
		}
		for r := range rows {
			region, age := []string{"north", "south", "east", "west"}[p%4], 20+p%60
			if p == 100 && r == 2 || p == 200 && r == 3 {
				region = "isle"
			}
			if p%3 == 0 && r > 1 {
				age++
			}
			fmt.Fprintf(&b, "%d,%c,M%c,%s,%d,k%d,%t\n", p, "FM"[p%2], "sr"[p%2], region, age, (p+r)%5, (p*4+r)%600 == 0)
		}
	}
	all := b.String()
	want := "events: {person: [sex, title, region], rows: {max: 4}}  # review: people are written with their rows; person: columns that never change within one; " +
		"max: public\n"
	text := propose(t, Params{Input: put(t, "p.csv", all), FromData: true, PrivacyID: "who"})
	must.Hold(t, strings.Contains(text, want) && strings.Contains(text, "  \"(events)\": [person columns, \"rows: max\"]\n"), "got %s\nwant %s", text, want)
	hasLines(t, text, "{name: title, type: STRING, values: [Mr, Ms], ", "\n#   - {derive: title, from: sex, map: {F: Ms, M: Mr}}\n") // which is the reader's to choose
	must.Passes(schema.Parse("proposed", []byte(text)))(t)
	text = propose(t, Params{Input: put(t, "p.csv", all), FromData: true})
	must.Hold(t, !strings.Contains(text, "events:"), "without a privacy ID: %s", text)
	once, seen := []string{"who,sex,title,region,age,kind,flag"}, map[string]bool{"who": true}
	for line := range strings.SplitSeq(all, "\n") {
		if who, _, _ := strings.Cut(line, ","); !seen[who] {
			once, seen[who] = append(once, line), true
		}
	}
	text = propose(t, Params{Input: put(t, "p.csv", strings.Join(once, "\n")), FromData: true, PrivacyID: "who"})
	must.Hold(t, !strings.Contains(text, "events:"), "of people with one row each: %s", text)
}

// People whom no column describes are proposed without one, so that the file can be used as it is, and are refused if some
// of them have no rows.
func TestPeopleWithoutColumns(t *testing.T) {
	rows, people, texts := "who,kind\n", "who\n", "who,name\n"
	for p := range 500 {
		people, texts = people+fmt.Sprintf("%d\n", p), texts+fmt.Sprintf("%d,n%d\n", p, p)
		for r := range p % 5 {
			rows += fmt.Sprintf("%d,k%d\n", p, (p+r)%2)
		}
	}
	p := Params{Input: put(t, "rows.csv", rows), FromData: true, PrivacyID: "who"}
	text := propose(t, p)
	_, err := schema.Parse("proposed", []byte(text))
	must.Hold(t, err == nil && strings.Contains(text, "\nevents: {rows: {max: 5}}"), "rows alone: %v\n%s", err, text)
	const want = ` has no column that can be used besides "who"`
	s := must.Value(Open(t.Context(), p))(t)
	must.Fail(t, s.OpenPeople(t.Context(), put(t, "people.csv", people)), want, "numbers of people alone")
	must.Do(t, s.OpenPeople(t.Context(), put(t, "names.csv", texts)))
	must.Fails(s.Propose(t.Context()))(t, want, "names of people alone")
}

// The number of units is the number of records, or of people, to one digit.
func TestUnits(t *testing.T) {
	for n, want := range map[int]int64{0: 0, 7: 7, 14: 10, 15: 20, 999: 1000, 123_456: 100_000} {
		must.Equal(t, oneDigit(n), want, "of %d", n)
	}
	for privacyID, want := range map[string]int64{"": 100, "who": 50} {
		var b strings.Builder
		b.WriteString("who,what\n")
		for i := range 104 {
			fmt.Fprintf(&b, "%d,%d\n", i/2, i%2)
		}
		b.WriteString(",0\n")
		s, err := Open(t.Context(), Params{Input: put(t, "t.csv", b.String()), FromData: true, PrivacyID: privacyID})
		if err == nil {
			_, err = s.Propose(t.Context())
		}
		must.Hold(t, err == nil && s.Units == want, "by %q: %d units, want %d; %v", privacyID, s.Units, want, err)
	}
}

// Most rows of a person are the rows of all in a panel, and else a round number that is not below the rows of nearly all.
func TestMostRows(t *testing.T) {
	for n := int64(1); n < 300; n += 1 + n/4 {
		panel, mixed := &histories{}, &histories{}
		for i := range int64(1000) {
			panel.rows, mixed.rows = append(panel.rows, n-i%10/9*(n/2)), append(mixed.rows, 1+i%n)
		}
		must.Equal(t, panel.most(), n, "panel of %d", n)
		most := mixed.most()
		must.Hold(t, most >= n && (most < 3*n || n == 1) && strings.Trim(fmt.Sprint(most)[1:], "0") == "", "people of 1 to %d rows: %d", n, most)
	}
}

// The column that grows from row to row of people orders them: a date before a number; not one in which most rows are equal, that
// falls within more than 1 % of people, that is empty, or whose rows are shuffled.
func TestOrderIsProposed(t *testing.T) {
	table := func(shuffled bool, falls int) string {
		rng := rand.New(rand.NewPCG(1, 1))
		var lines []string
		for p := range 400 {
			at := 19_000 + rng.IntN(300)
			for r := range 2 + p%4 {
				day, number := fmt.Sprintf("%d-%02d-%02d", 2020+at/12/28%4, 1+at/28%12, 1+at%28), at
				if p < falls && r == 1 {
					day, number = "2020-01-01", 1
				}
				lines = append(lines, fmt.Sprintf("%d,%d,%d,k%d,%s", p, number, r/3, rng.IntN(3), day))
				at += 1 + rng.IntN(20)
			}
		}
		if shuffled {
			rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
		return "who,step,third,kind,day\n" + strings.Join(lines, "\n") + "\n"
	}
	for _, test := range []struct{ name, table, want string }{
		{"sorted", table(false, 0), "order: day"},
		{"some fall", table(false, 3), "order: day"},
		{"more fall", table(false, 10), ""},
		{"shuffled", table(true, 0), ""},
		{"numbers alone", strings.NewReplacer("day\n", "empty\n").Replace(regexp.MustCompile(`,\d+-\d+-\d+\n`).ReplaceAllString(table(false, 0), ",\n")), "order: step"},
		{"keys of what is bought, item_id", strings.NewReplacer("day\n", "empty\n", "step", "item_id").Replace(regexp.MustCompile(`,\d+-\d+-\d+\n`).ReplaceAllString(table(false, 0), ",\n")), ""},
		{"keys of what is bought, movieId", strings.NewReplacer("day\n", "empty\n", "step", "movieId").Replace(regexp.MustCompile(`,\d+-\d+-\d+\n`).ReplaceAllString(table(false, 0), ",\n")), ""},
		{"keys of what is bought, schid", strings.NewReplacer("day\n", "empty\n", "step", "schid").Replace(regexp.MustCompile(`,\d+-\d+-\d+\n`).ReplaceAllString(table(false, 0), ",\n")), ""},
	} {
		text := propose(t, Params{Input: put(t, "p.csv", test.table), FromData: true, PrivacyID: "who"})
		_, events, _ := strings.Cut(text, "\nevents: ")
		events, _, _ = strings.Cut(events, "\n")
		got := regexp.MustCompile(`order: \w+`).FindString(events)
		must.Hold(t, got == test.want, "%s: %q, want %q in %s", test.name, got, test.want, events)
		must.Hold(t, strings.Contains(text, "order column") == (test.want != ""), "%s: the list of what was read off the data is not right", test.name)
		must.Passes(schema.Parse("proposed", []byte(text)))(t, "%s", test.name)
	}
}
