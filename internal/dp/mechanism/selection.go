package mechanism

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// steps returns the scale of a selection in steps of the score grid.
func steps(e accountant.Event) uint64 {
	s := e.Steps(0)
	if e.GridBits != accountant.ScoreGridBits || !s.IsInt() || !s.Num().IsUint64() {
		panic("mechanism: the scale of a selection is not on the grid of scores")
	}
	return s.Num().Uint64()
}

// selectBlock draws a marginal by its log-weight, then the sign of each of its cells. Given the marginal the signs
// are exact; the charge of the event covers the rounding of the log-weights.
func (g *gate) selectBlock(r Request) (plan, error) {
	for i, m := range r.Workload.Marginals {
		if len(r.Model[i]) > noise.MaxBlockCells {
			return plan{}, fmt.Errorf("marginal %v has more than %d cells", m.Clique, noise.MaxBlockCells)
		}
	}
	event, err := g.ledger.Select(dp.BlockExponential, r.Workload.BlockRange(g.relation), r.Share)
	if err != nil {
		return plan{}, err
	}
	scale := steps(event)
	return plan{event: event, draw: func() Release {
		gaps := g.workloadErrors(r.Workload, r.Model)
		src := g.open(r.Stage, r.Round, selectionInputs(r, event).Int64s(gaps).Sum())
		g.scores = blockScores(g.scores[:0], r.Model, gaps, scale)
		sel := noise.NewSelector(g.scores, noise.BlockScoreScale)
		block := query.Block{Marginal: sel.Draw(src)}
		for _, m := range r.Model[:block.Marginal] {
			gaps = gaps[len(m):]
		}
		block.Signs = make([]int8, len(r.Model[block.Marginal]))
		for c := range block.Signs {
			block.Signs[c] = noise.Sign(src, gaps[c], scale)
		}
		return Release{Block: block}
	}}, nil
}

// blockScores appends the log-weight of each marginal, from the errors of all cells in order.
func blockScores(dst []noise.Score, shape query.Answers, errors []int64, scale uint64) []noise.Score {
	for _, m := range shape {
		dst = append(dst, noise.BlockScore(errors[:len(m)], scale))
		errors = errors[len(m):]
	}
	return dst
}

// selectCell selects among two scores for each cell or query.
func (g *gate) selectCell(r Request) (plan, error) {
	event, err := g.ledger.Select(dp.Exponential, r.Workload.CellRange(g.relation), r.Share)
	if err != nil {
		return plan{}, err
	}
	scale := steps(event)
	return plan{event: event, draw: func() Release {
		gaps, shift := g.workloadErrors(r.Workload, r.Model), g.shift(r.Total)
		src := g.open(r.Stage, r.Round, selectionInputs(r, event).Int64s(gaps).Int64(shift).Sum())
		g.scores = cellScores(g.scores[:0], r.Workload, r.Model, gaps, shift)
		sel := noise.NewSelector(g.scores, scale)
		return Release{Cell: cellAt(r.Model, sel.Draw(src))}
	}}, nil
}

// shift is added to a cell's negated error to give the opposite score: n − total under AddRemove, which makes it a
// count of records again, and 0 under Replace.
func (g *gate) shift(total float64) int64 {
	if g.relation == dp.Replace {
		return 0
	}
	return g.counts.Units()<<accountant.ScoreGridBits - onGrid(total)
}

// cellScores appends e and shift − e for each error e of a cell. For a query with values in [l, h] the opposite score
// is (l+h)·shift − e, whose data part is the answer to l+h−q, with values in [l, h] again. Shifts are at most 2^41
// counts and l+h at most 2, so that scores stay in an int64.
func cellScores(dst []noise.Score, w query.Workload, shape query.Answers, errors []int64, shift int64) []noise.Score {
	for i, m := range w.Marginals {
		for c, e := range errors[:len(shape[i])] {
			opposite := shift
			if m.Queries != nil {
				opposite = m.Queries.Opposite(c, shift)
			}
			dst = append(dst, noise.ScoreOf(e), noise.ScoreOf(opposite-e))
		}
		errors = errors[len(shape[i]):]
	}
	return dst
}

// cellAt returns the cell and sign of candidate i of cellScores.
func cellAt(shape query.Answers, i int) query.Cell {
	sign := int8(1 - 2*(i%2))
	i /= 2
	for m, cells := range shape {
		if i < len(cells) {
			return query.Cell{Marginal: m, Cell: i, Sign: sign}
		}
		i -= len(cells)
	}
	panic("mechanism: a candidate outside the workload")
}

// selectionInputs starts the digest of a selection, to which the private integers are added.
func selectionInputs(r Request, e accountant.Event) *noise.Inputs {
	in := noise.NewInputs().Text(string(r.Method)).Rat(e.Scales[0])
	addCliques(in, r.Workload.Cliques())
	for _, m := range r.Workload.Marginals {
		in.Text(m.Queries.Fingerprint())
	}
	return in
}
