package report

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
)

// Bounds on answers to linear queries are told from those on cells.
func TestBoundsOfLinearQueries(t *testing.T) {
	e := FittedErrors(Fitted{MaxError: &query.MaxError{Counts: 20}, Cells: 17, Linear: 11, Total: query.Total{Units: 1000}})
	if want := "at most 0.02 in any of 6 cells, and 0.02 in any of 11 answers to linear queries, with 95 % confidence (from a bought certificate)"; errorText(e) != want {
		t.Errorf("%q, want %q", errorText(e), want)
	}
}
