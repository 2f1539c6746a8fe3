package rivals

import (
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// maximiser finds records of a large sum of weights: one for each cell of the workload that the record is in, and one
// for each of its codes. It is coordinate ascent from random records, so the largest sum may be missed: that costs
// accuracy and no privacy, since it sees released queries and public randomness alone.
//
// Cost of a restart: some four sweeps over the codes of all attributes, each a sum over the marginals of one attribute.
type maximiser struct {
	sizes   []int
	cliques []domain.Clique
	strides [][]int       // by marginal and position in its clique
	of      [][]use       // by attribute, the marginals that have it
	weights query.Answers // by cell of the cliques
	asked   []query.Marginal
	support *domain.Support
	start   []domain.Code // a possible record
	rng     *rand.Rand
}

// use is a marginal that an attribute is part of.
type use struct{ marginal, stride int }

// restarts is how many random records an ascent starts from: more than 8 change the total variation of the rows by
// less than their own sampling error does.
const restarts = 8

func (s *session) maximiser() *maximiser {
	w := s.workload
	m := &maximiser{
		sizes: w.Sizes, cliques: w.Cliques(), of: make([][]use, len(w.Sizes)), weights: query.NewAnswers(tables(w)),
		asked: w.Marginals, support: domain.NewSupport(w.Sizes, s.never), rng: s.rng,
	}
	m.start, _ = s.never.Witness(w.Sizes)
	for i, c := range m.cliques {
		strides := c.Strides(w.Sizes)
		m.strides = append(m.strides, strides)
		for at, a := range c {
			m.of[a] = append(m.of[a], use{i, strides[at]})
		}
	}
	return m
}

// tables returns the workload of all cliques' marginals.
func tables(w query.Workload) query.Workload {
	t := query.Workload{Sizes: w.Sizes}
	for _, m := range w.Marginals {
		t.Marginals = append(t.Marginals, query.Marginal{Clique: m.Clique, Weight: m.Weight})
	}
	return t
}

// forget sets all weights to 0.
func (m *maximiser) forget() {
	for i := range m.weights {
		clear(m.weights[i])
	}
}

// want adds x to the weight of a cell, or x times the values of a linear query to the weights of its clique's cells.
func (m *maximiser) want(c query.Cell, x float64) {
	weights := m.weights[c.Marginal]
	q := m.asked[c.Marginal].Queries
	if q == nil {
		weights[c.Cell] += x
		return
	}
	for cell := range weights {
		weights[cell] += x * q.Value(c.Cell, cell)
	}
}

// best returns the record of the largest sum found; codes[a][v] is added for the code v of attribute a, and may be nil.
func (m *maximiser) best(codes [][]float64) []domain.Code {
	var best []domain.Code
	most := 0.0
	record, cells := make([]domain.Code, len(m.sizes)), make([]int, len(m.cliques))
	for range restarts {
		m.random(record)
		if sum := m.climb(record, cells, codes); best == nil || sum > most {
			best, most = append(best[:0], record...), sum
		}
	}
	return best
}

// random writes a possible record: the witness with each code redrawn among those that keep it possible.
func (m *maximiser) random(record []domain.Code) {
	copy(record, m.start)
	for a, k := range m.sizes {
		if v := domain.Code(m.rng.IntN(k)); m.support.PossibleWith(record, a, v) {
			record[a] = v
		}
	}
}

// climb changes one attribute of the record at a time to its best code until none gains, and returns the sum.
func (m *maximiser) climb(record []domain.Code, cells []int, codes [][]float64) float64 {
	for i, c := range m.cliques {
		cells[i] = c.Cell(m.sizes, record)
	}
	for changed := true; changed; {
		changed = false
		for a, k := range m.sizes {
			now := record[a]
			best, gain := now, 0.0
			here := m.at(a, 0, cells, codes, now)
			for v := range domain.Code(k) {
				if v == now || !m.support.PossibleWith(record, a, v) {
					continue
				}
				if g := m.at(a, int(v)-int(now), cells, codes, v) - here; g > gain+1e-12 {
					best, gain = v, g
				}
			}
			if best != now {
				for _, u := range m.of[a] {
					cells[u.marginal] += (int(best) - int(now)) * u.stride
				}
				record[a], changed = best, true
			}
		}
	}
	sum := 0.0
	for i := range cells {
		sum += m.weights[i][cells[i]]
	}
	if codes != nil {
		for a, v := range record {
			sum += codes[a][v]
		}
	}
	return sum
}

// at returns the part of the sum that attribute a takes part in, if its code moves by the given number to v.
func (m *maximiser) at(a, by int, cells []int, codes [][]float64, v domain.Code) float64 {
	sum := 0.0
	for _, u := range m.of[a] {
		sum += m.weights[u.marginal][cells[u.marginal]+by*u.stride]
	}
	if codes != nil {
		sum += codes[a][v]
	}
	return sum
}
