package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// verdict is a card of the first screen: a word with a colour, and what it means.
type verdict struct {
	Title, Word string
	Level       string // good, fair or poor: the colour
	Lines       []string
}

// Up to these values of ε protection is strict, and usual.
const (
	strictEpsilon = 1
	usualEpsilon  = 5
)

// Words for protection.
const (
	Strict = "strict"
	Usual  = "usual"
	Weak   = "weak"
)

// Protection names how well ε protects.
func Protection(epsilon float64) string {
	switch {
	case epsilon <= strictEpsilon:
		return Strict
	case epsilon <= usualEpsilon:
		return Usual
	}
	return Weak
}

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
	v := verdict{Title: "Protection", Word: Protection(float64(p.Epsilon))}
	large := p.Meaning.largeDelta(p.Delta)
	if large {
		v.Word = Weak
	}
	v.Level = map[string]string{Strict: Good, Usual: Fair, Weak: Poor}[v.Word]
	who := "one " + p.unitName()
	if p.PrivacyID != "" {
		who += ", with all their rows"
	}
	v.Lines = []string{
		fmt.Sprintf("ε = %g and δ = %s, for %s.", p.Epsilon, page.Small(p.Delta), who),
		fmt.Sprintf("An attacker who thinks it 50 %% likely that one %s is in the table can become %s sure at most.", p.unitName(), oddsOf(p.Epsilon)[2].Most),
	}
	if large {
		v.Lines = append(v.Lines, "δ is too large: the promise may fail for somebody.")
	}
	return v
}

// columnError is the total variation of the widest tables with a column, on average.
type columnError struct {
	Name string
	TV   float64
}

// errors are the errors of all columns, the largest first, and of the worst pair: the predictions of the tables' errors, scaled so that
// their mean is the average of all tables.
func (p Page) errors() (list []columnError, pair columnError) {
	sums, n := make([]float64, p.Domain.Len()), make([]float64, p.Domain.Len())
	all, tables, width := 0.0, 0.0, p.width()
	for i := range p.Marginals {
		m := &p.Marginals[i]
		tv := m.predictedTV()
		if len(m.Clique) == 2 && tv > pair.TV {
			pair = columnError{page.Short(strings.Join(m.Clique.Names(p.Domain), " × "), 60), tv}
		}
		if len(m.Clique) < width || math.IsNaN(tv) {
			continue
		}
		all, tables = all+tv, tables+1
		for _, a := range m.Clique {
			sums[a], n[a] = sums[a]+tv, n[a]+1
		}
	}
	if all == 0 {
		return nil, columnError{}
	}
	scale := p.Privacy.Error.AverageTV / all * tables
	for a := range sums {
		if n[a] > 0 {
			list = append(list, columnError{p.Domain.Attributes[a].Name, min(1, sums[a]/n[a]*scale)})
		}
	}
	slices.SortStableFunc(list, func(x, y columnError) int { return cmp.Compare(y.TV, x.TV) })
	pair.TV = min(1, pair.TV*scale)
	return list, pair
}

// worstColumn is how many times the average error a column may have in tables that are called as good as the average. Rows with a pair
// that is predicted beyond worstPair are fair at best: pairs of 40 to 80 values were off by .12 to .42 in tables that miss 2 to 5 % on
// average. The worst of many predictions is often twice the truth, so that pairs off by .06 and less stay below.
const (
	worstColumn = 2
	worstPair   = 3 * GoodTV
)

// grade grades rows by the average error of their tables, the error of their worst column, and the middle interval of their shares;
// rows with a bad pair, or of columns that are largely not as they were, are fair at best.
func (p Page) grade(k known, columns []columnError, pair float64, notes []columnNote) string {
	worst := max(p.Privacy.Error.AverageTV, k.middle)
	if len(columns) > 0 {
		worst = max(worst, columns[0].TV/worstColumn)
	}
	level := Grade(worst)
	if level == Good && (pair > worstPair || slices.ContainsFunc(notes, func(n columnNote) bool { return n.Part >= muchMoved })) {
		return Fair
	}
	return level
}

// usefulness says how far off the rows are.
func (p Page) usefulness(k known, notes []columnNote) (v verdict) {
	s := p.Privacy
	columns, pair := p.errors()
	v = verdict{Title: "Usefulness", Word: "not measured", Level: Fair}
	if s.Fit != nil && !s.Fit.Holds {
		defer func() { // it stands above all figures
			word, best := s.judged()
			if best == Poor || best == Fair && v.Level == Good {
				v.Word, v.Level = best, best
			}
			v.Lines = append([]string{"The fit is " + strings.ToLower(word) + ": " + s.fitInWords() + "."}, v.Lines...)
		}()
	}
	if p.Earlier {
		v.Lines = append(v.Lines, "An earlier version made this release: its intervals leave out how far the model is from the noisy answers, and may be too narrow.")
	}
	if tv := s.Error.AverageTV; tv > 0 {
		v.Level = p.grade(k, columns, pair.TV, notes)
		v.Word = v.Level
		how := "as predicted"
		if s.Error.Measured != nil {
			how = "as measured with noise"
		}
		line := fmt.Sprintf("Tables of %s are wrong for %s of the %s on average, %s", widthWords(p.width()), page.Figures(tv, 2), s.counted(), how)
		for i, c := range columns[:min(len(columns), 3)] {
			line += fmt.Sprintf("%s %s (%s)", map[bool]string{true: "; most with", false: ","}[i == 0], page.Short(c.Name, 40), page.Figures(c.TV, 2))
		}
		if pair.TV > worstPair {
			line += "; least known is the pair " + pair.Name
		}
		v.Lines = append(v.Lines, line+".")
	}
	if within := cmp.Or(s.Error.Shares, k.half); within > 0 && within < 1 {
		v.Lines = append(v.Lines, fmt.Sprintf("Shares of single columns are right to ±\u00a0%s or better, all at once.", page.Figures(within, 2)))
	}
	good, not := "Good for tests and teaching", "single people and small groups"
	if v.Level != Poor {
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

// Criteria say how close the model was asked to be, and whether it is. That, one bit, is a release: the ledger's stage
// "criteria" has what it cost.
type Criteria struct {
	Limits []Limit `json:"limits"`
	Met    bool    `json:"met"`
	Share  float64 `json:"share"`             // of the budget, for the check
	Within float64 `json:"within_95_percent"` // units by which noise shifts the check, at most, with 95 % confidence
}

// Limit is the largest error that a cell of a marginal may have.
type Limit struct {
	Columns []string `json:"columns"`
	Largest float64  `json:"largest_error"` // part of the released number of units
}

// String says it in a sentence without its full stop.
func (c Criteria) String() string {
	var limits []string
	for _, l := range c.Limits {
		limits = append(limits, fmt.Sprintf("%s by at most %g", strings.Join(l.Columns, ", "), l.Largest))
	}
	met := "met"
	if !c.Met {
		met = "NOT met"
	}
	return fmt.Sprintf("%s: shares of the model differ from the table's in %s; checked on the table with %s of the budget, right to ±%.3g units with 95 %% confidence",
		met, strings.Join(limits, "; in "), page.Percent(c.Share, 1), c.Within)
}
