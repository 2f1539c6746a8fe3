package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/io/schema"
)

// A table of 300 people with 4 rows each, but for one with 60 and one with 1: sex never changes, region within 2 people,
// which is less than 1 %, age within a third, kind within all, and a flag is set in one row of 600, which is as seldom between
// people as within.
func TestPeopleAreProposed(t *testing.T) {
	var b strings.Builder
	b.WriteString("who,sex,region,age,kind,flag\n")
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
			fmt.Fprintf(&b, "%d,%c,%s,%d,k%d,%t\n", p, "FM"[p%2], region, age, (p+r)%5, (p*4+r)%600 == 0)
		}
	}
	all := b.String()
	want := "events: {person: [sex, region], rows: {max: 5}}  # review: people are written with their rows; person: columns that never change within one; " +
		"max: public; is it of the person? age changes within 33 % of the people\n"
	text := propose(t, Params{Input: put(t, "p.csv", all), FromData: true, PrivacyID: "who"})
	if !strings.Contains(text, want) || !strings.Contains(text, "#   events: person columns, rows: max\n") {
		t.Errorf("got %s\nwant %s", text, want)
	}
	if _, err := schema.Parse("proposed", []byte(text)); err != nil {
		t.Error(err)
	}
	if text := propose(t, Params{Input: put(t, "p.csv", all), FromData: true}); strings.Contains(text, "events:") {
		t.Errorf("without a privacy ID: %s", text)
	}
	once, seen := []string{"who,sex,region,age,kind,flag"}, map[string]bool{"who": true}
	for _, line := range strings.Split(all, "\n") {
		if who, _, _ := strings.Cut(line, ","); !seen[who] {
			once, seen[who] = append(once, line), true
		}
	}
	if text := propose(t, Params{Input: put(t, "p.csv", strings.Join(once, "\n")), FromData: true, PrivacyID: "who"}); strings.Contains(text, "events:") {
		t.Errorf("of people with one row each: %s", text)
	}
}
