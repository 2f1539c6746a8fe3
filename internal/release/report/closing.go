package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/solver"
)

// Written is what a run wrote.
type Written struct {
	Wrote
	Release string   // a directory
	Table   bool     // Output is a table
	Width   int      // columns of the widest marginals asked for; 0: not known
	Compare string   // the command that compares rows and table; empty: it is not known
	Adopted string   // how an earlier run had made this; empty: this run has made it
	Notes   []string // what else is to be said, a line each
}

// The last lines of a run are at most so many, of so many characters each: lists are on the page.
const (
	closingLines = 8
	closingWidth = 160
)

// WriteClosing writes the last lines of a run: first what is wrong with it, then what it wrote, the promise and the error.
func WriteClosing(w io.Writer, p Privacy, out Written) error {
	digest := ""
	if out.Digest != "" {
		digest = within("digest  "+out.Digest+": keep it elsewhere", fmt.Sprintf("; `dapple verify %s --digest=…` finds any change", out.verifyTarget()))
	}
	words := "error   " + p.inWords(out.Width)
	if utf8.RuneCountInString(words) > closingWidth { // how well a figure is known comes before that it is an average
		words = strings.Replace(words, " on average", "", 1)
	}
	lines := []string{
		within(out.line(p.Rows)),
		within(fmt.Sprintf("privacy %s", p.Guarantee()), fmt.Sprintf("; %s, ledger in %s_privacy.json", page.Counted(p.Releases, "release"), slash(out.Release))),
		within(words),
		within(fmt.Sprintf("report  %s_report.html", slash(out.Release)), fmt.Sprintf(", for a browser; `dapple sample %s --output=more` draws more rows at no privacy cost", out.verifyTarget())),
	}
	if digest != "" {
		lines = append(lines, digest)
	}
	notes := p.urgent(out)
	if out.Adopted != "" { // it may not be what was asked for
		notes = append([]string{"adopted " + out.Adopted}, notes...)
	}
	if most := max(1, closingLines-len(lines)); len(notes) > most {
		left := len(notes) - most + 1
		notes = append(notes[:most-1], fmt.Sprintf("note    and %d more %s: --json=FILE has all", left, page.Plural(left, "note")))
	}
	for i := range notes {
		notes[i] = within(notes[i])
	}
	lines = append(notes, lines...)
	if out.Compare != "" && len(lines) < closingLines {
		line := fmt.Sprintf("compare `%s`: NOT private", out.Compare)
		if utf8.RuneCountInString(line) > closingWidth {
			line = "compare `dapple evaluate FILE TABLE DIR --html=compared.html`: NOT private"
		}
		lines = append(lines, line)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// within joins the parts of a line as long as they have their place, and cuts the first one behind a word that is no figure if it is too
// long itself.
func within(parts ...string) string {
	line := parts[0]
	if utf8.RuneCountInString(line) > closingWidth {
		line = page.Short(line, closingWidth)
		for at := strings.LastIndexByte(line, ' '); at > closingWidth/2; at = strings.LastIndexByte(line[:at], ' ') {
			if !strings.ContainsAny(line[strings.LastIndexByte(line[:at], ' '):at], "±%0123456789") {
				line = line[:at] + " …"
				break
			}
		}
	}
	for _, more := range parts[1:] {
		if utf8.RuneCountInString(line+more) <= closingWidth {
			line += more
		}
	}
	return line
}

// urgent are the lines that stand first: of a fit that failed, of criteria that are not met, of what is not private, of
// columns that are not as they were; then the other notes.
func (p Privacy) urgent(out Written) (list []string) {
	note := func(text string) { list = append(list, "note    "+text) }
	const same = "; the privacy promise is the same"
	switch {
	case p.Fit != nil && !p.Fit.Holds:
		word, _ := p.judged()
		list = append(list, within("fit     "+word+": "+p.fitInWords(), same))
	case p.Status == solver.Unfit.String():
		list = append(list, "fit     "+poorFit+": "+p.Status+same)
	}
	if p.Criteria != nil {
		if line := "criteria " + p.Criteria.String(); p.Criteria.Met {
			defer func() { list = append(list, line) }()
		} else {
			list = append(list, line)
		}
	}
	for _, text := range p.warnings() {
		note(text)
	}
	for _, shown := range p.NotPrivate {
		if columns, ok := strings.CutPrefix(shown, derivedFromData); ok {
			n := strings.Count(columns, "; ") + 1
			shown = fmt.Sprintf("%s of the domain file %s read off the true table and not reviewed; the report lists them", page.Counted(n, "part"), map[bool]string{true: "was", false: "were"}[n == 1])
		}
		note("NOT PRIVATE: " + shown)
	}
	if columns := p.notes(); len(columns) > 0 {
		note(few(columns))
	}
	for _, text := range p.remarks(out) {
		said := slices.Contains(p.DidNotFit, text) || slices.Contains(p.LeftOut, strings.TrimPrefix(text, "left out: ")) || slices.Contains(p.NotPrivate, strings.TrimPrefix(text, notPrivate)) ||
			slices.Contains(p.warnings(), text)
		if !said {
			note(text)
		}
	}
	return list
}

// notePlaces is how many columns the last lines name.
const notePlaces = 3

// few writes the first of what is said of columns, and how many more there are.
func few(columns []columnNote) string {
	var parts []string
	for _, c := range columns[:min(notePlaces, len(columns))] {
		parts = append(parts, page.Short(c.Column, 24)+": "+c.Text)
	}
	if more := len(columns) - notePlaces; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more columns on the page", more))
	}
	text := strings.Join(parts, "; ")
	if utf8.RuneCountInString(text) < closingWidth-10 || len(columns) == 1 {
		return text
	}
	var names []string
	for _, c := range columns[:min(notePlaces, len(columns))] {
		names = append(names, page.Short(c.Column, 24))
	}
	return fmt.Sprintf("%s not as in the table, or left out: %s …; the page says how", page.Counted(len(columns), "column"), strings.Join(names, ", "))
}

// warnings say that ε or δ is too large.
func (p Privacy) warnings() []string {
	if p.Meaning.Warning == "" {
		return nil
	}
	return strings.Split(p.Meaning.Warning, "; ")
}

// notPrivate begins a remark on what no guarantee covers.
const notPrivate = "not private is "

// remarks are what else is to be said of a run.
func (p Privacy) remarks(out Written) []string {
	list := []string{}
	if p.tooFew() {
		list = append(list, fmt.Sprintf("large error: few %s for so many columns; fewer columns, wider bins or a larger ε help, see `dapple plan --expected_rows=%.0f`", p.unitNames(), p.Units.Count))
	}
	if line := p.fewPeople(); line != "" {
		list = append(list, line)
	}
	list = append(list, p.warnings()...)
	for _, shown := range p.NotPrivate {
		list = append(list, notPrivate+shown)
	}
	return append(list, out.Notes...)
}

// line says what was written where.
func (w Written) line(rows int64) string {
	if w.Table {
		return w.tableLine(rows)
	}
	if w.People > 0 {
		return fmt.Sprintf("wrote   %s people to %speople/*.%s and their %s rows to %sevents/*.%s (%d files, %s)", page.Count(float64(w.People)), slash(w.Output), w.Format,
			page.Count(float64(rows)), slash(w.Output), w.Format, w.Files, page.Bytes(float64(w.Bytes)))
	}
	return fmt.Sprintf("wrote   %s to %s*.%s (%s, %s)", page.Counted(int(rows), "row"), slash(w.Output), w.Format, page.Counted(w.Files, "file"), page.Bytes(float64(w.Bytes)))
}

// verifyTarget is the argument for dapple verify and dapple sample.
func (w Written) verifyTarget() string {
	if w.Table {
		return w.Release
	}
	return w.Output
}

// tableLine is line for a table. A service need not say which job has loaded how many rows.
func (w Written) tableLine(rows int64) string {
	count := func(n int64, unknown string) string {
		if n < 0 {
			return unknown
		}
		return page.Count(float64(n)) + " "
	}
	job := ""
	if w.Job != "" {
		job = " (load job " + w.Job + ")"
	}
	if w.People != 0 {
		return fmt.Sprintf("wrote   %speople to %s and their %srows to %s%s", count(w.People, ""), tableAt(w.Output, "people"), count(rows, ""), tableAt(w.Output, "events"), job)
	}
	return fmt.Sprintf("wrote   %srows to %s%s", count(rows, "all "), w.Output, job)
}

// tableAt is where one of two tables is.
func tableAt(at, table string) string {
	if strings.HasPrefix(at, "bq://") {
		return at + "_" + table
	}
	return at + "/" + table
}

// inWords says how far off the rows are, in points and per cent for people who know the table and no statistics.
func (p Privacy) inWords(width int) string {
	e, parts := p.Error, []string(nil)
	switch {
	case e.Cells == 0:
		return errorText(e)
	case e.Shares >= 1 || e.Shares == 0 && e.MaxCell >= 1:
		parts = append(parts, "the noise hides shares of single columns")
	case e.Shares > 0:
		parts = append(parts, fmt.Sprintf("shares of single columns are right to ± %.2g points (95 %%)", 100*e.Shares))
	case e.PredictedCells > 0 || width == 1:
		parts = append(parts, fmt.Sprintf("shares of single columns are right to ± %.2g points (95 %%)", 100*e.MaxCell))
	default:
		parts = append(parts, fmt.Sprintf("every measured share is right to ± %.2g points (95 %%)", 100*e.MaxCell))
	}
	if e.Answers > 0 {
		parts = append(parts, fmt.Sprintf("answers to linear queries to ± %.2g points", 100*e.MaxAnswer))
	}
	if said := p.tablesInWords(width); said != "" {
		parts = append(parts, said)
	}
	return strings.Join(parts, "; ")
}

// tablesInWords says by how much the widest tables miss; empty: it is not known.
func (p Privacy) tablesInWords(width int) string {
	e, of := p.Error, "the widest tables"
	if width > 0 {
		of = TablesOf(width)
	}
	m, counted := e.Measured, Counted(p.PrivacyID, p.RowsMax > 0)
	miss := fmt.Sprintf("%s miss %s of the %s", of, page.Plain(e.AverageTV), counted)
	switch {
	case m != nil && (1.96*m.SD >= 1 || e.AverageTV == 0):
		return "the noise hides by how much " + of + " miss"
	case e.AverageTV == 0:
		return ""
	case e.Computed > 0:
		return miss + fmt.Sprintf(" on average, predicted for %s with columns that an order computes", page.Count(float64(e.Computed)))
	case m != nil:
		return miss + fmt.Sprintf(" on average, measured to ± %.2g points", 196*m.SD)
	}
	return miss + " on average, predicted"
}

// errorText says how far off the rows are, with what that rests on.
func errorText(e Errors) string {
	if e.Cells == 0 && e.Answers > 0 {
		return fmt.Sprintf("at most %.2g in any of %s answers to linear queries with 95 %% confidence (%s); nothing is known of cells",
			e.MaxAnswer, page.Count(float64(e.Answers)), e.basis())
	}
	if e.Cells == 0 {
		return "not known: this method keeps no answer to compare the model with"
	}
	if e.PredictedCells > 0 {
		return predictedText(e)
	}
	answers := ""
	if e.Answers > 0 {
		answers = fmt.Sprintf(", and %.2g in any of %s answers to linear queries,", e.MaxAnswer, page.Count(float64(e.Answers)))
	}
	return fmt.Sprintf("at most %.2g in any of %s cells%s with 95 %% confidence (%s)", e.MaxCell, page.Count(float64(e.Cells)), answers, e.basis())
}

// basis says what a bound rests on, and that it costs nothing unless it was bought.
func (e Errors) basis() string {
	if e.From == "the noise alone" || e.From == "nothing measured" {
		return "from the noise alone; costs nothing"
	}
	return "from " + e.From
}

// predictedText is for models whose cells no measurement bounds, but for cells of one-way tables.
func predictedText(e Errors) string {
	tv := ""
	if e.AverageTV > 0 && e.Measured == nil { // else it has its own line
		tv = fmt.Sprintf("average total variation ≈ %.2g, ", e.AverageTV)
	}
	return fmt.Sprintf("%slargest of %s cells ≈ %.2g (predicted); %s one-way cells within %.2g (95 %% confidence)",
		tv, page.Count(float64(e.PredictedCells)), e.PredictedCell, page.Count(float64(e.Cells)), e.MaxCell)
}

func slash(dir string) string { return strings.TrimSuffix(dir, "/") + "/" }

// WriteSampled writes the last lines of a sampling. Dry rows are of a domain alone.
func WriteSampled(w io.Writer, rows int64, dry bool, out Written) error {
	line := out.line(rows) + " at no privacy cost\n"
	if dry {
		line = out.line(rows) + ": DRY ROWS, drawn evenly from the domain file; they come from no data and describe nobody\n"
	}
	for _, note := range out.Notes {
		line = within("note    "+note) + "\n" + line
	}
	_, err := io.WriteString(w, line)
	return err
}

// errorSentence is errorText as a sentence.
func errorSentence(e Errors) string {
	said := "Error: " + errorText(e) + "."
	if e.Measured != nil {
		said += " Measured: " + e.Measured.say(e.AverageTV) + "."
	}
	return said
}
