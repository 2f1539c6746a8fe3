package rivals

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// DQRS is DualQuery with rejection sampling: most of the queries drawn for one row are kept for the next. A query is kept
// with the probability by which its weight changed, exp(η·(error of the new row as a part of the units − 1) − 1/20).
//
// Source: Vietri, Tian, Bun, Steinke, Wu 2020, "New Oracle-Efficient Algorithms for Private Synthetic Data Release"; the
// accounting of a keep test is derived in package mechanism.
// Events: in each round but the first, a keep test of each of 100 queries, then 30 selections of a cell with the exponent
// η·t·error of DualQuery, η = 1/4. Of the refused queries 30 are drawn anew, and some of the others if fewer were refused, so
// that the accesses are those planned.
// Cost: T·30 selections, T·100 tests of one marginal and T scans of the universe, or ascents beyond a million
// possible records. The table has T rows only.
var dqrs = Algorithm{
	Name: "dqrs", Summary: "dualquery that keeps most of its queries from row to row", Linear: true,
	schedule: func(s *setup) []solver.Access {
		var out []solver.Access
		rounds := s.dqrsRounds()
		for t := 1; t < rounds; t++ {
			keep, draw := s.dqrsShares(t, rounds)
			out = append(out,
				solver.Access{Stage: keepStage(t), Kind: dp.Exponential, Count: dqrsSlots, Share: keep, Keeps: true},
				solver.Access{Stage: drawStage(t), Kind: dp.Exponential, Count: dqrsFresh, Share: draw})
		}
		return out
	},
	run: runDQRS,
}

const (
	dqrsSlots = 100 // queries that a row answers
	dqrsFresh = 30  // of them drawn anew
	dqrsEta   = .25
	// dqrsKeep is twice the range of a keep test's loss, in ranges of its exponent: 2/(1 − exp(−1/20)).
	dqrsKeep = 41
)

func keepStage(t int) string { return fmt.Sprintf("keep %d", t+1) }

// dqrsParts returns the charges of one keep test, of one draw after t rows and of all rounds, in one unit: the losses of
// both are as dqrsKeep·Δ to 2·R·t, squared unless δ = 0.
func (s *setup) dqrsParts(t, rounds int) (keep, draw, all int64) {
	keep, draw = dqrsKeep*int64(s.workload.LargestChange(s.Neighbouring)), 2*int64(s.workload.CellRange(s.Neighbouring))
	if s.Delta > 0 {
		keep, draw = keep*keep, draw*draw
	}
	part, whole := s.powers(t, rounds)
	return keep, draw * part, dqrsSlots*keep*int64(rounds-1) + dqrsFresh*draw*whole
}

func (s *setup) dqrsShares(t, rounds int) (keep, draw dp.Share) {
	k, d, all := s.dqrsParts(t, rounds)
	return dp.ShareOf(s.percent*k, 100*all), dp.ShareOf(s.percent*d, 100*all)
}

// dqrsRounds returns the most rounds whose charges at the planning number of units are what the rounds get.
func (s *setup) dqrsRounds() int {
	step := dqrsEta / (2 * s.units) // a loss of 1 in the unit of the parts
	has := float64(s.Epsilon) * float64(s.percent) / 100
	if s.Delta > 0 {
		step *= step / 8
		has = solver.ZCDPRho(s.Epsilon, s.Delta) * float64(s.percent) / 100
	}
	rounds := 2
	for ; rounds < mostRows; rounds++ {
		if _, _, all := s.dqrsParts(1, rounds+1); float64(all)*step > has {
			break
		}
	}
	return s.atLeastTwo(float64(rounds))
}

func runDQRS(s *session) (*population.Model, error) {
	rounds := s.dqrsRounds()
	best, rows := s.responder(), newTable(s.workload)
	slots := make([]query.Cell, dqrsSlots)
	for i := range slots {
		slots[i] = s.anyQuery(rows.counts)
	}
	var record []domain.Code
	for t := range rounds {
		if t > 0 {
			keep, draw := s.dqrsShares(t, rounds)
			anew, err := s.refused(t, slots, record, keep)
			if err != nil {
				return nil, err
			}
			rows.scaled(s.released.Units)
			for i, slot := range anew {
				if slots[slot], err = s.curator.SelectCell(drawStage(t), i+1, s.workload, rows.counts, s.released.Units, draw); err != nil {
					return nil, err
				}
			}
		}
		best.forget()
		for _, q := range slots {
			best.want(q, float64(q.Sign))
		}
		record = best.best(nil)
		rows.add(record)
		s.finished(t+1, rounds)
	}
	return rows.model(), nil
}

// refused tests all slots against the newest row and returns those to draw anew, as many as planned.
func (s *session) refused(t int, slots []query.Cell, record []domain.Code, share dp.Share) ([]int, error) {
	var first, rest []int
	for i, q := range slots {
		w, model, cell := s.alone(q, record)
		least, most := s.workload.Marginals[q.Marginal].Bounds(q.Cell)
		kept, err := s.curator.Keep(keepStage(t), i+1, w, model, cell, s.released.Units, (most-least)*s.released.Units, share)
		if err != nil {
			return nil, err
		}
		if kept {
			rest = append(rest, i)
		} else {
			first = append(first, i)
		}
	}
	for _, list := range [][]int{first, rest} {
		s.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return append(first, rest...)[:dqrsFresh], nil
}

// alone returns the workload of one marginal, or of one linear query, its answers if all units were the record, and the
// query in it.
func (s *session) alone(q query.Cell, record []domain.Code) (query.Workload, query.Answers, query.Cell) {
	m := s.workload.Marginals[q.Marginal]
	at := m.Clique.Cell(s.workload.Sizes, record)
	if m.Queries == nil {
		w := query.Workload{Sizes: s.workload.Sizes, Marginals: []query.Marginal{m}}
		model := query.NewAnswers(w)
		model[0][at] = s.released.Units
		return w, model, query.Cell{Cell: q.Cell, Sign: q.Sign}
	}
	m.Queries = m.Queries.Rows(q.Cell, q.Cell+1)
	w := query.Workload{Sizes: s.workload.Sizes, Marginals: []query.Marginal{m}}
	return w, query.Answers{{m.Queries.Value(0, at) * s.released.Units}}, query.Cell{Sign: q.Sign}
}
