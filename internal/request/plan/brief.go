package plan

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/internal/solver/methods"
)

// mostLines is the length of WriteText's plan. The command adds one line, the next command.
const mostLines = 14

// said is a line of the short plan before it is broken at the width of a screen.
type said struct {
	head, text string
	optional   bool // left to the JSON form if the plan gets too long
}

// WriteText writes the plan in at most fourteen lines, for people who know the table and no statistics: verdict, promise,
// expected error, cost. JSON has all the rest.
func (p *Plan) WriteText(w io.Writer) error {
	list := []said{{head: "verdict", text: p.verdict()}, {head: "promise", text: p.Charges.Guarantee(p.Domain.PrivacyID)}}
	for _, text := range p.meaning() {
		list = append(list, said{text: text})
	}
	list = append(list, p.expected()...)
	list = append(list, p.narrower()...)
	list = append(list, said{head: "cost", text: p.cost()})
	for _, note := range p.Notes {
		if text, ok := strings.CutPrefix(note, "ledger "); ok {
			list = append(list, said{head: "ledger", text: strings.TrimSpace(text)})
		}
	}
	list = append(list, said{head: "details", text: "add --json=FILE: every charge, other methods, and what each figure rests on"})
	_, err := io.WriteString(w, fitting(list))
	return err
}

// fitting writes the lines, without the last optional ones if they would be too many.
func fitting(list []said) string {
	for {
		var lines []string
		last := -1
		for i, s := range list {
			for _, text := range broken(s.text) {
				lines = append(lines, fmt.Sprintf("%-9s %s\n", s.head, text))
				s.head = ""
			}
			if s.optional {
				last = i
			}
		}
		if len(lines) <= mostLines || last < 0 {
			return strings.Join(lines, "")
		}
		list = slices.Delete(list, last, last+1)
	}
}

// textWidth is how much of a line stands beside its head, in characters.
const textWidth = 100

