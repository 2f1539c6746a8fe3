package rivals

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// PE, private evolution: each private record votes for the candidate nearest to it, and the candidates with most votes, by
// noisy counts, are the parents of the next generation, together with mutations of them. It asks for no marginal.
//
// Source: Lin, Gopi, Kulkarni, Nori, Yekhanin 2024, "Differentially Private Synthetic Data via Foundation Model APIs 1:
// Images"; Tran, Backurs, Lin, Reis, Xiong, Yekhanin 2026, "Differentially Private Synthetic Data via APIs 4: Tabular Data",
// which carries it to tables, with random records to begin with and random walks in place of a foundation model.
// Events: a noisy count of votes for each candidate, in each of T = 10 generations.
// Cost: T passes over the universe for each column.
var pe = Algorithm{
	Name: "pe", Summary: "private evolution: records vote for the nearest of mutated candidates",
	Dense: true, Universe: true,
	schedule: func(s *setup) []solver.Access {
		kind := dp.DiscreteGaussian
		if s.Delta == 0 {
			kind = dp.DiscreteLaplace
		}
		n, share := s.generations()
		return []solver.Access{{Stage: stageVotes, Kind: kind, Count: n, Share: share, Marginals: 1, Cliques: []domain.Clique{domain.All(len(s.workload.Sizes))}, Coordinates: int64(s.candidates())}}
	},
	run: runPE,
}

const (
	stageVotes    = "votes"
	peGenerations = 10
	mostVoted     = 4000 // candidates
)

func (s *setup) generations() (n int, share dp.Share) {
	n = s.roundsOr(peGenerations)
	return n, dp.ShareOf(s.percent, 100*int64(n))
}

// candidates is an even number that leaves each, on average, as many votes as their noise deviates at the planning number of
// units: with three times as many votes the errors on a binary tree of 10 columns are twice as large.
func (s *setup) candidates() int {
	_, share := s.generations()
	deviation, changes := 0.0, float64(s.Neighbouring.UnitChanges())
	if s.Delta == 0 {
		deviation = math.Sqrt2 * changes / (float64(s.Epsilon) * share.Float())
	} else {
		deviation = math.Sqrt(changes / (2 * solver.ZCDPRho(s.Epsilon, s.Delta) * share.Float()))
	}
	return 2 * int(min(max(s.units/(2*deviation), 10), mostVoted/2))
}

func runPE(s *session) (*population.Model, error) {
	n, share := s.generations()
	m := s.mutator()
	candidates := make([][]domain.Code, s.candidates())
	for i := range candidates {
		candidates[i] = m.walk(m.start, 1)
	}
	weights := make([]float64, len(candidates))
	for t := 1; t <= n; t++ {
		if t > 1 {
			parents := s.survivors(candidates, weights)
			left := float64(n-t) / float64(n-1) // mutations end at a single column
			for i, p := range parents {
				candidates[i], candidates[len(parents)+i] = p, m.walk(p, left/2)
			}
			s.rng.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
		}
		votes, err := s.curator.Votes(stageVotes, t, m.nearest(candidates), len(candidates), share)
		if err != nil {
			return nil, err
		}
		for i, v := range votes.Values {
			weights[i] = max(0, v)
		}
		s.finished(t, n)
	}
	rows := newTable(s.workload)
	sum := 0.0
	for i, c := range candidates {
		rows.add(c)
		sum += weights[i]
	}
	model := rows.model()
	if sum > 0 {
		model.Weights = weights
	}
	return model, nil
}

// survivors returns half as many records as there are candidates, drawn in proportion to the weights at equal distances.
func (s *session) survivors(candidates [][]domain.Code, weights []float64) [][]domain.Code {
	sum := summation.InOrder(weights)
	n := len(candidates) / 2
	if sum == 0 {
		return append([][]domain.Code(nil), candidates[:n]...)
	}
	step := sum / float64(n)
	at, before := s.rng.Float64()*step, 0.0
	var out [][]domain.Code
	for i, w := range weights {
		for before += w; at < before && len(out) < n; at += step {
			out = append(out, candidates[i])
		}
	}
	for len(out) < n { // rounding may leave the last one out
		out = append(out, out[len(out)-1])
	}
	return out
}

// mutator changes records and finds those nearest to others.
type mutator struct {
	*session
	ordered []bool // by attribute: its codes are bins in order
	support *domain.Support
	start   []domain.Code // a possible record
}

func (s *session) mutator() *mutator {
	m := &mutator{session: s, support: domain.NewSupport(s.workload.Sizes, s.never)}
	m.start, _ = s.never.Witness(s.workload.Sizes)
	for i := range s.Domain.Attributes {
		m.ordered = append(m.ordered, len(s.Domain.Attributes[i].Values) == 0)
	}
	return m
}

// walk returns a possible copy of the record with a part of the attributes changed, at least one: a
// code in order goes up or down by a part of its range, another one is drawn anew.
func (m *mutator) walk(from []domain.Code, part float64) []domain.Code {
	record := append([]domain.Code(nil), from...)
	order := m.rng.Perm(len(record))
	for _, a := range order[:max(1, int(math.Round(part*float64(len(record)))))] {
		k := m.workload.Sizes[a]
		v := m.rng.IntN(k)
		if far := int(math.Ceil(part * float64(k))); m.ordered[a] && part < 1 {
			v = min(max(int(record[a])+m.rng.IntN(2*far+1)-far, 0), k-1)
		}
		if m.support.PossibleWith(record, a, domain.Code(v)) {
			record[a] = domain.Code(v)
		}
	}
	return record
}

// farthest is the distance of two codes of an attribute: of different ones, or of the first and the last in order.
const farthest = 1 << 12

// nearest returns, for each record of the universe, the candidate nearest to it by the sum of distances over attributes,
// the first of several. Attribute after attribute, each record takes over the best of those that differ there alone: a sum
// of distances is least if each part of it is least given the rest.
func (m *mutator) nearest(candidates [][]domain.Code) []int32 {
	sizes, k := m.workload.Sizes, 1
	for _, n := range sizes {
		k *= n
	}
	best := make([]uint64, k) // distance·2^32 + candidate
	for z := range best {
		best[z] = math.MaxUint64 >> 1
	}
	for i, c := range candidates {
		z := 0
		for a, v := range c {
			z = z*sizes[a] + int(v)
		}
		best[z] = min(best[z], uint64(i))
	}
	inner := k
	for a, n := range sizes {
		inner /= n
		for from := 0; from < k; from += inner * n {
			for q := range inner {
				m.line(best[from+q:], n, inner, m.ordered[a])
			}
		}
	}
	choice := make([]int32, k)
	for z, b := range best {
		choice[z] = int32(b & math.MaxUint32)
	}
	return choice
}

// line updates n records that differ in one attribute.
func (m *mutator) line(best []uint64, n, step int, ordered bool) {
	if ordered {
		cost := uint64(max(1, farthest/max(1, n-1))) << 32
		for v := 1; v < n; v++ {
			best[v*step] = min(best[v*step], best[(v-1)*step]+cost)
		}
		for v := n - 2; v >= 0; v-- {
			best[v*step] = min(best[v*step], best[(v+1)*step]+cost)
		}
		return
	}
	least := best[0]
	for v := 1; v < n; v++ {
		least = min(least, best[v*step])
	}
	for v := range n {
		best[v*step] = min(best[v*step], least+farthest<<32)
	}
}
