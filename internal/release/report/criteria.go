package report

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// Criteria say how close the model was asked to be, and whether it is. That, one bit, is a release: the ledger's stage
// "criteria" has what it cost.
type Criteria struct {
	Limits []Limit `json:"limits"`
	Met    bool    `json:"met"`
	Share  float64 `json:"share"`             // of the budget, for the check
	Within float64 `json:"within_95_percent"` // units by which noise shifts the check, at most, with 95 % confidence
}

// Limit is the largest error that a cell of a marginal may have.
type Limit struct {
	Columns []string `json:"columns"`
	Largest float64  `json:"largest_error"` // part of the released number of units
}

// String says it in a sentence without its full stop.
func (c Criteria) String() string {
	var limits []string
	for _, l := range c.Limits {
		limits = append(limits, fmt.Sprintf("%s by at most %g", strings.Join(l.Columns, ", "), l.Largest))
	}
	met := "met"
	if !c.Met {
		met = "NOT met"
	}
	return fmt.Sprintf("%s: shares of the model differ from the table's in %s; checked on the table with %s of the budget, right to ±%.3g units with 95 %% confidence",
		met, strings.Join(limits, "; in "), page.Percent(c.Share, 1), c.Within)
}
