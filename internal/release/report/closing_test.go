package report_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestClosingIsShort: whatever there is to say, the last lines are at most eight of 160 characters; what is wrong comes first.
func TestClosingIsShort(t *testing.T) {
	long := strings.Repeat("long/", 60)
	for n := range 9 {
		p := report.Privacy{Status: solver.Unfit.String(), Meaning: report.Meaning{Warning: "epsilon; " + strings.Repeat("delta is too large ", 20)}, LeftOut: []string{"a: too few", "b: too few", "c", "d: " + long}}
		out := report.Written{Wrote: report.Wrote{Output: long + "out", Digest: strings.Repeat("a", 64)}, Release: long + "out.release", Compare: "dapple evaluate " + long}
		if n%3 > 0 {
			p.Fit = &report.Fit{Tables: 1000, Off: slices.Repeat([]report.OffFit{{Columns: []string{long, long}, Times: math.Pow(10, float64(n)) / 7}}, 1+n*100)}
		}
		mend := "another --method may fit"
		if n%3 == 2 {
			p.Constraints, mend = []string{long}, "a rule may not hold: `dapple check`"
		}
		for i := range n {
			out.Notes = append(out.Notes, strings.Repeat("note ", 10*i+1))
		}
		var b strings.Builder
		must.Do(t, report.WriteClosing(&b, p, out))
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		must.Hold(t, len(lines) <= 8 && strings.HasPrefix(lines[0], "fit     POOR: "), "%d lines:\n%s", len(lines), b.String())
		must.Hold(t, p.Fit == nil || strings.Contains(lines[0], mend), "the first line does not say what to do: %s", lines[0])
		must.Hold(t, strings.Contains(b.String(), "note    epsilon\n"), "the promise is weak, and nothing says it:\n%s", b.String())
		for _, line := range lines {
			must.Hold(t, utf8.RuneCountInString(line) <= 160, "%d characters: %s", utf8.RuneCountInString(line), line)
		}
		for _, head := range []string{"wrote ", "privacy ", "error ", "report ", "digest "} {
			must.Hold(t, strings.Contains(b.String(), "\n"+head), "no %q in\n%s", head, b.String())
		}
	}
}

// Lines that are too long end with a clause or a word: no figure is cut, and none stands without its unit.
func TestClosingCutsNoFigure(t *testing.T) {
	for n := range 130 {
		p := report.Privacy{PrivacyID: "id", Error: report.Errors{Cells: 9, Shares: math.Pow(10, -float64(n%7)) / 7, AverageTV: math.Pow(10, -float64(n%5)) / 7, PredictedCells: 99, Measured: &report.MeasuredTV{SD: math.Pow(10, -float64(n%6)) / 700}}}
		if n%2 == 1 {
			p.Error.Computed = 12_345
		}
		note := strings.Repeat("a", n) + ": about 12.5 % of its values moved to ± 0.25 points, and about 99.5 % became 123456.789; " + strings.Repeat("more of it ", 9)
		var b strings.Builder
		must.Do(t, report.WriteClosing(&b, p, report.Written{Wrote: report.Wrote{Output: "out"}, Width: 3, Notes: []string{note}}))
		for line := range strings.Lines(b.String()) {
			said, cut := strings.CutSuffix(line, " …\n")
			must.Hold(t, utf8.RuneCountInString(line) <= 161 && (cut || !strings.Contains(line, "…")), "%s", line)
			must.Hold(t, !cut || !strings.ContainsAny(said[strings.LastIndexByte(said, ' '):], "±%0123456789"), "a figure is cut: %s", line)
			must.Hold(t, !cut || strings.HasPrefix(line, "error ") || strings.HasPrefix(note, said[8:]+" "), "a word is cut: %s", line)
			must.Hold(t, !strings.HasPrefix(line, "error ") || n%2 == 1 || strings.HasSuffix(line, " points\n"), "the error is cut: %s", line)
		}
	}
}

// Notes come first, a line each as long as there is place.
func TestClosingHasNotes(t *testing.T) {
	for _, notes := range [][]string{nil, {"one"}, {"one", "two"}} {
		var b strings.Builder
		must.Do(t, report.WriteClosing(&b, report.Privacy{}, report.Written{Wrote: report.Wrote{Output: "out"}, Notes: notes}))
		want := ""
		for _, n := range notes {
			want += "note    " + n + "\n"
		}
		must.Hold(t, strings.HasPrefix(b.String(), want+"wrote "), "%q: %s", notes, b.String())
	}
}

// The error of a release is said in points and per cent, and what noise hides is said to be hidden.
func TestClosingSaysTheErrorInWords(t *testing.T) {
	measured := func(sd float64) *report.MeasuredTV { return &report.MeasuredTV{SD: sd} }
	for _, c := range []struct {
		p     report.Privacy
		width int
		want  string
	}{
		{report.Privacy{PrivacyID: "who", Error: report.Errors{Cells: 9, MaxCell: .003, AverageTV: .047, PredictedCells: 99, Measured: measured(.001)}}, 3,
			"shares of single columns are right to ± 0.3 points (95 %); tables of three columns miss 4.7 % of the people on average, measured to ± 0.2 points"},
		{report.Privacy{Error: report.Errors{Cells: 9, MaxCell: .003, AverageTV: .047}}, 2,
			"every measured share is right to ± 0.3 points (95 %); tables of two columns miss 4.7 % of the rows on average, predicted"},
		{report.Privacy{Error: report.Errors{Cells: 9, MaxCell: 1, AverageTV: .9, PredictedCells: 9, Measured: measured(.8)}}, 3,
			"the noise hides shares of single columns; the noise hides by how much tables of three columns miss"},
		{report.Privacy{Error: report.Errors{Cells: 9, MaxCell: .02, Answers: 7, MaxAnswer: .03}}, 1,
			"shares of single columns are right to ± 2 points (95 %); answers to linear queries to ± 3 points"},
		{report.Privacy{}, 3, "not known: this method keeps no answer to compare the model with"},
	} {
		var b strings.Builder
		must.Do(t, report.WriteClosing(&b, c.p, report.Written{Wrote: report.Wrote{Output: "out"}, Width: c.width}))
		must.Hold(t, strings.Contains(b.String(), "\nerror   "+c.want+"\n"), "no %q in\n%s", c.want, b.String())
	}
}

// A δ that is too large for the units is said on the screen, not in the statement alone.
func TestClosingWarnsOfDelta(t *testing.T) {
	for _, warning := range []string{"", "delta is too large"} {
		var b strings.Builder
		must.Do(t, report.WriteClosing(&b, report.Privacy{Meaning: report.Meaning{Warning: warning}}, report.Written{Wrote: report.Wrote{Output: "out"}}))
		must.Hold(t, strings.Contains(b.String(), "note    delta is too large\n") == (warning != ""), "%q: %s", warning, b.String())
	}
}

// A fit that was stopped says so, with what follows from it; others say nothing.
func TestClosingSaysHowTheFitEnded(t *testing.T) {
	for status, says := range map[solver.Status]bool{solver.Converged: false, solver.RoundsDone: false, solver.Unfit: true} {
		var b strings.Builder
		must.Do(t, report.WriteClosing(&b, report.Privacy{Status: status.String()}, report.Written{Wrote: report.Wrote{Output: "out"}}))
		must.Hold(t, strings.Contains(b.String(), "fit     POOR: misses what was released: figures are further off than noise explains") == says,
			"%s: %s", status, b.String())
	}
}
