package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// wide is a model of 100,000 records with 14 columns of 2 to 40 cells, half of them numbers, with all pairs measured.
func wide() *answer.Release {
	const records, columns = 100_000, 14
	rng := rand.New(rand.NewPCG(3, 1))
	d, m := &domain.Domain{}, &population.Model{Weights: make([]float64, records)}
	u := &solver.Uncertainty{}
	for a := range columns {
		cells := []int{2, 5, 9, 16, 24, 32, 40}[a%7]
		at := domain.Attribute{Name: fmt.Sprintf("c%d", a), Type: domain.String}
		if a >= columns/2 {
			at.Type, at.Resolution = domain.Int64, 1
			for c := range cells + 1 {
				at.Cuts = append(at.Cuts, int64(10*c))
			}
		} else {
			for c := range cells {
				at.Values = append(at.Values, fmt.Sprintf("v%d", c))
			}
		}
		d.Attributes = append(d.Attributes, at)
		codes := make([]domain.Code, records)
		for i := range codes {
			codes[i] = domain.Code(min(float64(cells-1), rng.ExpFloat64()*float64(cells)/4))
		}
		m.Sizes, m.Columns = append(m.Sizes, cells), append(m.Columns, codes)
		u.OneWay, u.Pooled = append(u.OneWay, 900), append(u.Pooled, make([]bool, cells))
		for b := range a {
			u.Tables = append(u.Tables, solver.TableUncertainty{Clique: domain.Clique{b, a}, Scale: .01, Growth: 1, Precision: .001, Distance: 2000})
		}
	}
	for i := range m.Weights {
		m.Weights[i] = 1
	}
	r := &solver.Result{Model: m, Total: query.Total{Units: records, Variance: 900}, RMSE: math.NaN(), Uncertainty: u}
	return &answer.Release{Domain: d, Model: m, Units: records, Errors: interval.New(r)}
}

// BenchmarkAnswer asks queries of one to four columns, each a filter, a key or a mean, of a model of 100,000 records with 14 columns.
// Product: .2 s a query.
func BenchmarkAnswer(b *testing.B) {
	r, rng := wide(), rand.New(rand.NewPCG(5, 1))
	var queries []*answer.Query
	for range 64 {
		var where, keys []string
		for i, a := range rng.Perm(14)[:1+rng.IntN(4)] {
			cells := r.Model.Sizes[a]
			switch {
			case a >= 7:
				where = append(where, fmt.Sprintf("c%d BETWEEN %d AND %d", a, rng.IntN(5), 10+10*rng.IntN(cells)))
			case i == 0:
				keys = append(keys, fmt.Sprintf("c%d", a))
			default:
				where = append(where, fmt.Sprintf("c%d IN (v0, v%d)", a, 1+rng.IntN(cells-1)))
			}
		}
		sql := "SELECT COUNT(*), AVG(c13) FROM rows"
		if len(where) > 0 {
			sql += " WHERE " + strings.Join(where, " AND ")
		}
		if len(keys) > 0 {
			sql += " GROUP BY " + strings.Join(keys, ", ")
		}
		q := must.Value(answer.Parse(sql))(b)
		queries = append(queries, q)
	}
	b.ReportAllocs()
	slowest := time.Duration(0)
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		must.Value(r.Answer(queries[i%len(queries)], answer.Options{}))(b)
		slowest = max(slowest, time.Since(began))
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "ms/slowest")
}
