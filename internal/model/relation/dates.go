package relation

import (
	"math/bits"
	"slices"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

// calendar is three attributes that are a day together.
type calendar struct {
	year, month, day int
}

// dates reads which attributes are the parts of a date.
func (p *Plan) dates() {
	for i, d := range p.d.Dates {
		year, ok := p.datePart(i, d.Year, "year", 1, 9999)
		month, isMonth := p.datePart(i, d.Month, "month", 1, 12)
		day, isDay := p.datePart(i, d.Day, "day", 1, 31)
		c := calendar{year, month, day}
		ok = ok && isMonth && isDay
		if ok && (c.year == c.month || c.month == c.day || c.year == c.day) {
			p.fault(Date, i, "three different columns are needed")
		}
		for _, other := range p.calendars {
			if c.year == other.year && c.month == other.month || c.day == other.day {
				p.fault(Date, i, "its day belongs to another date too; keep one")
			}
		}
		if ok {
			p.calendars = append(p.calendars, c)
		}
	}
}

// datePart returns the attribute of a part of date i, whose values lie between least and most.
func (p *Plan) datePart(i int, name, what string, least, most int64) (a int, ok bool) {
	a = p.d.Index(name)
	switch {
	case a < 0 && slices.ContainsFunc(p.d.Derived, func(d domain.Derived) bool { return d.Column.Name == name }):
		p.fault(Date, i, "column %q is derived; a date is made of columns that are modelled", name)
	case a < 0:
		_, err := p.find(name)
		p.fault(Date, i, "%v", err)
	case p.columns[a].Type != domain.Int64:
		p.fault(Date, i, "column %q is a %v; the %s of a date is an INT64", name, p.columns[a].Type, what)
	case slices.Contains(p.members, a):
		p.fault(Date, i, "column %q is in an order too; leave it out of one of them", name)
	default:
		lo, hi := span(&p.columns[a])
		if lo < least || hi > most {
			p.fault(Date, i, "column %q goes from %d to %d; a %s is from %d to %d", name, lo, hi, what, least, most)
		} else if what == "day" && lo > 28 {
			p.fault(Date, i, "column %q begins with %d, a day that February need not have", name, lo)
		}
		return a, true
	}
	return 0, false
}

// lastDay returns the number of days of a month; without a year, of a leap year.
func lastDay(year, month int64) int64 {
	if year == 0 {
		year = 2024
	}
	return int64(time.Date(int(year), time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day())
}

// longest returns the most days that a month has whose year and month lie in cells. Without a year it is a leap
// year.
func (p *Plan) longest(c calendar, year, month domain.Code) int64 {
	most := int64(0)
	y, until, ok := p.columns[c.year].Ends(year)
	if !ok {
		y, until = 0, 0
	}
	step := max(1, p.columns[c.year].Resolution)
	for year := y; year <= until && year < y+9*step; year += step {
		most = max(most, p.longestOf(c, month, year))
	}
	return most
}

// room reports whether the cells of a record hold a day that exists.
func (p *Plan) room(c calendar, record []domain.Code) bool {
	lo, _, ok := p.columns[c.day].Ends(record[c.day])
	return !ok || lo <= p.longest(c, record[c.year], record[c.month])
}

// never returns the exclusions of days that no month of a cell has.
func (p *Plan) never(c calendar) (out domain.Exclusions) {
	year, month, day := &p.columns[c.year], &p.columns[c.month], &p.columns[c.day]
	if year.Learned > 0 || month.Learned > 0 || day.Learned > 0 {
		return nil
	}
	for most := int64(28); most < 31; most++ {
		var years, months, days []domain.Code
		for code := range year.Size() {
			leap := false
			for m := range month.Size() {
				if lo, hi, ok := month.Ends(domain.Code(m)); ok && lo <= 2 && 2 <= hi {
					leap = leap || p.longest(calendar{c.year, c.month, c.day}, domain.Code(code), domain.Code(m)) > 28
				}
			}
			if !leap {
				years = append(years, domain.Code(code))
			}
		}
		in := int64(2024)
		if most == 28 {
			in = 2023 // no leap year
		}
		for code := range month.Size() {
			if p.longestOf(c, domain.Code(code), in) <= most {
				months = append(months, domain.Code(code))
			}
		}
		for code := range day.Size() {
			if lo, _, ok := day.Ends(domain.Code(code)); ok && lo > most {
				days = append(days, domain.Code(code))
			}
		}
		e := []slot{{c.month, months}, {c.day, days}}
		if most == 28 {
			e = append(e, slot{c.year, years})
		}
		out = append(out, exclusion(e)...)
	}
	return out
}

// longestOf returns the most days of the months of a cell in a year; 0 is one that is not known.
func (p *Plan) longestOf(c calendar, month domain.Code, year int64) (most int64) {
	m, last, ok := p.columns[c.month].Ends(month)
	if !ok {
		return 31
	}
	for ; m <= last; m += max(1, p.columns[c.month].Resolution) {
		most = max(most, lastDay(year, m))
	}
	return most
}

// slot is an attribute and cells of it.
type slot struct {
	attr  int
	codes []domain.Code
}

// exclusion returns the exclusion of all records with the cells of every slot, or none if a slot is empty.
func exclusion(slots []slot) domain.Exclusions {
	slices.SortFunc(slots, func(a, b slot) int { return a.attr - b.attr })
	e := domain.Exclusion{}
	for _, s := range slots {
		if len(s.codes) == 0 {
			return nil
		}
		e.Clique, e.Codes = append(e.Clique, s.attr), append(e.Codes, s.codes)
	}
	return domain.Exclusions{e}
}

// repairDates makes days of the rows of c that exist, in their cells if those have one.
func (p *Plan) repairDates(c *domain.Chunk, codes []domain.Code, word func(row int, n uint64) uint64) {
	n := p.d.Len()
	for _, cal := range p.calendars {
		year, month, day := &c.Columns[cal.year], &c.Columns[cal.month], &c.Columns[cal.day]
		for row := range c.Rows {
			if month.Null(row) || day.Null(row) {
				continue
			}
			y := int64(0)
			if !year.Null(row) {
				y = year.Ints[row]
			}
			drawn := uint64(1 << 32)
			draw := func(a int) int64 {
				at := &p.columns[a]
				lo, hi, _ := at.Ends(codes[row*n+a])
				step := max(1, at.Resolution)
				k, _ := bits.Mul64(word(row, drawn), uint64((hi-lo)/step)+1)
				drawn++
				return lo + int64(k)*step
			}
			for range redraws {
				if day.Ints[row] <= lastDay(y, month.Ints[row]) {
					break
				}
				if lo, _, _ := p.columns[cal.day].Ends(codes[row*n+cal.day]); lo <= lastDay(y, month.Ints[row]) {
					day.Ints[row] = draw(cal.day)
					continue
				}
				if month.Ints[row] = draw(cal.month); !year.Null(row) {
					year.Ints[row] = draw(cal.year)
					y = year.Ints[row]
				}
			}
			if last := lastDay(y, month.Ints[row]); day.Ints[row] > last {
				day.Ints[row] = p.lastOf(cal.day, last)
			}
		}
	}
}

// lastOf returns the largest value of a column that is at most x.
func (p *Plan) lastOf(a int, x int64) int64 {
	best, _ := span(&p.columns[a])
	for code := range cells(&p.columns[a]) {
		lo, hi, ok := p.columns[a].Ends(domain.Code(code))
		if step := max(1, p.columns[a].Resolution); ok && lo <= x {
			best = max(best, lo+(min(hi, x)-lo)/step*step)
		}
	}
	return best
}
