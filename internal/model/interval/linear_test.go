package interval

import (
	"bytes"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// wholeTable returns the table of all attributes of a universe.
func wholeTable(m *population.Model) Table {
	t := Table{Codes: make([][]domain.Code, len(m.Sizes))}
	for a := range m.Sizes {
		t.Clique = append(t.Clique, a)
	}
	t.AddMarginal(m.Sizes, m.Weights, 1)
	return t
}

// eachOf lists the cells of a query of all.
func eachOf(q []float64) []int {
	cells := make([]int, len(q))
	for i := range cells {
		cells[i] = i
	}
	return cells
}

// TestLinearIsNoiseAlone: if nothing was known of an interaction before its release, its part of a query's variance is the part of
// the noise in the query's own interaction, whatever the model; what was known before makes it less.
func TestLinearIsNoiseAlone(t *testing.T) {
	r := residualResult()
	for i := range r.Model.Weights {
		r.Model.Weights[i] = 1e6 // an even table: conditional means are plain means
	}
	r.Total.Units = r.Model.Total()
	r.Uncertainty.Pooled[0][2] = false
	for i := range r.Uncertainty.Tables {
		x := &r.Uncertainty.Tables[i]
		x.Scale, x.Earlier, x.Growth, x.Precision = 1e12, 0, 1, .01*float64(i+1)
	}
	table := wholeTable(r.Model)
	q := make([]float64, 24)
	for i := range q {
		q[i] = float64(i*i%7) / 7
	}
	want := 0.0
	eachSubset([]int{0, 1, 2}, 3, func(sub domain.Clique) {
		cells, _ := sub.Cells(r.Model.Sizes)
		p := population.NewProjection(r.Model.Sizes, domain.Clique{0, 1, 2}, sub)
		means, free := p.Sum(make([]float64, cells), q), 1.0
		for i := range means {
			means[i] /= 24 / float64(cells)
		}
		population.Center(means, population.Shape(r.Model.Sizes, sub))
		noise := 0.0
		if len(sub) == 1 {
			noise = r.Uncertainty.OneWay[sub[0]]
		}
		for _, a := range sub {
			free *= 1 - 1/float64(r.Model.Sizes[a])
		}
		for _, x := range r.Uncertainty.Tables {
			if x.Clique.Equal(sub) {
				noise = 1 / (x.Precision * free)
			}
		}
		for _, x := range means {
			want += noise * x * x
		}
	})
	got, _ := New(r).Linear(table).Variance(eachOf(q), q, false)
	must.Hold(t, math.Abs(got-want) <= .01*want, "variance %g, want %g, the noise's", got, want)
	for i := range r.Uncertainty.Tables {
		r.Uncertainty.Tables[i].Scale = 1e-6
	}
	less, _ := New(r).Linear(table).Variance(eachOf(q), q, false)
	must.Hold(t, less < got, "with a prior the variance is %g, not less than %g", less, got)
}

// TestLinearOfNothing: a constant has the error of the number of units alone.
func TestLinearOfNothing(t *testing.T) {
	r := residualResult()
	r.Total.Variance = 50
	q := make([]float64, 24)
	for i := range q {
		q[i] = 3
	}
	got, drawn := New(r).Linear(wholeTable(r.Model)).Variance(eachOf(q), q, false)
	must.Hold(t, math.Abs(got-9*50) <= 1e-6 && drawn <= 1e-6, "variance %g and %g, want 450 and 0", got, drawn)
	if got, _ := New(r).Linear(Table{Fitted: []float64{r.Total.Units}}).Variance([]int{0}, []float64{1}, false); math.Abs(got-50) > 1e-9 {
		t.Errorf("everybody: variance %g, want 50", got)
	}
}

// TestRestore: what is released gives the same standard errors as the result, what an earlier version released those that it had, and
// damaged bytes give none.
func TestRestore(t *testing.T) {
	r := residualResult()
	b := must.Value(New(r).MarshalJSON())(t)
	again := must.Value(Restore(b, r.Model.Sizes))(t)
	q := make([]float64, 24)
	q[3], q[17] = 1, 2
	x, _ := New(r).Linear(wholeTable(r.Model)).Variance(eachOf(q), q, false)
	if y, _ := again.Linear(wholeTable(r.Model)).Variance(eachOf(q), q, false); x != y || !(x > 0) {
		t.Errorf("variance %g, and %g of what was restored", x, y)
	}
	older := bytes.Replace(b, []byte(`"computation":2,`), nil, 1)
	if early, err := Restore(older, r.Model.Sizes); err != nil || !early.Earlier() || again.Earlier() {
		t.Errorf("an earlier version's errors: %v; a release of today: earlier %v", err, again.Earlier())
	} else if b, err := early.MarshalJSON(); err != nil || bytes.Contains(b, []byte(`"computation":2`)) {
		t.Error("what an earlier version computed is written as today's")
	} else if y, _ := early.Linear(wholeTable(r.Model)).Variance(eachOf(q), q, false); y >= x {
		t.Errorf("variance %g of an earlier version, whose cells erred apart, and %g of today", y, x)
	}
	pair := Table{Clique: domain.Clique{0, 2}, Codes: make([][]domain.Code, 2)} // nothing was measured of it
	pair.AddMarginal(r.Model.Sizes, r.Model.Marginal(pair.Clique, nil), 1)
	early := must.Value(Restore(older, r.Model.Sizes))(t)
	cells := []int{0, 3, 5}
	before, _ := early.Linear(pair).Variance(cells, []float64{1, 1, 1}, false)
	now, _ := New(r).Linear(pair).Variance(cells, []float64{1, 1, 1}, false)
	must.Hold(t, before < now, "variance %g of three cells in an earlier version, whose cells erred apart, and %g of today", before, now)
	must.Fails(Restore(b, []int{3, 2}))(t, "", "errors of a model of other sizes are taken")
	must.Fails(Restore(b[:len(b)-2], r.Model.Sizes))(t, "", "damaged bytes are taken")
}
