package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// unitName is what a privacy unit is called: as the curator says, or a person.
func (p Privacy) unitName() string {
	if p.PrivacyID == "" {
		return "row"
	}
	return page.Short(cmp.Or(p.About["unit"], "person"), 60)
}

// unitNames is its plural.
func (p Privacy) unitNames() string {
	if name := p.unitName(); name != "person" {
		return name + "s"
	}
	return "people"
}

// replaces reports whether the relation is Replace.
func (p Privacy) replaces() bool { return p.Neighbouring == "Replace" }

// UnitInWords says what the promise is about.
func (p Privacy) UnitInWords() string {
	if p.PrivacyID == "" {
		return "one row: every row of the table counts as a person"
	}
	if p.RowsMax > 0 {
		return fmt.Sprintf("one %s: all rows with the same %s count as one, who weighs 1 however many they are", p.unitName(), page.Short(p.PrivacyID, 60))
	}
	return fmt.Sprintf("one %s: all rows with the same %s count as one, and one row of each is used", p.unitName(), page.Short(p.PrivacyID, 60))
}

// neighbours says which tables the formula compares.
func (p Privacy) neighbours() string {
	switch {
	case p.replaces() && p.PrivacyID == "":
		return "tables X and X′ of equally many rows that differ in one row"
	case p.replaces():
		return fmt.Sprintf("tables X and X′ with equally many %s that differ in the rows of one %s", p.unitNames(), p.unitName())
	case p.PrivacyID == "":
		return "tables X and X′, one of them with one row more"
	}
	return fmt.Sprintf("tables X and X′, one of them with all rows of one %s more", p.unitName())
}

// without ends the promise.
func (p Privacy) without() string {
	what := "this row"
	if p.PrivacyID != "" {
		what = "all rows of this " + p.unitName()
	}
	if p.replaces() {
		return what + " had held something else"
	}
	return what + " had not been in the table"
}

// facts are what a privacy officer looks for first.
func (p Page) facts() []page.Fact {
	s := p.Privacy
	units := page.Count(s.Units.Count)
	if s.Units.StdDev > 0 {
		half := max(1, interval*s.Units.StdDev) // noise that is nearly always 0 is off by one if it is off
		if half < 100 {
			units += fmt.Sprintf(" ± %.3g", half)
		} else {
			units += " ± " + page.Count(half)
		}
	}
	rows := "rows written: " + page.Count(float64(s.Rows))
	if s.RowsMax > 0 {
		rows += fmt.Sprintf(", at most %s for each", page.Count(float64(s.RowsMax)))
	}
	names := capital(s.unitNames())
	if s.Units.StdDev > 0 {
		names += ", with noise"
	}
	return []page.Fact{
		{Term: "Privacy unit", Text: "one " + s.unitName(), More: s.unitMore()},
		{Term: "ε", Text: fmt.Sprintf("%g", s.Epsilon), More: fmt.Sprintf("achieved %g", s.AchievedEpsilon)},
		{Term: "δ", Text: page.Small(s.Delta), More: s.deltaMore()},
		{Term: "Relation", Text: relations[s.replaces()], More: s.relationMore()},
		{Term: "Mechanisms", Text: strings.Join(s.Mechanisms(), "; "), More: fmt.Sprintf("%s, method %s, accounting %s", page.Counted(s.Releases, "release"), s.Method, s.Accounting)},
		{Term: names, Text: units, More: rows},
	}
}

var relations = map[bool]string{false: "add or remove", true: "replace"}

func (p Privacy) unitMore() string {
	if p.PrivacyID == "" {
		return "every row counts as a person"
	}
	return fmt.Sprintf("all rows with the same %s count as one", page.Short(p.PrivacyID, 60))
}

func (p Privacy) relationMore() string {
	if p.replaces() {
		return "the number of people is public"
	}
	return "the number of people is private too"
}

// deltaMore puts δ beside the number of units, below 1/units, where it belongs.
func (p Privacy) deltaMore() string {
	if p.Delta == 0 {
		return "the promise cannot fail"
	}
	chance := p.Delta * max(1, p.Units.Count)
	if chance > 1 {
		return "larger than 1/units: too large"
	}
	return "1/units is " + page.Small(rounded(1/max(1, p.Units.Count)))
}

// rounded keeps two digits.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	if err != nil {
		return x
	}
	return y
}

// told are the curator's own words, by key.
func (p Privacy) told() (list []page.Fact) {
	for _, key := range slices.Sorted(maps.Keys(p.About)) {
		list = append(list, page.Fact{Term: strings.ReplaceAll(key, "_", " "), Text: p.About[key]})
	}
	return list
}
