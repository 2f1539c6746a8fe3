package solver

import "github.com/dapple-dp/dapple/dp/domain"

// Uncertainty is what the standard errors of a fitted model's cells follow from, where a model was fitted to
// residuals. It is public; package interval holds the formulas.
type Uncertainty struct {
	// Pooled[a][v] says that value v of attribute a was too rare to measure alone: its cells have no valid
	// interval.
	Pooled [][]bool
	// Ones[a] is the noise variance of a cell of the one-way table of attribute a, counts²; 0 where none was
	// measured.
	Ones   []float64
	Tables []TableUncertainty
}

// TableUncertainty speaks of the interaction of two or three attributes: what their table adds to its
// sub-tables.
type TableUncertainty struct {
	Clique    domain.Clique
	Scale     float64 // κ: at the last look a cell of base b had the variance κ·b^1.5, counts²
	Precision float64 // 1/variance of a cell of the residual measured after that, counts⁻²; 0 where none was
}