// broken breaks a text at blanks into lines.
func broken(text string) (lines []string) {
	for _, word := range strings.Split(text, " ") {
		if n := len(lines) - 1; n >= 0 && utf8.RuneCountInString(lines[n]+" "+word) <= textWidth {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// verdict says how well people will be protected, and what the rows will be good for.
func (p *Plan) verdict() string {
	protection := report.Protection(float64(p.Charges.Epsilon))
	if p.deltaTooLarge() {
		protection = report.Weak
	}
	return "protection " + protection + "; usefulness " + p.usefulness()
}

func (p *Plan) usefulness() string {
	grade := report.Grade(p.AverageTV)
	switch {
	case math.IsNaN(p.AverageTV):
		return "not predicted for this method and workload; the release will state its error"
	case grade != report.Poor:
		return grade + ": rows for shares and tables, tests and teaching; not for single people and small groups"
	}
	would := "no number of people would do"
	if p.Enough > 0 {
		would = "about " + page.Count(p.Enough) + " would do"
	}
	text := fmt.Sprintf("%s: %s are too few; %s, or fewer columns, or a larger ε", grade, p.people(p.Problem.Units), would)
	if better := report.Grade(p.LeastTV); p.LeastTV < p.LowTV && better != grade {
		text += "; " + better + " if columns hardly vary"
	}
	return text
}

// people writes a number of privacy units.
func (p *Plan) people(n float64) string {
	if p.Domain.PrivacyID == "" {
		return page.Count(n) + " rows"
	}
	return page.Count(n) + " people"
}

// expected says how far off the rows will be, for how many people that is, and what other ε would do.
func (p *Plan) expected() (list []said) {
	if !math.IsNaN(p.AverageTV) {
		text := fmt.Sprintf("%s miss %s of the %s on average; likely between %s and %s",
			report.TablesOf(methods.Widest(p.Problem.Workload)), page.Plain(p.AverageTV), report.Counted(p.Domain.PrivacyID, p.Domain.Events != nil), page.Plain(p.LowTV), page.Plain(p.HighTV))
		if p.LeastTV < p.LowTV {
			text += fmt.Sprintf(", or about %s if columns hardly vary: nearly all have the same value", page.Plain(p.LeastTV))
		}
		if p.Domain.Len() > 1 {
			text += "; less if columns follow from each other"
		}
		list = append(list, said{head: "error", text: text})
	}
	if !math.IsNaN(p.GapsTV) {
		list = append(list, p.order())
	}
	if len(p.Curve) > 0 {
		list = append(list, said{text: p.curve(), optional: true})
	}
	if p.FinerTV > finer*p.AverageTV {
		list = append(list, said{text: p.finer()})
	}
	if a := p.Aimed; a != nil {
		list = append(list, said{head: "target", text: p.target()})
	}
	units := said{head: "people", text: page.Count(p.Problem.Units)}
	if p.Domain.PrivacyID == "" {
		units.head = "rows"
	}
	switch {
	case p.Like:
		units.text += ", as given or as in the release of --like"
	case !p.UnitsGiven:
		units.text += " is ASSUMED, and the error depends on it: --expected_rows=N takes what is publicly known"
	default:
		units.text += ", as given"
	}
	return append(list, units)
}

// finer is how much larger the error of the bins that a run learns is, at least, for it to be told.
const finer = 1.05

func (p *Plan) finer() string {
	return fmt.Sprintf("(in bins as coarse as ε = 1 learns; this run learns finer ones, and misses %s in those)", page.Plain(p.FinerTV))
}

// narrower says what of the wanted tables is not measured.
func (p *Plan) narrower() (list []said) {
	w := p.Workload
	if w.Target != "" {
		list = append(list, said{head: "workload", text: fmt.Sprintf("tables with %s weigh %d times as much as others, for classifiers that predict it", w.Target, query.TargetWeight)})
	}
	if w.Narrowed != "" {
		list = append(list, said{head: "narrower", text: w.Narrowed, optional: true})
	}
	if w.Omitted > 0 {
		list = append(list, said{head: "left out", text: fmt.Sprintf("%s of more cells than --max_cells, which the model answers without measuring them", page.Counted(int(w.Omitted), "table")), optional: true})
	}
	if n := w.TooLarge + int64(w.TooWide); n > 0 {
		list = append(list, said{head: "left out", text: fmt.Sprintf("%s too wide or large for method %s, which answers them from smaller ones", page.Counted(int(n), "table"), p.Method), optional: true})
	}
	return list
}

func (p *Plan) cost() string {
	text := fmt.Sprintf("%s of CPU and %s of memory in one process", seconds(p.RunSeconds), page.Bytes(p.RunBytes))
	if p.Problem.Domain.Events == nil {
		text += fmt.Sprintf("; %s rows of output, about %s", page.Count(p.Rows), page.Bytes(p.FileBytes))
	}
	return text
}

// meaning says what ε and δ mean, and warns of large ones.
func (p *Plan) meaning() []string {
	epsilon, delta := float64(p.Charges.Epsilon), float64(p.Charges.Delta)
	belief := fmt.Sprintf("a belief of 50 %% about one %s becomes %s %% at most", unitWord(p.Domain), atMost(epsilon))
	if delta > 0 {
		belief += ", but for a chance of δ"
	}
	lines := []string{belief}
	if weak := report.WeakEpsilon(epsilon); weak != "" {
		lines = append(lines, weak)
	}
	if p.deltaTooLarge() {
		lines = append(lines, fmt.Sprintf("δ = %g IS TOO LARGE: the promise may fail for somebody; take one far below 1/(2·units)", delta))
	}
	return lines
}

// deltaTooLarge reports whether the promise may fail for somebody.
func (p *Plan) deltaTooLarge() bool {
	delta := float64(p.Charges.Delta)
	return 2*delta*p.Problem.Units >= 1 || delta > report.LargeDelta
}

// atMost writes what a belief of ½ becomes at most, in per cent.
func atMost(epsilon float64) string {
	if x := 100 / (1 + math.Exp(-epsilon)); x < 99.95 {
		return fmt.Sprintf("%.3g", x)
	}
	return "nearly 100"
}

func unitWord(d *domain.Domain) string {
	if d.PrivacyID == "" {
		return "row"
	}
	return "person"
}
