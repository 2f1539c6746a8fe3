package report

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/internal/model/theory"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// card says what rows are good for and what not, by the released figures.
type card struct{ Good, Not []string }

func (p Page) card(k known) (c card) {
	good := func(format string, args ...any) { c.Good = append(c.Good, fmt.Sprintf(format, args...)) }
	not := func(format string, args ...any) { c.Not = append(c.Not, fmt.Sprintf(format, args...)) }
	s := p.Privacy
	if k.half > 0 {
		say := good
		if k.middle > FewTV/2 {
			say = not
		}
		say("Shares of single columns: half of the 95 %% intervals are at most ±\u00a0%s, the widest is ±\u00a0%s.",
			page.Figures(k.middle, 2), page.Figures(k.half, 2))
	}
	known := "predicted"
	if s.Error.Measured != nil {
		known = "estimated"
	}
	switch tv := s.Error.AverageTV; {
	case tv > FewTV:
		few := ""
		if s.tooFew() {
			few = fmt.Sprintf(" There are too few %s for so many columns and cells.", s.unitNames())
		}
		not("Tables of %s: %s to miss %s of the %s on average.%s", widthWords(p.width()), known, page.Figures(tv, 2), s.counted(), few)
	case tv > 0:
		good("Tables of %s: %s to miss %s of the %s on average.", widthWords(p.width()), known, page.Figures(tv, 2), s.counted())
	}
	if e := s.Error; e.Answers > 0 {
		good("The %s linear queries that were asked: each answer is right to ±\u00a0%s of all, with 95 %% confidence in all of them.", page.Count(float64(e.Answers)), page.Figures(e.MaxAnswer, 2))
	}
	if said := s.drawn(); said != "" {
		good("%s", said)
	}
	if k.groupOf > 0 {
		good("Groups by two columns that hold at least %s of all (about %s): nine of ten are known to a tenth of their share or better.",
			page.Figures(k.groupOf, 2), page.Count(k.groupOf*s.Units.Count))
	}
	good("Building and testing programs, queries and pipelines: the rows have the columns, types and values of the domain.")
	p.limits(k, not)
	return c
}

// limits says what rows are not good for.
func (p Page) limits(k known, not func(format string, args ...any)) {
	s := p.Privacy
	not("Any single person: rows are drawn from a model, and one that equals somebody's record does so by chance. Do not link rows to other tables by their values.")
	if k.groupOf > 0 {
		not("Smaller groups: their shares may be mostly noise. The intervals are in %s.", s.Marginals.File)
	} else {
		not("Small groups: no share of two columns is known to a tenth. The intervals are in %s.", s.Marginals.File)
	}
	if w := p.width(); w > 0 && w < p.Domain.Len() {
		not("What takes more than %s together: wider interactions were not asked for.", widthWords(w))
	}
	if k.PooledAll > 0 {
		not("The relation of %d rare values to other columns: they were too rare to be measured together.", k.PooledAll)
	}
	p.limitsOfPeople(not)
	if names, records := p.unsure(); len(names) > 0 {
		not("Standard deviations and largest values of %s: their %s farthest values hold a good part of the released variance, and it may be off by a tenth and more.",
			strings.Join(names, ", "), page.Count(records))
	}
	if s.treeNoise() > 0 {
		not("Values far from all others: what fewer than about %s have is not seen by itself, and a standard deviation that a few such values carry is too small here.", p.seen())
	}
	not("Differences inside an interval of an ordered column, unless it was measured: values are spread evenly there.")
	not("Confidence intervals as though the rows were a sample: the noise adds to the scatter of a sample.")
}

// limitsOfPeople says it of people's rows together.
func (p Page) limitsOfPeople(not func(format string, args ...any)) {
	s := p.Privacy
	switch {
	case s.RowsMax > 0 && s.RowsInOrder != "":
		not("More of a person's past than the row before: each row is drawn given that and the person; running totals and what comes at most once do not hold. %s", p.mostRows())
	case s.RowsMax > 0:
		not("Sequences: the rows of one person are drawn independently of each other, given what the model holds of the person; their order, the gaps between them and running totals mean nothing. %s", p.mostRows())
	case s.PrivacyID != "":
		not("Sequences and repeats: each %s has one row here, however many it had.", s.unitName())
	}
	if line := s.fewPeople(); s.RowsMax > 0 && line != "" {
		not("The number of rows, and what is in most of them: %s.", line)
	}
}

// mostRows says how many rows are written at most, and how many people may have had more.
func (p Page) mostRows() string {
	most := page.Count(float64(p.Privacy.RowsMax))
	for _, m := range p.Marginals {
		if e := p.Domain.Events; e != nil && len(m.Clique) == 1 && m.Clique[0] == e.Columns {
			if part := m.Fitted[len(m.Fitted)-1]; part >= muchCut {
				return fmt.Sprintf("Nobody has more than %s: about %s have as many, and what they had beyond is in no row and in no answer.", most, page.Percent(part, 0))
			}
		}
	}
	if e := p.Domain.Events; e != nil && p.Domain.Attributes[e.Columns].Beyond[1] {
		return "Nobody has more than " + most + ", the most that was found: what somebody has beyond is in no row and in no answer."
	}
	return "Nobody has more than " + most + "."
}

// muchCut is the part of the people with the most rows from which on it is said.
const muchCut = .05

// width is the number of columns of the widest published marginals.
func (p Page) width() (w int) {
	for i := range p.Marginals {
		w = max(w, len(p.Marginals[i].Clique))
	}
	return w
}

func widthWords(w int) string {
	if w == 1 {
		return "one column"
	}
	words := []string{"two", "three", "four", "five", "six", "seven", "eight"}
	if w-2 < len(words) && w >= 2 {
		return words[w-2] + " columns"
	}
	return fmt.Sprintf("%d columns", w)
}

// drawn says what is known of a population that the table is a random part of, beyond what noise hides; empty: nothing.
func (p Privacy) drawn() string {
	e, cells := p.Error, max(p.Error.Cells, p.Error.PredictedCells)
	sampling := theory.Sampling(float64(cells), p.Units.Count, 1-confidence)
	from := fmt.Sprintf("A population that the %s are a random sample of", p.unitNames())
	switch both := sampling + e.MaxCell; {
	case cells == 0 || sampling >= 1:
		return ""
	case e.PredictedCells > 0:
		return fmt.Sprintf("%s: beside the errors here, the sample itself is off by up to ±\u00a0%s in one of %s cells, with 95 %% confidence; no ε changes that.", from, page.Figures(sampling, 2), page.Count(float64(cells)))
	case both < 1:
		return fmt.Sprintf("%s: each of the %s cells is right to ±\u00a0%s, with 90 %% confidence in all of them; ±\u00a0%s of that is sampling, which no ε changes.", from, page.Count(float64(cells)), page.Figures(both, 2), page.Figures(sampling, 2))
	}
	return ""
}
