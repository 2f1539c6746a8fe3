package report

import (
	"fmt"

	"github.com/dapple-dp/dapple/internal/report/page"
	"github.com/dapple-dp/dapple/solver"
)

// Public is a table that the request declares public.
type Public struct {
	Table  string  `json:"table"` // as the request names it
	Rows   int64   `json:"rows"`
	SHA256 string  `json:"sha256"` // of its records and how often each occurs
	Weight float64 `json:"weight"` // rows that it counted for in the fit; 0: the model does not use it
}

// NewPublic returns what is to be said of a public table; nil if there is none.
func NewPublic(table string, u *solver.PublicUse) *Public {
	if u == nil {
		return nil
	}
	return &Public{Table: table, Rows: u.Rows, SHA256: u.SHA256, Weight: u.Weight}
}

// String says it in words.
func (p Public) String() string {
	use := fmt.Sprintf("the model counts them as %s of its own", page.Count(p.Weight))
	if p.Weight == 0 {
		use = "the model does not use them, since the estimated error is not clearly lower with them"
	}
	return fmt.Sprintf("%s rows of %s, declared public: no guarantee covers them; %s", page.Count(float64(p.Rows)), p.Table, use)
}
