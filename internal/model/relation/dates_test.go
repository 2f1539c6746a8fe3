package relation

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// No day is written that the calendar does not have, whatever the cells; rows of possible cells stay in them.
func TestEveryDayExists(t *testing.T) {
	const rows = 3000
	for _, bins := range [][3]int{{30, 12, 31}, {7, 12, 10}, {30, 5, 31}, {1, 1, 1}, {30, 12, 4}} {
		for _, null := range []bool{false, true} {
			year, month, day := ints("y", 1996, 2025), ints("m", 1, 12), ints("d", 1, 31)
			year.Cuts, month.Cuts, day.Cuts = domain.EqualCuts(1996, 2025, bins[0]), domain.EqualCuts(1, 12, bins[1]), domain.EqualCuts(1, 31, bins[2])
			year.Null, month.Null, day.Null = null, null, null
			d := &domain.Domain{Attributes: []domain.Attribute{day, year, month}, Dates: []domain.DateParts{{Year: "y", Month: "m", Day: "d"}}}
			p := must.Value(New(d))(t)
			d.StructuralZeros = Zeros(d)
			must.Do(t, d.Validate())
			rng := rand.New(rand.NewPCG(1, 2))
			codes := make([]domain.Code, 3*rows)
			for row := range rows {
				for a, size := range d.Sizes() {
					codes[3*row+a] = domain.Code(rng.IntN(size))
				}
				record := codes[3*row : 3*row+3]
				if excluded := d.StructuralZeros.Violated(record) >= 0; excluded == p.Possible(record) {
					t.Errorf("bins %v: record %v: excluded %v, possible %v", bins, record, excluded, p.Possible(record))
				}
			}
			c := &domain.Chunk{}
			domain.NewDecoder(d).Decode(c, codes, func(int, int) uint64 { return rng.Uint64() })
			p.Repair(c, codes, func(row int, i uint64) uint64 { return rand.New(rand.NewPCG(uint64(row), i)).Uint64() })
			enc, late := domain.NewEncoder(d), 0
			for row := range rows {
				cols := c.Columns
				if cols[0].Null(row) || cols[2].Null(row) {
					continue
				}
				y := int64(2024)
				if !cols[1].Null(row) {
					y = cols[1].Ints[row]
				}
				at := time.Date(int(y), time.Month(cols[2].Ints[row]), int(cols[0].Ints[row]), 0, 0, 0, 0, time.UTC)
				must.Need(t, at.Day() == int(cols[0].Ints[row]), "bins %v: %d-%d-%d does not exist", bins, y, cols[2].Ints[row], cols[0].Ints[row])
				if at.Day() > 28 {
					late++
				}
				for a := range cols {
					if code, _ := enc.FromNative(a, cols[a].Ints[row]); !cols[a].Null(row) && code != codes[3*row+a] && p.Possible(codes[3*row:3*row+3]) {
						t.Errorf("bins %v: column %d of row %d has left its cell", bins, a, row)
					}
				}
			}
			must.Hold(t, late >= rows/100, "bins %v: %d days beyond the 28th: too few", bins, late)
		}
	}
}
