package discover

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// era is a run of years in which a column has dates.
type era struct{ first, last int }

// farYears is how many years without dates make what is beyond them far from the rest.
const farYears = 20

// eras returns the years in which a column has dates, as far as noise lets one see: the run with the most of them, first, and
// those that are far from it.
func (n noisy) eras() (list []era) {
	cells := noisy{n.cells[:yearCells-1], n.sigma}
	first, last, seen := cells.seen(nil)
	if !seen {
		return nil
	}
	most, at := 0., 0
	own, empty := 0., farYears
	z := quantile(nearFalse / float64(last-first+1))
	for i := first; i <= last; i++ {
		if x := n.cells[i]; x > z*n.sigma || i == first || i == last {
			if empty >= farYears {
				list, own = append(list, era{i, i}), 0
			}
			list[len(list)-1].last, empty = i, 0
			if own += x; own > most {
				most, at = own, len(list)-1
			}
			continue
		}
		empty++
	}
	list[0], list[at] = list[at], list[0]
	return list
}

// dates picks the first and last day, and the resolution: as fine as the times are, if there are not too many values. Dates far
// from all others, such as 9999-12-31 for what has no end, are values of their own.
func (f *FoundColumn) dates(c Column, units float64, y, steps, far noisy) {
	eras := y.eras()
	if len(eras) == 0 {
		f.Left = unseen
		return
	}
	own := func(e era) (n float64) { // without codes
		for year := e.first; year <= e.last; year++ {
			n += y.cells[year]
		}
		for _, i := range e.codes(far) {
			n -= far.cells[i]
		}
		return n
	}
	for i := range eras {
		if own(eras[i]) > own(eras[0]) {
			eras[0], eras[i] = eras[i], eras[0]
		}
	}
	first, last := eras[0].first+firstYear, eras[0].last+firstYear
	apart := eras[1:]
	if year, ok := c.year(c.Min); ok {
		first, last, apart = year, max(last, year), nil
	} else if year, ok := c.year(c.Max); ok {
		first, last, apart = min(first, year), year, nil
	}
	f.Min, f.Max = cmp.Or(c.Min, fmt.Sprintf("%04d-01-01", first)), cmp.Or(c.Max, fmt.Sprintf("%04d-12-31", last))
	f.Beyond = [2]bool{c.Min == "", c.Max == ""}
	if f.Type != domain.Date {
		f.Max = cmp.Or(c.Max, f.Max+"T23:59:59")
	}
	f.Common = fmt.Sprintf("%04d-07-01", max(first, min(last, y.most(eras[0].first, eras[0].last)+firstYear)))
	for _, e := range apart {
		f.Exact = append(f.Exact, f.farDates(e, far)...)
	}
	slices.Sort(f.Exact)
	f.Exact = slices.Compact(f.Exact)
	n := last - first + 1
	if f.Type == domain.Date || c.Unit > 0 && int64(n)*366*f.Type.Facts().Day/c.Unit < mostValues {
		return
	}
	exact := 2 // of stepsOfTime
	if steps.cells != nil {
		exact = steps.needed(dayCell, finerCell, units)
	}
	step := min(exact, 2)
	switch {
	case n > 100:
		step = 0
	case n > 1:
		step = min(step, 1)
	}
	if f.Resolution = stepsOfTime[step]; step < exact {
		f.noted(leastNoted, "its times are rounded down to the "+f.Resolution)
	}
}

// codes are the codes of an era that stand out of the noise.
func (e era) codes(n noisy) []int {
	return n.seenCodes(func(c sentinel) bool {
		year := yearCell(c.day.Year())
		return c.date && e.first <= year && year <= e.last
	})
}

// farDates returns the codes of an era that stand out of the noise, or the first day of each end of it.
func (f *FoundColumn) farDates(e era, n noisy) (list []string) {
	for _, i := range e.codes(n) {
		list = append(list, f.dateText(codes[i].text, codes[i].last))
	}
	if len(list) > 0 {
		return list
	}
	return []string{f.dateText(fmt.Sprintf("%04d-01-01", e.first+firstYear), false), f.dateText(fmt.Sprintf("%04d-12-31", e.last+firstYear), false)}
}

// dateText writes the first or the last second of a day as the type has it.
func (f *FoundColumn) dateText(day string, last bool) string {
	if f.Type == domain.Date {
		return day
	}
	clock := "T00:00:00"
	if last {
		clock = "T23:59:59"
	}
	if f.Type == domain.Timestamp {
		clock += "Z"
	}
	return day + clock
}

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
