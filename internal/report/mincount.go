package report

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/internal/report/page"
)

// MinCount says that each combination of some columns is that of no written row or of so many, and what it has cost.
type MinCount struct {
	Rows         int64    `json:"rows"`    // of each combination, at least
	Columns      []string `json:"columns"` // their combinations
	Changed      int64    `json:"rows_changed"`
	ChangedShare float64  `json:"rows_changed_share"` // no share of rows, whatever they have in common, is moved by more
	// AverageTV is the total variation between rows before and after, averaged over the workload's marginals; absent: not known.
	AverageTV *float64 `json:"average_tv,omitempty"`
	NoRows    bool     `json:"no_rows,omitempty"` // fewer rows were to be written than a combination needs, so none is
	Guarantee string   `json:"guarantee"`         // always noGuarantee
}

const noGuarantee = "none: it is post-processing of what the noise protects already"

// NewMinCount returns what is to be said of rows that were merged. A negative tv is not known.
func NewMinCount(k int64, columns []string, changed, of int64, tv float64) MinCount {
	if of == 0 {
		return MinCount{Rows: k, Columns: columns, ChangedShare: 1, NoRows: true, Guarantee: noGuarantee}
	}
	m := MinCount{Rows: k, Columns: columns, Changed: changed, ChangedShare: float64(changed) / float64(of), Guarantee: noGuarantee}
	if tv >= 0 {
		m.AverageTV = &tv
	}
	return m
}

// String says it in a sentence without its full stop.
func (m MinCount) String() string {
	if m.NoRows {
		return fmt.Sprintf("no combination of %s is written in fewer than %d rows, and there are not so many: NO ROW IS WRITTEN; "+
			"`dapple sample` with a smaller --min_count draws rows of the saved model at no privacy cost", strings.Join(m.Columns, ", "), m.Rows)
	}
	cost := ""
	if m.AverageTV != nil {
		cost = fmt.Sprintf(", and %s of average total variation", page.Figures(*m.AverageTV, 2))
	}
	return fmt.Sprintf("no combination of %s is written in fewer than %d rows; that changed %s %s, %s of all%s, and adds no guarantee",
		strings.Join(m.Columns, ", "), m.Rows, page.Count(float64(m.Changed)), plural(int(min(m.Changed, 2)), "row"), page.Figures(m.ChangedShare, 2), cost)
}

// Merge enters in the statement what was done to rare combinations, beside the other steps that follow the noise.
func (p *Privacy) Merge(m MinCount) {
	if p.MinCount = m; m.Rows > 0 {
		p.Process.After = append(p.Process.After, fmt.Sprintf("rows of a combination of %s that fewer than %d would have are merged with others",
			strings.Join(m.Columns, ", "), m.Rows))
	}
}
