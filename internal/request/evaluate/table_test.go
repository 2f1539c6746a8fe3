package evaluate

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// people is a domain with an attribute of every kind that is compared in its own way.
func people() *domain.Domain {
	return &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}, Other: true, OtherValue: "other"},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 20, 40, 60, 80}, Resolution: 1, Null: true},
		{Name: "married", Type: domain.Bool, Values: []string{"false", "true"}, Null: true},
		{Name: "height", Type: domain.Float64, FloatCuts: []float64{1, 1.5, 1.75, 2.25}},
	}}
}

// newTable returns the table with the given rows.
func newTable(d *domain.Domain, rows ...[]domain.Code) *Table {
	t := &Table{Sizes: d.Sizes(), Rows: len(rows), Columns: make([][]domain.Code, d.Len())}
	for _, row := range rows {
		for a, code := range row {
			t.Columns[a] = append(t.Columns[a], code)
		}
	}
	return t
}

// randomTable returns rows whose attributes depend on each other and lean towards low codes.
func randomTable(d *domain.Domain, rows int, lean float64, seed uint64) *Table {
	r := rand.New(rand.NewPCG(seed, 1))
	t := &Table{Sizes: d.Sizes(), Rows: rows, Columns: make([][]domain.Code, d.Len())}
	for range rows {
		shared := r.Float64()
		for a, size := range t.Sizes {
			u := shared
			if r.Float64() < 0.6 {
				u = r.Float64()
			}
			code := int(u * (lean*u + 1 - lean) * float64(size))
			t.Columns[a] = append(t.Columns[a], domain.Code(min(code, size-1)))
		}
	}
	return t
}

func TestCountAgreesWithCell(t *testing.T) {
	d := people()
	table := randomTable(d, 500, 0.5, 7)
	for _, c := range []domain.Clique{{0}, {3}, {1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 1, 2, 3}} {
		cells := must.Value(c.Cells(table.Sizes))(t)
		want := make([]int32, cells)
		for r := range table.Rows {
			record := make([]domain.Code, len(table.Columns))
			for a := range record {
				record[a] = table.Columns[a][r]
			}
			want[c.Cell(table.Sizes, record)]++
		}
		got := make([]int32, cells)
		got[0] = 99 // counting starts from zero, whatever was there
		table.count(got, c)
		for cell := range want {
			must.Hold(t, got[cell] == want[cell], "count(%v)[%d] = %d, want %d", c, cell, got[cell], want[cell])
		}
	}
}
