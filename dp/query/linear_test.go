package query

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestLinearRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		rows [][]float64
		says string
	}{
		"above 1":       {[][]float64{{0, 1.01}}, "values lie in [-1, 1]"},
		"below -1":      {[][]float64{{0, -2}}, "values lie in [-1, 1]"},
		"NaN":           {[][]float64{{0, math.NaN()}}, "values lie in [-1, 1]"},
		"ragged":        {[][]float64{{0, 1}, {0}}, "give one for each cell"},
		"constant":      {[][]float64{{0, 1}, {1, 1}}, "leave it out"},
		"none":          {nil, "no queries"},
		"a million":     {make([][]float64, 1_000_000), "at most 100000"},
		"a large table": {[][]float64{make([]float64, MaxLinearValues+1)}, "at most 16777216 values"},
	} {
		if name == "a million" {
			c.rows[0] = []float64{0, 1}
		}
		must.Fails(NewLinear(c.rows))(t, c.says, "%s", name)
	}
	wide := make([]int, 40)
	for i := range wide {
		wide[i] = 2
	}
	for _, c := range []domain.Clique{{1, 1}, {-1}, {40}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}} {
		must.Fails(Parity(wide, c))(t, "", "clique %v: no error", c)
	}
}

// TestShapes evaluates each kind of query on every record of a small universe by its definition.
func TestShapes(t *testing.T) {
	sizes := []int{4, 3, 2}
	position := [][]float64{{1, 2, 4, 8}, {-1, 0, 5}}
	for name, c := range map[string]struct {
		made  func() (Marginal, error)
		value func(i int, r []domain.Code) float64
	}{
		"conjunction": {
			func() (Marginal, error) {
				return Conjunction(sizes, domain.Clique{0, 2}, [][]domain.Code{{1, 3}, {0}})
			},
			func(_ int, r []domain.Code) float64 { return truth((r[0] == 1 || r[0] == 3) && r[2] == 0) },
		},
		"prefixes": {
			func() (Marginal, error) { return Prefixes(sizes, 0, 4) },
			func(i int, r []domain.Code) float64 { return truth(int(r[0]) <= i) },
		},
		"half-space": {
			func() (Marginal, error) { return HalfSpace(sizes, domain.Clique{0, 1}, []float64{1, -.5}, position, 2) },
			func(_ int, r []domain.Code) float64 { return truth(position[0][r[0]]-.5*position[1][r[1]] >= 2) },
		},
		"parity": {
			func() (Marginal, error) { return Parity(sizes, domain.Clique{0, 1, 2}) },
			func(_ int, r []domain.Code) float64 { return 1 - 2*float64((r[0]+r[1]+r[2])%2) },
		},
	} {
		m, err := c.made()
		must.Need(t, err == nil, "%s: %v", name, err)
		for z := range 24 {
			r := []domain.Code{domain.Code(z / 6), domain.Code(z / 2 % 3), domain.Code(z % 2)}
			for i := range m.Queries.Queries() {
				must.Equal(t, m.Queries.Value(i, m.Clique.Cell(sizes, r)), c.value(i, r), "%s: query %d of record %v", name, i, r)
			}
		}
	}
}

// TestLinearTravels: queries and frames survive their JSON, which declares no sensitivity.
func TestLinearTravels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m, err := Functions([]int{3, 4}, domain.Clique{0, 1}, []func([]domain.Code) float64{
		func([]domain.Code) float64 { return 2*rng.Float64() - 1 }, func(c []domain.Code) float64 { return truth(c[0] == 1) },
	})
	must.Do(t, err)
	f := Frame{Workload: Workload{Sizes: []int{3, 4}, Marginals: []Marginal{{Clique: domain.Clique{1}, Weight: 2}, m, {Clique: domain.Clique{0}, Weight: 1}}}}
	text := must.Value(json.Marshal(f))(t)
	var got Frame
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got.Workload, f.Workload) {
		t.Errorf("frame: %v, %+v", err, got.Workload)
	}
	text, err = json.Marshal(m)
	var one Marginal
	if err == nil {
		err = json.Unmarshal(text, &one)
	}
	must.Hold(t, err == nil && reflect.DeepEqual(one, m), "marginal: %v, %+v", err, one)
	other := m
	other.Queries = m.Queries.Rows(0, 1)
	must.Hold(t, (Workload{Marginals: []Marginal{m}}).Fingerprint() != (Workload{Marginals: []Marginal{other}}).Fingerprint() && m.Queries.Fingerprint() != other.Queries.Fingerprint(),
		"other queries, same fingerprint")
	for _, bad := range []string{`"AAAA"`, `"AgM="`, `"AQIAgIDAAQ=="`, `"////"`} {
		must.Fail(t, json.Unmarshal([]byte(bad), new(Linear)), "", "%s was read", bad)
	}
}

// TestManyRecords: if there are too many pairs of records to compare, the sensitivity is a bound that holds for all.
func TestManyRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	rows := make([][]float64, 200)
	for i := range rows {
		for range 4000 {
			rows[i] = append(rows[i], 2*rng.Float64()-1)
		}
	}
	l := must.Value(NewLinear(rows))(t)
	bound, _ := l.L2Squared(dp.Replace).Float64()
	for range 1000 {
		a, b, sum := rng.IntN(4000), rng.IntN(4000), 0.0
		for i := range rows {
			d := l.Value(i, a) - l.Value(i, b)
			sum += d * d
		}
		must.Need(t, sum <= bound, "two records differ by %g, bound %g", sum, bound)
	}
	one, _ := l.L2Squared(dp.AddRemove).Float64()
	must.Hold(t, bound <= 4*one, "Δ² %g under Replace, %g under AddRemove", bound, one)
}
