package rivals

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// FEM and sepFEM follow the perturbed leader: each round adds rows that maximise the sum of all queries chosen so far
// plus random weights, and chooses the query that these rows answer worst. The random weights make the rounds stable
// and have no part in privacy. sepFEM differs in their law alone: for tables the codes of the columns are a separator
// set, since they tell any two records apart.
//
// Source: Vietri, Tian, Bun, Steinke, Wu 2020, "New Oracle-Efficient Algorithms for Private Synthetic Data Release".
// Events: a selection of a cell in each of T rounds.
// Cost: T·50 ascents; no universe. If one fits, the largest error is bounded at the end by what was chosen: the rows are all
// rounds' rows, each round's worst query was found but for the noise of the choice, and no table answers those queries
// with more than its best record.
var (
	fem = Algorithm{
		Name: "fem", Summary: "follow the perturbed leader, exponential weights on codes", Linear: true,
		schedule: scheduleFEM, run: runFEM(func(s *session) float64 { return -femScale * s.rng.ExpFloat64() }),
	}
	sepFEM = Algorithm{
		Name: "sepfem", Summary: "follow the perturbed leader, Laplace weights on codes", Linear: true,
		schedule: scheduleFEM, run: runFEM(func(s *session) float64 { return sepFEMScale * (s.rng.ExpFloat64() - s.rng.ExpFloat64()) }),
	}
)

const (
	femRounds = 300
	femRows   = 50 // rows of a round

	// The scales of the random weights for one round; T rounds have √T times as much.
	femScale, sepFEMScale = .2, .05
)

func scheduleFEM(s *setup) []solver.Access {
	rounds := s.roundsOr(femRounds)
	return []solver.Access{{Stage: stageSelect, Kind: dp.Exponential, Count: rounds, Share: dp.ShareOf(s.percent, 100*int64(rounds))}}
}

func runFEM(weight func(*session) float64) func(*session) (*population.Model, error) {
	return func(s *session) (*population.Model, error) {
		rounds := s.roundsOr(femRounds)
		share, scale := dp.ShareOf(s.percent, 100*int64(rounds)), math.Sqrt(float64(rounds))
		leader, rows := s.maximiser(), newTable(s.workload)
		codes := make([][]float64, len(s.workload.Sizes))
		for a, k := range s.workload.Sizes {
			codes[a] = make([]float64, k)
		}
		for t := 1; t <= rounds; t++ {
			now := newTable(s.workload)
			for range femRows {
				for a := range codes {
					for v := range codes[a] {
						codes[a][v] = scale * weight(s)
					}
				}
				record := leader.best(codes)
				now.add(record)
				rows.add(record)
			}
			cell, err := s.curator.SelectCell(stageSelect, t, s.workload, now.scaled(s.released.Units), s.released.Units, share)
			if err != nil {
				return nil, err
			}
			leader.want(cell, float64(cell.Sign))
			s.finished(t, rounds)
		}
		return rows.model(), nil
	}
}
