package infer

import (
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// periods lists the months, quarters or weeks of a column that has little else, of all its years but those far from the rest, and
// reports whether it has nothing else.
func (f *frequent) periods() (list []string, only bool) {
	years, all := [cellkind.Periods]spread{}, f.records
	for v, s := range f.values {
		p, year := cellkind.PeriodOf([]byte(v))
		years[p].count(year, float64(year), s.records)
		if _, mark := cellkind.Mark([]byte(v)); mark {
			all -= s.records
		}
	}
	for p := cellkind.Months; p < cellkind.Periods && !f.lossy; p++ {
		first, last, _, _ := years[p].rest(true)
		n := int64(0)
		for year, h := range years[p] {
			if float64(year) >= first && float64(year) <= last {
				n += h.n
			}
		}
		if n >= MinSupport && float64(n) >= cellkind.MostPeriods*float64(all) {
			return p.Texts(int(first), int(last)), n == f.records
		}
	}
	return nil, false
}
