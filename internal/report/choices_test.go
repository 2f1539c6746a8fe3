package report

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/query"
)

// Bounds on answers to linear queries are told from those on cells.
func TestBoundsOfLinearQueries(t *testing.T) {
	e := FittedErrors(Fitted{MaxError: &query.MaxError{Counts: 20}, Cells: 17, Linear: 11, Total: query.Total{Units: 1000}})
	if want := "error   at most 0.02 in any of 6 cells, and 0.02 in any of 11 answers to linear queries, with 95 % confidence (from a bought certificate)"; errorLine(e) != want {
		t.Errorf("%q, want %q", errorLine(e), want)
	}
}

// Without scale and number of the choices their errors say nothing.
func TestChoicesNeedTheirScale(t *testing.T) {
	off := 3.0
	for _, ledger := range [][]accountant.Line{nil, {{Kind: "discrete_gaussian", Count: 5, Scale: "sigma2=9"}}, {{Kind: "exponential", Count: 5, Scale: "b=?"}}} {
		if e := FittedErrors(Fitted{Chosen: &off, Ledger: ledger, Cells: 4}); e.MaxCell != 1 || e.Cells != 0 {
			t.Errorf("%v: %+v", ledger, e)
		}
	}
}
