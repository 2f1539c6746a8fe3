package interval

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// drawnOf returns so many draws of a model, with their answers to queries on the cells of c.
func drawnOf(v *Intervals, m *population.Model, seed uint64, n int, c domain.Clique, queries [][]float64) (models []*population.Model, answers [][]float64) {
	answers = make([][]float64, len(queries))
	for d := range v.Draws(m, seed, n) {
		models = append(models, d)
		table := d.Marginal(c, nil)
		for k, q := range queries {
			x := 0.0
			for i, w := range table {
				x += w * q[i]
			}
			answers[k] = append(answers[k], x)
		}
	}
	return models, answers
}

// TestDraws: answers of 2,000 draws scatter around the model's with the standard error that Linear predicts, times trends. Where
// counts are large the ratio of both is within 8 %: five standard deviations, so that a correct program fails once in a million runs
// of other seeds; this seed is fixed.
func TestDraws(t *testing.T) {
	r := residualResult()
	for i := range r.Model.Weights {
		r.Model.Weights[i] = 4000 + 100*float64(i*i%37)
	}
	r.Total.Units = r.Model.Total()
	r.Uncertainty.Pooled[0][2] = false
	r.Uncertainty.Tables = r.Uncertainty.Tables[:3] // the table of three columns would have the distance of the worst pair
	for i := range r.Uncertainty.Tables {
		r.Uncertainty.Tables[i].Scale /= 50
	}
	v := New(r)
	all := domain.Clique{0, 1, 2}
	table := Table{Clique: all, Codes: make([][]domain.Code, 3)}
	table.AddMarginal(r.Model.Sizes, r.Model.Weights, 1)
	var queries [][]float64
	for _, c := range []domain.Clique{{0}, {1}, {0, 2}, {1, 2}, all} {
		q := make([]float64, len(r.Model.Weights))
		for i := range q {
			q[i] = 1 // of the cell whose codes are 0
			for _, a := range c {
				if table.Codes[a][i] != 0 {
					q[i] = 0
				}
			}
		}
		queries = append(queries, q)
	}
	const n = 2000
	_, answers := drawnOf(v, r.Model, 5, n, all, queries)
	for k, list := range answers {
		mean, square, want := 0.0, 0.0, 0.0
		for _, x := range list {
			mean += x / n
		}
		for _, x := range list {
			square += (x - mean) * (x - mean) / (n - 1)
		}
		for i, q := range queries[k] {
			want += q * r.Model.Weights[i]
		}
		sample, _ := v.Linear(table).Variance(eachOf(queries[k]), queries[k], false)
		sigma := trends * math.Sqrt(sample)
		ratio := math.Sqrt(square) / sigma
		must.Hold(t, math.Abs(ratio-1) <= .08, "query %d: draws scatter by %.3f of the standard error %.1f", k, ratio, sigma)
		must.Hold(t, math.Abs(mean-want) <= 5*sigma/math.Sqrt(n), "query %d: the mean of draws is %.1f, and the model says %.1f", k, mean, want)
	}
}

// TestDrawsRepeat: a draw depends on the seed and its number; impossible records stay so; and a list of records is drawn as the
// universe is.
func TestDrawsRepeat(t *testing.T) {
	r := residualResult()
	r.Model.Weights[3] = 0
	r.Total.Units = r.Model.Total()
	v := New(r)
	few, _ := drawnOf(v, r.Model, 1, 2, nil, nil)
	many, _ := drawnOf(v, r.Model, 1, 7, nil, nil)
	other, _ := drawnOf(v, r.Model, 2, 2, nil, nil)
	list := &population.Model{Sizes: r.Model.Sizes, Columns: make([][]domain.Code, 3), Weights: r.Model.Weights}
	for i := range list.Weights {
		for a, c := range r.Model.Record(i, make([]domain.Code, 3)) {
			list.Columns[a] = append(list.Columns[a], c)
		}
	}
	listed, _ := drawnOf(v, list, 1, 2, nil, nil)
	for k := range few {
		must.Hold(t, slices.Equal(few[k].Weights, many[k].Weights) && slices.Equal(few[k].Weights, listed[k].Weights) && !slices.Equal(few[k].Weights, other[k].Weights),
			"draw %d: %v, %v, %v, %v", k, few[k].Weights, many[k].Weights, listed[k].Weights, other[k].Weights)
		err := few[k].Validate()
		must.Hold(t, err == nil && few[k].Weights[3] == 0, "draw %d: %v, %v", k, few[k].Weights, err)
	}
	must.Hold(t, !slices.Equal(few[0].Weights, few[1].Weights), "two draws are one")
}

// TestDrawsKeepPairs: where deviations exceed counts, weights stay at least 0, and sums of pairs are near the deviations' sums.
func TestDrawsKeepPairs(t *testing.T) {
	r := residualResult()
	r.Total.Units = r.Model.Total()
	r.Uncertainty.Pooled[0][2] = false
	v := New(r)
	table, _ := v.records(r.Model)
	for seed := range uint64(5) {
		factors := make([]float64, len(table.Fitted))
		for i := range factors {
			factors[i] = 1 + 1.5*math.Sin(float64(i)*1.7+float64(seed))
		}
		want := make([]float64, 6)
		for i, f := range factors {
			want[int(table.Codes[0][i])*2+int(table.Codes[1][i])] += table.Fitted[i] * f
		}
		rakePairs(table, v.sizes, domain.Clique{0, 1, 2}, factors)
		have, all := make([]float64, 6), 0.0
		for i, w := range factors {
			must.Need(t, w >= 0, "record %d has the weight %g", i, w)
			have[int(table.Codes[0][i])*2+int(table.Codes[1][i])] += w
			all += w
		}
		for c := range want {
			must.Hold(t, math.Abs(max(want[c], 0)-have[c]) <= .05*all, "cell %d has %.0f, want %.0f of %.0f", c, have[c], want[c], all)
		}
	}
}
