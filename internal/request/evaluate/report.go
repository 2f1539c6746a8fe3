package evaluate

import (
	"encoding/json"
	"fmt"
	"io"
)

// Banner stands at the head of every form of the output.
const Banner = "NOT PRIVATE: computed from the true table. Do not release these figures."

// Report is what Compare finds. Its JSON form is described in the package comment.
type Report struct {
	NotPrivate string     `json:"not_private"` // Banner
	Format     int        `json:"format"`      // 1
	Columns    []string   `json:"columns"`
	Real       Comparison `json:"real"`
	Holdout    *Holdout   `json:"holdout,omitempty"` // nil without a holdout table
	Follows    []Follows  `json:"follows,omitempty"` // not declared; of tables that were read by Run
}

// Follows is a column that follows from another one in more than 99 % of the records of the true table.
type Follows struct {
	Entry   string `json:"entry"`   // of constraints, without its map
	Records string `json:"records"` // the part of them, in words
}

// Comparison is the error of a synthetic table against a true one.
type Comparison struct {
	TrueRows      int        `json:"true_rows"`
	SyntheticRows int        `json:"synthetic_rows"`
	Values        *Values    `json:"values,omitempty"` // nil if only cells are known
	Widths        []Width    `json:"widths"`           // by K, ascending
	Worst         []Marginal `json:"worst"`            // largest TV first

	People     *People     `json:"people,omitempty"`     // nil without events
	Queries    *Queries    `json:"queries,omitempty"`    // nil if the workload has no linear queries
	Violations *Violations `json:"violations,omitempty"` // nil if the domain declares nothing to be impossible
}

// Values compares the tables on their values as they are written.
type Values struct {
	SDMetrics string   `json:"sdmetrics"` // the release whose QualityReport has the next three
	Shapes    Property `json:"column_shapes"`
	Trends    Property `json:"column_pair_trends"`
	Overall   Score    `json:"overall"` // mean of the averages of Shapes and Trends
	Columns   []Column `json:"columns"`
}

// Width sums up the marginals of K attributes. Errors are in shares of rows.
type Width struct {
	K           int     `json:"k"`
	Marginals   int     `json:"marginals"`
	Cells       int64   `json:"cells"` // of all of them
	AverageTV   float64 `json:"average_tv"`
	LargestTV   float64 `json:"largest_tv"`
	LargestCell float64 `json:"largest_cell_error"`
}

// Marginal is one marginal with its most different cells.
type Marginal struct {
	Columns []string `json:"columns"`
	Cells   int64    `json:"cells"`
	TV      float64  `json:"tv"`
	Largest []Cell   `json:"largest"`
}

// Cell is one cell of a marginal: a label for each column, and the shares of rows.
type Cell struct {
	Labels    []string `json:"labels"`
	Real      float64  `json:"real"`
	Synthetic float64  `json:"synthetic"`
}

// Holdout is the population error: the synthetic table, and for a yardstick the real one, against rows
// that the synthesis never saw.
type Holdout struct {
	Synthetic Comparison `json:"synthetic"`
	Real      []Width    `json:"real"`
}

// WriteJSON writes the report as indented JSON, the banner first.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("evaluate: write JSON: %w", err)
	}
	return nil
}
