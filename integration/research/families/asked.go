package families

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Asked is a question that an analyst may have: how many records have codes of some columns among those chosen, or what the
// mean code of another column is of these.
type Asked struct {
	Clique domain.Clique
	Chosen [][]bool // of each column of Clique; nil: all
	Mean   int      // position in Clique of the column whose mean is asked for; -1: the number of records is
}

// Ask returns a random filter or a group of a random grouping on 1 to 4 columns, which .1 to 60 % of t's records meet.
func Ask(t *Table, rng *rand.Rand) Asked {
	for {
		var usable []int
		for a, k := range t.Sizes {
			if k > 1 {
				usable = append(usable, a)
			}
		}
		rng.Shuffle(len(usable), func(i, j int) { usable[i], usable[j] = usable[j], usable[i] })
		n := min(1+rng.IntN(4), len(usable))
		q := Asked{Clique: domain.NewClique(usable[:n]...), Mean: -1}
		if n > 1 && rng.IntN(4) == 0 {
			q.Mean = rng.IntN(n)
		}
		for i, a := range q.Clique {
			chosen := make([]bool, t.Sizes[a])
			if i != q.Mean {
				choose(chosen, t.Columns[a][rng.IntN(t.rows)], rng)
			} else {
				chosen = nil
			}
			q.Chosen = append(q.Chosen, chosen)
		}
		if share := float64(len(q.Of(t))) / float64(t.rows); share >= .001 && share <= .6 {
			return q
		}
	}
}

// choose chooses one code, as a group has it, a range or a set. It holds one code that occurs.
func choose(chosen []bool, code domain.Code, rng *rand.Rand) {
	chosen[code] = true
	switch k := len(chosen); rng.IntN(3) {
	case 1:
		from, to := rng.IntN(int(code)+1), int(code)+1+rng.IntN(k-int(code))
		for v := from; v < to; v++ {
			chosen[v] = true
		}
	case 2:
		p := rng.Float64()
		for v := range chosen {
			chosen[v] = chosen[v] || rng.Float64() < p
		}
	}
}

func (q *Asked) meets(code func(i int) domain.Code) bool {
	for i, chosen := range q.Chosen {
		if chosen != nil && !chosen[code(i)] {
			return false
		}
	}
	return true
}

// Of returns the records that meet the filter.
func (q *Asked) Of(t *Table) (records []int) {
	for r := range t.rows {
		if q.meets(func(i int) domain.Code { return t.Columns[q.Clique[i]][r] }) {
			records = append(records, r)
		}
	}
	return records
}

// True returns the answer of the table.
func (q *Asked) True(t *Table) float64 {
	records := q.Of(t)
	if q.Mean < 0 {
		return float64(len(records))
	}
	sum := 0.0
	for _, r := range records {
		sum += float64(t.Columns[q.Clique[q.Mean]][r])
	}
	return sum / float64(len(records))
}

// trends is the trends of package answer.
const trends = 1.2

// Answered is an answer from a release.
type Answered struct {
	Value, Sample, Population float64 // standard errors
	Source                    interval.Source
}

// Answer answers from a result.
func (q *Asked) Answer(iv *interval.Intervals, m *population.Model, units float64) Answered {
	t := interval.Table{Clique: q.Clique, Codes: make([][]domain.Code, len(q.Clique))}
	scale := units / m.Total()
	if cells, err := q.Clique.Cells(m.Sizes); err == nil && cells <= 1<<22 {
		t.AddMarginal(m.Sizes, m.Marginal(q.Clique, nil), scale)
	} else {
		t.AddRecords(m.Columns, m.Weights, scale)
	}
	for i, chosen := range q.Chosen { // as package answer has them
		classes := make([]domain.Code, m.Sizes[q.Clique[i]])
		for code := range classes {
			if classes[code] = domain.Code(code); chosen != nil {
				classes[code] = 0
				if chosen[code] {
					classes[code] = 1
				}
			}
		}
		t.Classes = append(t.Classes, classes)
	}
	var cells []int
	var query []float64
	count, sum := 0.0, 0.0
	for i, w := range t.Fitted {
		if q.meets(func(k int) domain.Code { return t.Codes[k][i] }) {
			cells, query = append(cells, i), append(query, 1)
			count += w
			if q.Mean >= 0 {
				sum += w * float64(t.Codes[q.Mean][i])
			}
		}
	}
	out := Answered{Value: count}
	if q.Mean >= 0 {
		out.Value = sum / count
		for k, i := range cells {
			query[k] = (float64(t.Codes[q.Mean][i]) - out.Value) / count
		}
	}
	l := iv.Linear(t)
	sample, _ := l.Variance(cells, query, false)
	beyond, drawn := l.Variance(cells, query, true)
	if q.Mean >= 0 {
		sample, beyond = trends*trends*sample, trends*trends*beyond
	}
	out.Sample, out.Population, out.Source = math.Sqrt(sample), math.Sqrt(beyond+drawn), l.Source()
	return out
}
