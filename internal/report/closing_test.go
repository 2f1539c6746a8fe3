package report_test

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/solver"
)

// Notes stand at the end of a run, a line each.
func TestClosingHasNotes(t *testing.T) {
	for _, notes := range [][]string{nil, {"one"}, {"one", "two"}} {
		var b strings.Builder
		if err := report.WriteClosing(&b, report.Privacy{}, report.Written{Output: "out", Notes: notes}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(b.String(), "\nnote    ") != len(notes) || len(notes) == 2 && !strings.HasSuffix(b.String(), "\nnote    one\nnote    two\n") {
			t.Errorf("%q: %s", notes, b.String())
		}
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
			"shares of single columns are right to ± 0.3 points (95 % confidence); tables of three columns miss 4.7 % of the people on average, as measured to ± 0.2 points"},
		{report.Privacy{Error: report.Errors{Cells: 9, MaxCell: .003, AverageTV: .047}}, 2,
			"every measured share is right to ± 0.3 points (95 % confidence); tables of two columns miss 4.7 % of the rows on average, as predicted"},
		{report.Privacy{Error: report.Errors{Cells: 9, MaxCell: 1, AverageTV: .9, PredictedCells: 9, Measured: measured(.8)}}, 3,
			"the noise hides shares of single columns; the noise hides by how much tables of three columns miss"},
		{report.Privacy{Error: report.Errors{Cells: 9, MaxCell: .02, Answers: 7, MaxAnswer: .03}}, 1,
			"shares of single columns are right to ± 2 points (95 % confidence); answers to linear queries to ± 3 points"},
		{report.Privacy{}, 3, "not known: this method keeps no answer to compare the model with"},
	} {
		var b strings.Builder
		if err := report.WriteClosing(&b, c.p, report.Written{Output: "out", Width: c.width}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "\nerror   "+c.want+"\n") {
			t.Errorf("no %q in\n%s", c.want, b.String())
		}
	}
}

// A δ that is too large for the units is said on the screen, not in the statement alone.
func TestClosingWarnsOfDelta(t *testing.T) {
	for _, warning := range []string{"", "delta is too large"} {
		var b strings.Builder
		if err := report.WriteClosing(&b, report.Privacy{Meaning: report.Meaning{Warning: warning}}, report.Written{Output: "out"}); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(b.String(), "\nnote    delta is too large\n"); said != (warning != "") {
			t.Errorf("%q: %s", warning, b.String())
		}
	}
}

// A fit that was stopped says so, with what follows from it; others say nothing.
func TestClosingSaysHowTheFitEnded(t *testing.T) {
	for status, says := range map[solver.Status]bool{solver.Converged: false, solver.RoundsDone: false, solver.IterationLimit: true} {
		var b strings.Builder
		if err := report.WriteClosing(&b, report.Privacy{Status: status.String()}, report.Written{Output: "out"}); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "\nfit     stopped at its largest number of iterations: marginals may be further from the truth") != says {
			t.Errorf("%s: %s", status, b.String())
		}
	}
}
