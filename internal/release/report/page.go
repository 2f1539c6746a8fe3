package report

import (
	"cmp"
	_ "embed" // the page's template
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// Page is what the HTML report is drawn from: released and public values only, all of them in released files,
// so that it can be drawn again.
type Page struct {
	Privacy   Privacy
	Domain    *domain.Domain
	Marginals []Marginal    // the marginals of _marginals.parquet, in its order
	Asked     []Asked       // empty: the release does not know its errors
	Means     []answer.Mean // of the attributes; empty: the same
	Sums      []answer.Sum  // columns that gaps stand for
	Answers   Answers
	Earlier   bool // an earlier version computed the errors
}

// barsOf is the picture of a column that a gap stands for.
func barsOf(s *answer.Sum) page.Bars {
	m := &Marginal{Fitted: s.Shares}
	for _, half := range s.Halves {
		m.FittedError = append(m.FittedError, half/interval)
	}
	b := bars(s.Column, m)
	if s.Mean.Known {
		b.Note += ", " + s.Mean.String()
	}
	return b
}

// Answers are the first answers to the linear queries of a workload, and how many there are; the zero value: it has none.
type Answers struct {
	File string
	Of   int
	List []Answer
}

// Answer is one of them, as texts.
type Answer struct{ ID, Query, Value, Interval, From string }

// Asked is a question with its answers, as texts.
type Asked struct {
	SQL     string
	Answers []AskedAnswer
	From    []string // where the errors of its answers come from
}

// AskedAnswer is one number. Hidden says why it is absent.
type AskedAnswer struct{ Group, Column, Value, Interval, Hidden string }

// Marginal is a published marginal. Its cells are row-major, the last attribute fastest.
type Marginal struct {
	Clique      domain.Clique
	Fitted      []float64 // shares
	FittedError []float64 // standard errors of Fitted; NaN: none is known; nil: nowhere
	FittedFrom  []string  // where each comes from; nil: not said
}

//go:embed report.html
var pageText string

var pageTemplate = page.Parse(pageText)

// interval is how many standard errors make half of a 95 % interval.
const interval = 1.96

// view is what the template of the report is given.
type view struct {
	Privacy
	Title     string
	Facts     []page.Fact
	Say       promises
	Odds      []odds
	Guess     string
	Spent     page.Split
	Charges   []charge
	Columns   []page.Bars
	Order     *order
	Heat      page.Heat
	Strongest []pair
	Known     known
	Card      card
	Changed   []columnNote // columns that are not as they were
	Asked     []Asked
	AskMore   string // the command
	Answers   Answers
	Unit      string
	ErrorText string
	Told      []page.Fact // what only the curator knows
	Evidence  []promise   // the parts of dp/PRIVACY.md
	Source    string      // where documents of the version that ran are read
	Verdicts  []verdict
	Statement string // _privacy.json without the hashes of files
}

// WriteHTML writes _report.html: one self-contained page.
func WriteHTML(w io.Writer, p Page) error {
	say, err := promisesFor(p.Privacy)
	if err != nil {
		return err
	}
	statement, err := p.statement()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	oneWay, columns := p.columns()
	heat, strongest := p.association()
	k := p.known(oneWay)
	title := "Privacy report"
	if name := cmp.Or(p.Privacy.About["name"], p.Privacy.RowsAt); name != "" {
		title += " of " + page.Short(name, 80)
	}
	v := view{
		Privacy: p.Privacy, Title: title, Facts: p.facts(), Say: say, Odds: oddsOf(p.Privacy.Epsilon), Guess: guess(p.Privacy),
		Charges: charges(p.Privacy), Columns: columns, Order: p.inOrder(oneWay), Heat: heat, Strongest: strongest, Known: k, Card: p.card(k), Changed: p.changed(oneWay),
		Statement: statement,
	}
	v.Answers = p.Answers
	v.Asked, v.AskMore = p.Asked, "dapple query "+cmp.Or(shellWord(p.Privacy.RowsAt), "DIR")+" 'SELECT …'"
	v.Spent, v.Unit, v.ErrorText = spent(v.Charges), p.Privacy.unitName(), errorSentence(p.Privacy.Error)
	v.Evidence, v.Told = evidence(p.Privacy.Versions.Dapple), p.Privacy.told()
	v.Source, v.Verdicts = sourceAt(p.Privacy.Versions.Dapple), []verdict{p.Privacy.protection(), p.usefulness(k, v.Changed)}
	if err := page.Write(w, pageTemplate, page.Head{Title: title}, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// shellWord returns a text as one word of a shell.
func shellWord(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// statement returns the privacy statement that the page embeds. It has no hashes of files: one of them is the page's own.
func (p Page) statement() (string, error) {
	s := p.Privacy
	s.Hashes.Rows, s.Hashes.Files = "", nil
	b, err := s.JSON()
	return string(b), err
}

// columns returns the one-way marginals by attribute, nil where none is published, and their pictures.
func (p Page) columns() (oneWay []*Marginal, list []page.Bars) {
	oneWay = make([]*Marginal, p.Domain.Len())
	for i := range p.Marginals {
		if m := &p.Marginals[i]; len(m.Clique) == 1 {
			oneWay[m.Clique[0]] = m
		}
	}
	for a, m := range oneWay {
		if m != nil {
			b := bars(&p.Domain.Attributes[a], m)
			if len(p.Means) > 0 && p.Means[a].Known {
				b.Note += ", " + p.Means[a].String()
			}
			for i := range p.Sums {
				if p.Domain.Gaps[p.Sums[i].Gap].Place == a {
					list = append(list, barsOf(&p.Sums[i]))
				}
			}
			for i := range p.Domain.Gaps {
				if g := &p.Domain.Gaps[i]; g.Place == a {
					b.Note += fmt.Sprintf("; %s is %s and this", g.Declared.Name, p.Domain.GapNames(g.Declared.Name)[0])
				}
			}
			list = append(list, b)
		}
	}
	return oneWay, list
}

// bars is the picture of a column.
func bars(attr *domain.Attribute, m *Marginal) page.Bars {
	b := page.Bars{Name: attr.Name, Note: attr.Type.String(), Series: []string{"share", "95 %"}, Ordered: len(attr.Values) == 0}
	for c, share := range m.Fitted {
		b.Cells = append(b.Cells, page.Bar{
			Label: attr.Label(domain.Code(c)), Share: share, Error: interval * m.standardError(c), Apart: c >= attr.Bins(),
		})
	}
	if b.Ordered {
		b.Ticks, b.Fine = ticks(attr), fine(attr, m.Fitted)
	}
	return b
}

// standardError is a cell's standard error; NaN if it is not known.
func (m *Marginal) standardError(c int) float64 {
	if m.FittedError == nil {
		return math.NaN()
	}
	return m.FittedError[c]
}

// ticks returns the ends of an ordered column and what is in the middle.
func ticks(attr *domain.Attribute) []string {
	n := attr.Bins()
	at := func(i int) string {
		if len(attr.FloatCuts) > 0 {
			return string(domain.AppendFloat(nil, attr.FloatCuts[i]))
		}
		return string(attr.AppendNative(nil, attr.Cuts[i]))
	}
	if n < 4 || len(attr.Runs) > 0 { // learned bins are not equally wide
		return []string{at(0), at(n)}
	}
	return []string{at(0), at(n / 2), at(n)}
}

// pieces is how many equal pieces the range of a column is drawn in if it is known how values lie inside its bins.
const pieces = 160

// fineValues returns how many values a column had before its bins were learned.
func fineValues(attr *domain.Attribute) int {
	whole := *attr // the ends of the range alone
	whole.Learned = 1
	if n := len(whole.Cuts); n > 0 {
		whole.Cuts = []int64{whole.Cuts[0], whole.Cuts[n-1]}
	}
	if n := len(whole.FloatCuts); n > 0 {
		whole.FloatCuts = []float64{whole.FloatCuts[0], whole.FloatCuts[n-1]}
	}
	return whole.Fine()
}

// fine spreads what was learned of all values over equal pieces of the range; nil for other columns. The share of NULL is
// no part of it.
func fine(attr *domain.Attribute, shares []float64) []float64 {
	if len(attr.Runs) == 0 {
		return nil
	}
	values, held, all := fineValues(attr), 0.0, 0.0
	for _, share := range shares[:attr.Bins()] {
		held += share
	}
	for _, r := range attr.Runs {
		all += r.Share
	}
	out := make([]float64, min(pieces, values))
	width := float64(values) / float64(len(out)) // values of a piece
	for i, r := range attr.Runs {
		end := values
		if i+1 < len(attr.Runs) {
			end = attr.Runs[i+1].From
		}
		from, to := float64(r.From)/width, float64(end)/width
		share := r.Share / all
		if all == 0 { // all are NULL: as rows are drawn
			share = float64(end-r.From) / float64(values)
		}
		for k := int(from); k < len(out) && float64(k) < to; k++ {
			part := min(to, float64(k+1)) - max(from, float64(k))
			out[k] += held * share * part / (to - from)
		}
	}
	return out
}
