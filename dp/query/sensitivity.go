package query

import "github.com/dapple-dp/dapple/dp"

// Ranges of the scores that selections use, in counts. Each is checked by enumeration of neighbours.

// BlockRange is the range of Σ s_c·(count_c − model_c) over all marginals and all signs s: a record
// moves one cell of each marginal, up or down with the sign.
func BlockRange(n dp.Neighbouring) dp.Range { return dp.Range(2 * n.UnitChanges()) }

// CellRange is the range of one-sided cell scores. Under AddRemove they are closed under complement,
// so that every score counts records and moves the same way; under Replace under negation.
func CellRange(n dp.Neighbouring) dp.Range { return dp.Range(n.UnitChanges()) }

// SignedCellRange is the range of ±(count − model), under either relation: some score rises by 1
// while its negation falls by 1.
func SignedCellRange() dp.Range { return 2 }
