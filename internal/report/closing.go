package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/internal/report/page"
	"github.com/dapple-dp/dapple/solver"
)

// Written is what a run wrote.
type Written struct {
	Output, Release string // a directory, or a table; a directory
	Format          string // parquet or csv
	Table           bool   // Output is a table
	Job             string // that has loaded the rows into the table; empty: not known
	Files           int
	Rows, Bytes     int64
	People          int64    // rows of a table of people, which is beside that of their rows; 0: there is one table
	Width           int      // columns of the widest marginals asked for; 0: not known
	Compare         string   // the command that compares rows and table; empty: it is not known
	Digest          string   // SHA-256 of the manifest; empty: there is none
	Notes           []string // what else is to be said, a line each
}

// WriteClosing writes the last lines of a run, and notes if something shown is not private and where
// others have left files.
func WriteClosing(w io.Writer, p Privacy, out Written) error {
	lines := []string{
		out.line(p.Rows),
		fmt.Sprintf("privacy %s; %s %s, ledger in %s_privacy.json", p.Guarantee(), page.Count(float64(p.Releases)), plural(p.Releases, "release"), slash(out.Release)),
		"error   " + p.inWords(out.Width),
	}
	if p.Criteria != nil {
		lines = append(lines, "criteria "+p.Criteria.String())
	}
	if p.Public != nil {
		lines = append(lines, "public  "+p.Public.String())
	}
	if p.MinCount.Rows > 0 {
		lines = append(lines, "merged  "+p.MinCount.String())
	}
	lines = append(lines,
		fmt.Sprintf("report  %s_report.html: promise, budget and pictures on one page, for a browser", slash(out.Release)),
		fmt.Sprintf("model   %s_model.arrow: `dapple sample %s --output=more` draws more rows at no privacy cost", slash(out.Release), out.verifyTarget()),
	)
	if out.Digest != "" {
		lines = append(lines, fmt.Sprintf("digest  %s: keep it elsewhere; `dapple verify %s --digest=…` finds any change", out.Digest, out.verifyTarget()))
	}
	if out.Compare != "" {
		lines = append(lines, fmt.Sprintf("compare `%s` shows the true table beside them: NOT private", out.Compare))
	}
	if p.Status == solver.IterationLimit.String() {
		lines = append(lines, "fit     "+p.Status+"; the privacy promise is the same")
	}
	for _, n := range p.remarks(out) {
		lines = append(lines, "note    "+n)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// remarks are what else is to be said of a run.
func (p Privacy) remarks(out Written) []string {
	list := []string{}
	if p.Error.AverageTV > FewTV {
		list = append(list, fmt.Sprintf("that is a large error: there are few %s for so many columns; fewer columns, wider bins or a larger ε help, and `dapple plan --expected_rows=%.0f` says how much", p.unitNames(), p.Units.Count))
	}
	if line := p.fewPeople(); line != "" {
		list = append(list, line)
	}
	if p.Meaning.Warning != "" {
		list = append(list, p.Meaning.Warning)
	}
	for _, shown := range p.NotPrivate {
		list = append(list, "not private is "+shown)
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
			page.Count(float64(rows)), slash(w.Output), w.Format, w.Files, size(w.Bytes))
	}
	return fmt.Sprintf("wrote   %s %s to %s*.%s (%d %s, %s)", page.Count(float64(rows)), plural(int(min(rows, 2)), "row"), slash(w.Output), w.Format, w.Files, plural(w.Files, "file"), size(w.Bytes))
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

// inWords says how far off the rows are, in points and per cent for people who know the table and no statistics.
func (p Privacy) inWords(width int) string {
	e, parts := p.Error, []string(nil)
	switch {
	case e.Cells == 0:
		return strings.TrimPrefix(errorLine(e), "error   ")
	case e.MaxCell >= 1:
		parts = append(parts, "the noise hides shares of single columns")
	case e.PredictedCells > 0 || width == 1:
		parts = append(parts, fmt.Sprintf("shares of single columns are right to ± %.2g points (95 %% confidence)", 100*e.MaxCell))
	default:
		parts = append(parts, fmt.Sprintf("every measured share is right to ± %.2g points (95 %% confidence)", 100*e.MaxCell))
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
	miss := fmt.Sprintf("%s miss %s of the %s", of, strings.ReplaceAll(page.Figures(e.AverageTV, 2), "\u00a0", " "), counted)
	switch {
	case m != nil && (1.96*m.SD >= 1 || e.AverageTV == 0):
		return "the noise hides by how much " + of + " miss"
	case e.AverageTV == 0:
		return ""
	case m != nil:
		return miss + fmt.Sprintf(" on average, as measured to ± %.2g points", 196*m.SD)
	}
	return miss + " on average, as predicted"
}

func errorLine(e Errors) string {
	if e.Cells == 0 && e.Answers > 0 {
		return fmt.Sprintf("error   at most %.2g in any of %s answers to linear queries with 95 %% confidence (%s); of cells nothing is known, as no marginal was measured",
			e.MaxAnswer, page.Count(float64(e.Answers)), e.basis())
	}
	if e.Cells == 0 {
		return "error   not known: this method keeps no answer to compare the model with"
	}
	if e.PredictedCells > 0 {
		return predictedLine(e)
	}
	answers := ""
	if e.Answers > 0 {
		answers = fmt.Sprintf(", and %.2g in any of %s answers to linear queries,", e.MaxAnswer, page.Count(float64(e.Answers)))
	}
	return fmt.Sprintf("error   at most %.2g in any of %s cells%s with 95 %% confidence (%s)", e.MaxCell, page.Count(float64(e.Cells)), answers, e.basis())
}

// basis says what a bound rests on, and that it costs nothing unless it was bought.
func (e Errors) basis() string {
	if e.From == "the noise alone" || e.From == "nothing measured" {
		return "from the noise alone; costs nothing"
	}
	return "from " + e.From
}

// predictedLine is for models whose cells no measurement bounds, but for those of one-way tables.
func predictedLine(e Errors) string {
	tv := ""
	if e.AverageTV > 0 && e.Measured == nil { // else it has its own line
		tv = fmt.Sprintf("average total variation ≈ %.2g, ", e.AverageTV)
	}
	return fmt.Sprintf("error   %slargest of %s cells ≈ %.2g (predicted); %s one-way cells within %.2g (95 %% confidence)",
		tv, page.Count(float64(e.PredictedCells)), e.PredictedCell, page.Count(float64(e.Cells)), e.MaxCell)
}

func slash(dir string) string { return strings.TrimSuffix(dir, "/") + "/" }

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// size writes a number of bytes for people.
func size(bytes int64) string {
	x, unit := float64(bytes), 0
	for x >= 1000 && unit < 4 {
		x /= 1000
		unit++
	}
	return fmt.Sprintf("%.3g %s", x, [...]string{"B", "kB", "MB", "GB", "TB"}[unit])
}

// WriteSampled writes the last lines of a sampling. Dry rows are of a domain alone.
func WriteSampled(w io.Writer, rows int64, dry bool, m MinCount, out Written) error {
	line := out.line(rows) + " at no privacy cost\n"
	if dry {
		line = out.line(rows) + ": DRY ROWS, drawn evenly from the domain file; they come from no data and describe nobody\n"
	}
	if m.Rows > 0 {
		line += "merged  " + m.String() + "\n"
	}
	_, err := io.WriteString(w, line)
	return err
}

// errorSentence is errorLine without its head, as a sentence.
func errorSentence(e Errors) string {
	said := "Error: " + strings.TrimPrefix(errorLine(e), "error   ") + "."
	if e.Measured != nil {
		said += " Measured: " + e.Measured.say(e.AverageTV) + "."
	}
	return said
}
