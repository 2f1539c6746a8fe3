package rivals

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// DualQuery plays multiplicative weights on the queries: each round draws queries by how far the rows so far are off,
// and adds the one row that answers them best.
//
// Source: Gaboardi, Gallego Arias, Hsu, Roth, Wu 2014, "Dual Query: Practical Private Query Release for High
// Dimensional Data".
// Events: 50 selections of a cell in each round but the first, whose draws are uniform. A draw of round t has the
// exponent η·t·(error as a part of the units), so that its charge grows with t²; the number of rounds follows from
// the budget at the planning number of units and η = 1.
// Cost: T·50 selections and T scans of the universe, or ascents beyond a million possible records. The table has T rows only, whose sampling error is its floor.
var dualQuery = Algorithm{
	Name: "dualquery", Summary: "multiplicative weights on queries, one best row a round", Linear: true,
	schedule: func(s *setup) []solver.Access {
		var out []solver.Access
		rounds := s.dualQueryRounds()
		for t := 1; t < rounds; t++ {
			out = append(out, solver.Access{Stage: drawStage(t), Kind: dp.Exponential, Count: dualQueryDraws, Share: s.dualQueryShare(t, rounds)})
		}
		return out
	},
	run: runDualQuery,
}

const (
	dualQueryDraws = 50
	dualQueryEta   = 1
)

func drawStage(t int) string { return fmt.Sprintf("%s %d", stageSelect, t+1) }

// dualQueryShare is the share of one draw after t rows.
func (s *setup) dualQueryShare(t, rounds int) dp.Share {
	part, whole := s.powers(t, rounds)
	return dp.ShareOf(s.percent*part, 100*dualQueryDraws*whole)
}

// powers returns t, and the sum of 1 … rounds−1, as charges grow: squared unless δ = 0.
func (s *setup) powers(t, rounds int) (part, whole int64) {
	i, n := int64(t), int64(rounds)
	if s.Delta == 0 {
		return i, n * (n - 1) / 2
	}
	return i * i, n * (n - 1) * (2*n - 1) / 6
}

// dualQueryRounds returns T: the charges (R·η·t/units)²/8, or R·η·t/units for δ = 0, of 50 draws after each of
// t = 1 … T−1 rows are what the rounds get.
func (s *setup) dualQueryRounds() int {
	r, part := float64(s.workload.CellRange(s.Neighbouring)), float64(s.percent)/100
	if s.Delta == 0 {
		eps := float64(s.Epsilon) * part
		return s.atLeastTwo(math.Sqrt(2 * eps * s.units / (dualQueryDraws * r * dualQueryEta)))
	}
	rho := solver.ZCDPRho(s.Epsilon, s.Delta) * part
	return s.atLeastTwo(math.Cbrt(24 * rho * s.units * s.units / (dualQueryDraws * r * r * dualQueryEta * dualQueryEta)))
}

// mostRows of a table are made, unless the user asks for more.
const mostRows = 1000

// atLeastTwo returns the rounds that the user asks for, or else x between 2 and mostRows.
func (s *setup) atLeastTwo(x float64) int { return max(2, s.roundsOr(int(min(x, mostRows)))) }

// anyQuery returns a random answer of a random marginal with a random sign.
func (s *session) anyQuery(answers query.Answers) query.Cell {
	i := s.rng.IntN(len(answers))
	return query.Cell{Marginal: i, Cell: s.rng.IntN(len(answers[i])), Sign: int8(1 - 2*s.rng.IntN(2))}
}

func runDualQuery(s *session) (*population.Model, error) {
	rounds := s.dualQueryRounds()
	best, rows := s.responder(), newTable(s.workload)
	for t := range rounds {
		best.forget()
		if t > 0 {
			rows.scaled(s.released.Units)
		}
		for draw := 1; draw <= dualQueryDraws; draw++ {
			if t == 0 {
				q := s.anyQuery(rows.counts)
				best.want(q, float64(q.Sign))
				continue
			}
			cell, err := s.curator.SelectCell(drawStage(t), draw, s.workload, rows.counts, s.released.Units, s.dualQueryShare(t, rounds))
			if err != nil {
				return nil, err
			}
			best.want(cell, float64(cell.Sign))
		}
		rows.add(best.best(nil))
		s.finished(t+1, rounds)
	}
	return rows.model(), nil
}
