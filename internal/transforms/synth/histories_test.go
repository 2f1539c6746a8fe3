package synth

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Rows of people are in the order of a column, in one table and in two, and do not depend on how people are shared out.
func TestRowsInOrder(t *testing.T) {
	d := &domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.Int64, Cuts: domain.EqualCuts(0, 1, 2), Resolution: 1, HasFallback: true},
		{Name: "day", Type: domain.Date, Cuts: []int64{1000, 1364}, Resolution: 1, Learned: 4, HasFallback: true},
		{Name: "kind", Type: domain.Int64, Cuts: domain.EqualCuts(0, 2, 3), Resolution: 1, HasFallback: true},
	}}
	for _, least := range []int64{1, 0} {
		cuts := []int64{1, 2, 4}
		if least == 0 {
			cuts = slices.Insert(cuts, 0, 0)
		}
		people, err := d.WithEvents([]string{"sex"}, nil, cuts, 9)
		if err == nil {
			people, err = people.WithSequence(domain.Sequence{Column: "day", Strict: true})
		}
		must.Do(t, err)
		binned := people.EqualBins()
		binned.Events = people.Events // as a release has it: the column is not modelled
		file := &modelfile.File{Domain: *binned, Units: 400, Model: drawn(binned, 3000)}
		src := must.Value(newRowSource(file, "hash", WriteParams{Seed: 3, Tables: true}))(t)
		read := func(table int, bounds ...int64) (out []string) {
			for i := range bounds[1:] {
				must.Do(t, src.each(context.Background(), table, bounds[i], bounds[i+1], newChunk, func(c *domain.Chunk) error {
					for row := range c.Rows {
						var cells []string
						for a := range c.Columns {
							cells = append(cells, fmt.Sprint(c.Columns[a].Ints[row]))
						}
						out = append(out, strings.Join(cells, " "))
					}
					return nil
				}))
			}
			return out
		}
		for _, table := range []int{oneTable, ofPeople, ofRows} {
			all := read(table, 0, 400)
			must.Hold(t, slices.Equal(all, read(table, 0, 1, 130, 130, 399, 400)), "table %d: other shards have other rows", table)
			if table == ofPeople {
				must.Hold(t, len(all) == 400, "%d people, want 400", len(all))
				continue
			}
			last := map[int]int{}
			for _, line := range all {
				var who, sex, day, kind int
				if table == oneTable {
					fmt.Sscan(line, &who, &sex, &day, &kind)
				} else {
					fmt.Sscan(line, &who, &day, &kind)
				}
				if before, ok := last[who]; day < 1000 || day > 1364 || ok && day <= before {
					t.Fatalf("table %d: person %d has a row at day %d after one at day %d", table, who, day, before)
				}
				last[who] = day
			}
			must.Hold(t, int64(len(all)) == src.total() && (least != 1 || len(last) == 400), "table %d: %d rows of %d people", table, len(all), len(last))
		}
	}
}

// drawn returns a model of possible records, drawn at random.
func drawn(d *domain.Domain, n int) *population.Model {
	rng := rand.New(rand.NewPCG(1, 2))
	m := &population.Model{Sizes: d.Sizes(), Columns: make([][]domain.Code, d.Len()), StructuralZeros: d.StructuralZeros}
	for len(m.Weights) < n {
		record := make([]domain.Code, d.Len())
		for a, size := range m.Sizes {
			record[a] = domain.Code(rng.IntN(size))
			if d.Attributes[a].Null && rng.IntN(3) == 0 {
				record[a] = domain.Code(size - 1)
			}
		}
		if !d.Possible(record) {
			continue
		}
		for a, c := range record {
			m.Columns[a] = append(m.Columns[a], c)
		}
		m.Weights = append(m.Weights, 1)
	}
	return m
}
