package query

import "github.com/dapple-dp/dapple/dp/domain"

// Measurement is a released noisy marginal: Values[c] = count of cell c + noise of the given variance,
// in counts. It is public.
type Measurement struct {
	Clique   domain.Clique
	Values   []float64
	Variance float64 // of each cell, counts²
	Queries  *Linear `json:",omitempty"` // Values are their answers; nil: counts of the clique's cells
}

// Total is the released number of privacy units. Variance is 0 if the number is public.
type Total struct {
	Units    float64
	Variance float64
}

// Block is a selected marginal of a workload with a selected sign, +1 or −1, for each of its cells.
type Block struct {
	Marginal int // index into the workload
	Signs    []int8
}

// Cell is a selected cell of a workload. Sign is +1 if the data exceed the model in the cell and −1 if they fall
// short of it.
type Cell struct {
	Marginal int
	Cell     int
	Sign     int8
}

// MaxError is a released number: the largest absolute difference, in counts, between the true answers to a workload
// and the model's.
type MaxError struct {
	Counts   float64
	Variance float64
}

// MeanDistance is a released number: the mean over marginals of Σ|count − model|, in counts. Half of it, as a part of the
// units, is their average total variation.
type MeanDistance struct {
	Counts   float64
	Variance float64
}
