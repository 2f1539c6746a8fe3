package pipelines

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// checkMinCount finds the faults of a request for a least number of rows of each combination. With 0 rows their number is
// not known, and about expected, if that is given.
func checkMinCount(m synth.MinCount, rows, expected int64, d *domain.Domain, f *Faults) {
	switch {
	case d.Events != nil && (m.Rows > 0 || len(m.Columns) > 0):
		f.add("--min_count", "rows of one person are not merged with those of others: it does not go with events", "leave it out")
		return
	case m.Rows == 0 && len(m.Columns) > 0:
		f.add("--min_count", "is required by --min_count_columns: how many rows a combination of them has to have", "")
	case rows > 0 && m.Rows > rows:
		f.add("--min_count", fmt.Sprintf("got %d for --rows=%d; no combination can be in so many", m.Rows, rows), "")
	case rows == 0 && expected > 0 && m.Rows > expected:
		f.add("--min_count", fmt.Sprintf("got %d for %d expected rows; no combination can be in so many", m.Rows, expected), "")
	}
	if err := m.Validate(d); err != nil {
		f.add("--min_count_columns", strings.TrimPrefix(err.Error(), "synth: MinCount: "), "the columns are "+strings.Join(d.Names(), ", "))
	}
}

// columnsOf names them for a sentence.
func columnsOf(m synth.MinCount) string {
	if len(m.Columns) == 0 {
		return "all columns"
	}
	return strings.Join(m.Columns, ", ")
}
