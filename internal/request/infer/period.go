package infer

import (
	"maps"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// periods lists the months, quarters or weeks of a column that has little else, of all its years but those far from the rest, and
// reports whether it has nothing else.
func (f *frequent) periods() (list []string, only bool) {
	years, all := [cellkind.Periods]map[int]int64{}, f.records
	for v, s := range f.values {
		p, year := cellkind.PeriodOf([]byte(v))
		if years[p] == nil {
			years[p] = map[int]int64{}
		}
		years[p][year] += s.records
		if _, mark := cellkind.Mark([]byte(v)); mark {
			all -= s.records
		}
	}
	for p := cellkind.Months; p < cellkind.Periods && !f.lossy; p++ {
		if first, last, n := mostYears(years[p]); n >= MinSupport && float64(n) >= cellkind.MostPeriods*float64(all) {
			return p.Texts(first, last), n == f.records
		}
	}
	return nil, false
}

// mostYears returns the run of years with the most records, and how many these are.
func mostYears(records map[int]int64) (first, last int, most int64) {
	from, before, run := 0, math.MinInt32, int64(0)
	for _, year := range slices.Sorted(maps.Keys(records)) {
		if year-before > farYears {
			from, run = year, 0
		}
		if before, run = year, run+records[year]; run > most {
			first, last, most = from, year, run
		}
	}
	return first, last, most
}
