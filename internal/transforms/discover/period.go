package discover

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// ofPeriod says that a column of texts has months, quarters or weeks: all other texts together are a tenth of it, or less than the
// noise shows. k are the kinds of its cells, and w their forms.
func (f *FoundColumn) ofPeriod(k, w noisy) {
	noise := 3 * math.Hypot(k.sigma*math.Sqrt(kindCells), w.sigma)
	for p := cellkind.Months; p < cellkind.Periods; p++ {
		n := w.cells[periodCell+int(p)]
		if n > max(f.there/2, 3*w.sigma) && f.there-n <= max((1-cellkind.MostPeriods)*f.there, noise) {
			f.period = p
		}
	}
}

// periods lists the texts of the column's form, of the years that it has, as far as noise lets one see. Years far from these are other.
func (f *FoundColumn) periods(years noisy) {
	eras := years.eras()
	if len(eras) == 0 {
		f.Left = unseen
		return
	}
	first, last := eras[0].first, eras[0].last
	f.Values = f.period.Texts(first+firstYear, last+firstYear)
	other := f.there - sum(years.cells[first:last+1])
	if other > 3*years.sigma*math.Sqrt(float64(last-first+1)) && other > leastNoted*f.there {
		f.noted(other/f.there, fmt.Sprintf("about %s of its values are another text, or far from these years, and became other", percent(other/f.there)))
	}
}
