package query

import "github.com/dapple-dp/dapple/dp"

// Ranges of the scores that selections use, in counts. Each is checked by enumeration of neighbours. The ranges of linear
// queries follow from their values and are rounded up to whole counts.

// BlockRange is the range of Σ s_c·(count_c − model_c) over all marginals and all signs s: a record changes one cell
// of each marginal, up or down with the sign, or all queries of a table.
func (w Workload) BlockRange(n dp.Neighbouring) dp.Range {
	most := int64(0)
	for _, m := range w.Marginals {
		if m.Queries == nil {
			most = max(most, one*n.UnitChanges())
		} else {
			most = max(most, m.Queries.sum[n])
		}
	}
	return wholeCounts(2 * most)
}

// CellRange is the range of one-sided scores. Under AddRemove each query comes with its complement within its bounds,
// so that every score changes by at most the width of the bounds: 0 or 1 for cells. Under Replace each comes with its
// negation.
func (w Workload) CellRange(n dp.Neighbouring) dp.Range {
	least, most, widest := w.bounds()
	if n == dp.Replace {
		return wholeCounts(2 * widest)
	}
	return wholeCounts(most - least)
}

// LargestChange is the most that an answer changes by between neighbours.
func (w Workload) LargestChange(n dp.Neighbouring) dp.Range {
	least, most, widest := w.bounds()
	if n == dp.Replace {
		return wholeCounts(widest)
	}
	return wholeCounts(max(most, -least))
}

// bounds returns the least and the largest value of all queries, and the largest difference within one.
func (w Workload) bounds() (least, most, widest int64) {
	for _, m := range w.Marginals {
		if m.Queries == nil {
			most, widest = max(most, one), max(widest, one)
			continue
		}
		for i, l := range m.Queries.least {
			h := m.Queries.most[i]
			least, most, widest = min(least, l), max(most, h), max(widest, h-l)
		}
	}
	return least, most, widest
}

func wholeCounts(steps int64) dp.Range { return dp.Range((steps + one - 1) >> LinearBits) }

// SignedCellRange is the range of ±(count − model), under either relation: a score can rise by 1 while its negation
// falls by 1.
func SignedCellRange() dp.Range { return 2 }
