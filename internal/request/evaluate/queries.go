package evaluate

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Queries sums up the errors of the workload's linear queries. Answers are means over the rows, in [−1, 1].
type Queries struct {
	Number  int     `json:"number"`
	Average float64 `json:"average_error"`
	Largest float64 `json:"largest_error"`
	Worst   []Query `json:"worst"` // largest error first
}

// Query is one linear query: the columns it looks at, its position among those over them, and its answers.
type Query struct {
	Columns   []string `json:"columns"`
	Index     int      `json:"index"`
	Real      float64  `json:"real"`
	Synthetic float64  `json:"synthetic"`
}

func (q Query) err() float64 { return math.Abs(q.Real - q.Synthetic) }

// queries returns nil if the workload has no linear queries.
func (e *evaluation) queries(truth, other *Table) *Queries {
	var all []Query
	var s scratch
	next := map[string]int{} // by clique
	for _, m := range e.workload.Marginals {
		if m.Queries == nil {
			continue
		}
		x, y := s.count(truth, other, m.Clique)
		real, synthetic := make([]float64, m.Queries.Queries()), make([]float64, m.Queries.Queries())
		m.Queries.Eval(real, shares(x, truth.Rows))
		m.Queries.Eval(synthetic, shares(y, other.Rows))
		for i := range real {
			all = append(all, Query{m.Clique.Names(e.domain), next[m.Clique.Key()], real[i], synthetic[i]})
			next[m.Clique.Key()]++
		}
	}
	if len(all) == 0 {
		return nil
	}
	q := &Queries{Number: len(all)}
	for _, x := range all {
		q.Average += x.err() / float64(len(all))
		q.Largest = max(q.Largest, x.err())
	}
	slices.SortStableFunc(all, func(x, y Query) int { return cmp.Compare(y.err(), x.err()) })
	q.Worst = all[:min(listedWorst, len(all))]
	return q
}

func shares(counts []int32, rows int) []float64 {
	return lists.Of(counts, func(n int32) float64 { return float64(n) / float64(rows) })
}

// AverageError writes it as in the other tables.
func (q *Queries) AverageError() string { return share(q.Average) }

// LargestError writes it as in the other tables.
func (q *Queries) LargestError() string { return share(q.Largest) }
