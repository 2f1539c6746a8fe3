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
