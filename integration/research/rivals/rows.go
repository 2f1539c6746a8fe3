package rivals

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// table is a model that is a list of rows of equal weight, and its marginals.
type table struct {
	workload query.Workload
	columns  [][]domain.Code
	rows     int
	tally    query.Answers // the rows' answers to the workload
	counts   query.Answers // the same scaled to the number of units
}

func newTable(w query.Workload) *table {
	return &table{workload: w, columns: make([][]domain.Code, len(w.Sizes)), tally: query.NewAnswers(w), counts: query.NewAnswers(w)}
}

func (t *table) add(record []domain.Code) {
	for a, v := range record {
		t.columns[a] = append(t.columns[a], v)
	}
	t.rows++
	for i, m := range t.workload.Marginals {
		cell := m.Clique.Cell(t.workload.Sizes, record)
		if m.Queries == nil {
			t.tally[i][cell]++
			continue
		}
		for c := range t.tally[i] {
			t.tally[i][c] += m.Queries.Value(c, cell)
		}
	}
}

// scaled returns the marginals of the rows as counts of the given number of units.
func (t *table) scaled(units float64) query.Answers {
	for i := range t.tally {
		for c, n := range t.tally[i] {
			t.counts[i][c] = n * units / float64(t.rows)
		}
	}
	return t.counts
}

func (t *table) model() *population.Model {
	weights := make([]float64, t.rows)
	for i := range weights {
		weights[i] = 1
	}
	return &population.Model{Columns: t.columns, Weights: weights}
}

// sampled is the number of records that stand for a distribution over a universe too large to write down.
const sampled = 100_000

// collected returns the possible ones of n drawn records, with equal weights.
func (s *session) collected(n int, draw func(record []domain.Code)) *population.Model {
	sizes := s.workload.Sizes
	rows, support, record := newTable(query.Workload{Sizes: sizes}), domain.NewSupport(sizes, s.never), make([]domain.Code, len(sizes))
	for range n {
		if draw(record); support.Possible(record) {
			rows.add(record)
		}
	}
	if rows.rows == 0 {
		witness, _ := s.never.Witness(sizes)
		rows.add(witness)
	}
	return rows.model()
}
