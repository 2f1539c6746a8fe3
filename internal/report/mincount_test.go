package report_test

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/report"
)

// If a combination needs more rows than there are, none is written, and that is said: nothing changed would be wrong.
func TestMinCountOfTooFewRows(t *testing.T) {
	m := report.NewMinCount(100, []string{"sex", "age"}, 0, 0, 0)
	if text := m.String(); !strings.Contains(text, "NO ROW IS WRITTEN") || strings.Contains(text, "changed") || m.ChangedShare != 1 || m.AverageTV != nil {
		t.Errorf("%+v: %s", m, text)
	}
	m = report.NewMinCount(3, []string{"sex", "age"}, 5, 50, 0.04)
	if text := m.String(); !strings.Contains(text, "that changed 5 rows, ") {
		t.Error(text)
	}
}
