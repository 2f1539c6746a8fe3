package report

// Marginals says what a marginals file holds.
type Marginals struct {
	File      string `json:"file"`
	Marginals int    `json:"marginals"` // in the file
	Of        int    `json:"of"`        // of the workload, or measured
	Cells     int64  `json:"cells"`     // rows of the file
	MaxCells  int64  `json:"max_cells"` // public limit: beyond it measured marginals go first, and some are left out

	// Intervals is the number of cells with a standard error; LookedAt the number of those among them whose own
	// marginal was measured or scored.
	Intervals int64 `json:"cells_with_standard_error"`
	LookedAt  int64 `json:"cells_looked_at"`
	// LargestError is the median of the largest error of the cells looked at if they erred independently, as a
	// part of the number of units.
	LargestError float64 `json:"-"`
	// Shares keeps the largest error of a share of one column with 95 % confidence; 0: not each has a standard error.
	Shares float64 `json:"-"`
}
