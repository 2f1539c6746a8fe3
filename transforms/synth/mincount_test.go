package synth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/modelio"
)

// tied is a domain of two ordered ages in wide bins, a date in parts, and two columns whose places in bins follow those of
// another column and its bins.
func tied() *domain.Domain {
	run := []domain.Run{{From: 0, Share: .5}, {From: 50, Share: .5}}
	learned := func(name string, c *domain.Coupling) domain.Attribute {
		return domain.Attribute{Name: name, Type: domain.Int64, Cuts: []int64{0, 50, 100}, Resolution: 1, Runs: run, Coupling: c, HasFallback: true}
	}
	bins := func(name string, cuts ...int64) domain.Attribute {
		return domain.Attribute{Name: name, Type: domain.Int64, Cuts: cuts, Resolution: 1, HasFallback: true}
	}
	// pay lies further up in its second bin where the column after next is in its own.
	moved := &domain.Coupling{With: -1, Shift: &domain.Shift{With: []int{2}, Adds: [][]float64{{0, 3, 0}}, Spread: .3, Levels: [][]float64{nil, nil}}}
	for i := range domain.ShiftLevels {
		moved.Shift.Levels[1] = append(moved.Shift.Levels[1], .1*float64(i))
	}
	return &domain.Domain{
		Attributes: []domain.Attribute{
			learned("pay", moved), learned("rent", &domain.Coupling{With: 0, Strength: []float64{30, 30}, Width: []float64{1, 1}}),
			bins("from", 0, 20, 40), bins("to", 0, 20, 40), bins("month", 1, 3, 12), bins("day", 1, 16, 31), bins("year", 2000, 2002, 2004),
			{Name: "sex", Type: domain.String, Values: []string{"f", "m"}, HasFallback: true},
		},
		Orders: []domain.Order{{Columns: []string{"from", "to"}}},
		Dates:  []domain.DateParts{{Year: "year", Month: "month", Day: "day"}},
	}
}

// Of the values as they are written, no combination is rare, whatever draws them: bins, couplings, orders and dates. The
// rows do not depend on how they are shared out, and orders and dates hold.
func TestMinCount(t *testing.T) {
	d := tied()
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	model := &population.Model{Sizes: d.Sizes(), Weights: make([]float64, 1<<8)}
	for i := range model.Weights {
		model.Weights[i] = float64(i % 7)
	}
	file := &modelio.File{Domain: *d, Cliques: []domain.Clique{domain.NewClique(0, 1)}, Model: model}
	for _, columns := range [][]string{nil, {"rent"}, {"sex", "rent", "day", "month", "year"}, {"from", "to", "pay"}, {"pay", "rent", "sex"}} {
		for _, rounding := range []Rounding{Refined, Systematic} {
			p := WriteParams{Rows: 9000, Seed: 3, Rounding: rounding, MinCount: MinCount{Rows: 7, Columns: columns}}
			src, err := newRowSource(file, "hash", p)
			if err != nil {
				t.Fatal(err)
			}
			written := func(shards int) (out [][]int64) {
				for shard := range shards {
					from, to := src.block(shard, shards)
					if err := src.each(context.Background(), oneTable, from, to, newChunk, func(c *domain.Chunk) error {
						for i := range c.Rows {
							var row []int64
							for a := range c.Columns {
								row = append(row, c.Columns[a].Ints[i])
							}
							out = append(out, row)
						}
						return nil
					}); err != nil {
						t.Fatal(err)
					}
				}
				return out
			}
			rows := written(1)
			if !slices.EqualFunc(rows, written(5), slices.Equal[[]int64]) {
				t.Fatalf("%v: other rows in 5 shards than in one", columns)
			}
			count := map[string]int{}
			for _, row := range rows {
				key := ""
				for _, a := range p.MinCount.attrs(d) {
					key += fmt.Sprint(row[a], " ")
				}
				count[key]++
				if row[2] > row[3] || row[5] > 29 && row[4] == 2 {
					t.Fatalf("%v: row %v is not in order, or on no day", columns, row)
				}
			}
			for key, n := range count {
				if n < 7 {
					t.Fatalf("%v, rounding %d: %q is in %d rows, want 7", columns, rounding, key, n)
				}
			}
			if len(columns) == 1 && len(count) < 90 { // of 100 values in 9,000 rows each is missing with probability below 1e-5
				t.Errorf("%v: %d values, want nearly 100", columns, len(count))
			}
		}
	}
	few, err := newRowSource(file, "hash", WriteParams{Rows: 0, MinCount: MinCount{Rows: 7}})
	if err != nil || few.n != 0 {
		t.Errorf("a release of no units, of which each combination is to have 7 rows: %d rows, %v", few.n, err)
	}
}

func TestMinCountFaults(t *testing.T) {
	d := tied()
	d.Derived = []domain.Derived{{Column: domain.Attribute{Name: "week", Type: domain.Int64}, From: "day / 7"}}
	d.Generated = []domain.Generated{{Column: "key", As: "uuid"}}
	err := MinCount{Rows: 2, Columns: []string{"from", "day", "day", "week", "key", "nobody"}}.Validate(d)
	for _, want := range []string{`"day" appears twice`, `"week" is derived`, `"key" is generated`, `"nobody" is not one`, "name to too", "name year, month too"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s in it", err, want)
		}
	}
}
