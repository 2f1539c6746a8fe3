package report

import (
	"fmt"

	"github.com/dapple-dp/dapple/internal/report/page"
)

// verdict is a card of the first screen: a word with a colour, and what it means.
type verdict struct {
	Title, Word string
	Level       string // good, fair or poor: the colour
	Lines       []string
}

// Up to these values of ε a release protects well, and moderately.
const (
	strongEpsilon   = 1
	moderateEpsilon = 5
)

// GoodTV is the average total variation up to which tables of a few columns are called good; FewTV, up to which fair.
const GoodTV = .05

// Grades of rows, by their average total variation.
const (
	Good = "good"
	Fair = "fair"
	Poor = "poor"
)

// Grade grades an average total variation.
func Grade(tv float64) string {
	switch {
	case tv <= GoodTV:
		return Good
	case tv <= FewTV:
		return Fair
	}
	return Poor
}

// TablesOf names the tables of so many columns.
func TablesOf(width int) string {
	if width == 1 {
		return "shares of single columns"
	}
	return "tables of " + widthWords(width)
}

// Counted are the things that shares are shares of.
func Counted(privacyID string, events bool) string {
	if privacyID == "" || events {
		return "rows"
	}
	return "people"
}

// protection says how well a person is protected.
func (p Privacy) protection() verdict {
	v := verdict{Title: "Protection", Word: "strong", Level: "good"}
	switch {
	case p.Meaning.Warning != "" || p.Epsilon > moderateEpsilon:
		v.Word, v.Level = "weak", "poor"
	case p.Epsilon > strongEpsilon:
		v.Word, v.Level = "moderate", "fair"
	}
	who := "one " + p.unitName()
	if p.PrivacyID != "" {
		who += ", with all their rows"
	}
	v.Lines = []string{
		fmt.Sprintf("ε = %g and δ = %s, for %s.", p.Epsilon, page.Small(p.Delta), who),
		fmt.Sprintf("An attacker who thinks it 50 %% likely that one %s is in the table can become %s sure at most.", p.unitName(), oddsOf(p.Epsilon)[2].Most),
	}
	if p.Meaning.Warning != "" {
		v.Lines = append(v.Lines, "δ is too large: the promise may fail for somebody.")
	}
	return v
}

// usefulness says how far off the rows are.
func (p Page) usefulness(k known) verdict {
	s := p.Privacy
	v := verdict{Title: "Usefulness"}
	if v.Level = Grade(s.Error.AverageTV); s.Error.AverageTV <= 0 {
		v.Level = Fair
	}
	if v.Word = v.Level; s.Error.AverageTV <= 0 {
		v.Word = "not measured"
	}
	if tv := s.Error.AverageTV; tv > 0 {
		how := "as predicted"
		if s.Error.Measured != nil {
			how = "as measured with noise"
		}
		v.Lines = append(v.Lines, fmt.Sprintf("Tables of %s are wrong for %s of the %s on average, %s.", widthWords(p.width()), page.Figures(tv, 2), s.counted(), how))
	}
	if k.half > 0 {
		v.Lines = append(v.Lines, fmt.Sprintf("Shares of single columns are right to ±\u00a0%s or better.", page.Figures(k.half, 2)))
	}
	good, not := "Good for tests and teaching", "single people and small groups"
	if v.Level != "poor" {
		good = "Good for shares and tables, tests and teaching"
	}
	switch {
	case s.RowsInOrder != "":
		not = "single people, small groups and what depends on more than the row before"
	case s.RowsMax > 0:
		not = "single people, small groups and the order of rows"
	}
	v.Lines = append(v.Lines, good+". Not good for "+not+".")
	return v
}

// counted are the things that shares are shares of.
func (p Privacy) counted() string {
	if p.PrivacyID == "" || p.RowsMax > 0 {
		return "rows"
	}
	return p.unitNames()
}
