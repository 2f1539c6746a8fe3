package discover

import (
	"bytes"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// Cells of formOf. The forms of dates have two each: without and with a time of the day.
const (
	plainCell = iota // another text, or none
	pointCell        // 1,234.5, and what could be 1.234,5 too
	commaCell
	eitherDate // the day or the month may be first
	eitherStamp
	dayDate
	dayStamp
	monthDate
	monthStamp
	namedDate
	namedStamp
	codeCell                                        // none of these, and a code such as D66.5
	periodCell = codeCell                           // and the form of a month, quarter or week
	vastCell   = periodCell + int(cellkind.Periods) // a whole number that no INT64 holds
	formCells  = vastCell + 1
)

// longestWritten is the length of the longest number or date that is looked for.
const longestWritten = 64

// form finds the cell of a text in formOf, and returns the text as it is read, and what it is.
func form(text []byte) (cell int, read []byte, kind cellkind.Kind) {
	if cellkind.Vast(text) {
		return vastCell, text, cellkind.Integer
	}
	if len(text) > longestWritten || !bytes.ContainsAny(text, "0123456789") || !cellkind.MayBeWritten(text) {
		return plainCell, text, cellkind.Text
	}
	for _, w := range []struct {
		cellkind.Written
		cell int
	}{{cellkind.PointNumbers, pointCell}, {cellkind.CommaNumbers, commaCell}} {
		if read, ok := w.Canonical(nil, text, cellkind.LatestShort); ok {
			if kind, _ = cellkind.Classify(read); kind == cellkind.Integer || kind == cellkind.Decimal || kind == cellkind.Float {
				return w.cell, read, kind
			}
		}
	}
	for _, w := range []struct {
		cellkind.Written
		cell int
	}{{cellkind.DayFirst, dayDate}, {cellkind.MonthFirst, monthDate}, {cellkind.NamedMonth, namedDate}} {
		moment, ok := w.Canonical(nil, text, cellkind.LatestShort)
		if !ok {
			continue
		}
		k := cellkind.Moment(string(moment))
		if k == cellkind.Text {
			continue
		}
		if kind = k; cell == dayDate { // and the month may be first
			cell = eitherDate
			break
		}
		cell, read = w.cell, moment
	}
	switch {
	case cell == plainCell:
		return plainCell, text, cellkind.Text
	case kind != cellkind.Date:
		cell++
	}
	return cell, read, kind
}

// coded says that a column of texts has codes: at least nine tenths of it, where whole numbers may be codes too.
func (f *FoundColumn) coded(k, w noisy) {
	n := w.cells[codeCell]
	f.codes = f.Type == domain.String && n > 3*w.sigma && n+max(0, k.cells[wholeCell]) > .9*f.there
}

// ofDigits tells columns of numbers that are all dates of eight digits from the others.
func (f *Found) ofDigits(numbers []int, places map[int]noisy) (others, days []int) {
	for _, i := range numbers {
		x, n := &f.Columns[i], places[i]
		if n.cells != nil && x.Written == "" && n.cells[dayCell] > max(x.there/2, shown*n.sigma) && sum(n.cells[:dayCell]) <= max(.01*x.there, 3*n.sigma*math.Sqrt(dayCell)) {
			x.Type, x.Written, days = domain.Date, cellkind.DateDigits, append(days, i)
		} else {
			others = append(others, i)
		}
	}
	return others, days
}

// dayOrMonth reads columns whose dates do not tell whether the day is first as those that do, and says so.
func (f *Found) dayOrMonth() {
	proven := func(w cellkind.Written) bool {
		return slices.ContainsFunc(f.Columns, func(c FoundColumn) bool { return c.Written == w && !c.either })
	}
	for i := range f.Columns {
		if x := &f.Columns[i]; x.either {
			first := "day"
			if proven(cellkind.MonthFirst) && !proven(cellkind.DayFirst) {
				x.Written, first = cellkind.MonthFirst, "month"
			}
			x.noted(1, "is 03/04/2024 in March, or in April? Its dates do not tell, and were read with the "+first+" first")
		}
	}
}

// written makes numbers or dates of a column of texts that are written as such; k are the kinds of its cells, and w their
// forms. As for kinds, all other cells together are a hundredth of it, or less than the noise shows.
func (f *FoundColumn) written(k, w noisy) {
	there := sum(k.cells[boolCell:])
	fits := func(own []int, forms ...int) bool {
		n, marked := k.of(own...), w.of(forms...)
		noise := 3 * math.Hypot(k.sigma*math.Sqrt(float64(kindCells-boolCell-len(own))), w.sigma*math.Sqrt(float64(len(forms))))
		return marked > 3*w.sigma*math.Sqrt(float64(len(forms))) && there-n-marked <= max(.01*there, noise) && n+marked > there/2
	}
	// seen reports whether a form has cells that its rival has not.
	seen := func(cells ...int) bool {
		return w.of(cells...) > max(.01*there, 3*w.sigma*math.Sqrt(float64(len(cells))))
	}
	dates, numbers := []int{dateCell, stampCell, zonedCell}, []int{wholeCell, decimalCell}
	switch {
	case fits(numbers, vastCell) && k.cells[decimalCell] > there/2: // whole ones alone are identifiers
		f.Type = domain.Float64
		return
	case fits(numbers, pointCell, commaCell):
		if f.Type, f.Written = domain.Int64, cellkind.PointNumbers; seen(commaCell) {
			f.Written = cellkind.CommaNumbers
		}
		return
	case fits(dates, namedDate, namedStamp):
		f.Written = cellkind.NamedMonth
	case !fits(dates, eitherDate, eitherStamp, dayDate, dayStamp, monthDate, monthStamp):
		return
	case seen(monthDate, monthStamp) && seen(dayDate, dayStamp): // no form reads all of them
		return
	case seen(monthDate, monthStamp):
		f.Written = cellkind.MonthFirst
	default:
		f.Written, f.either = cellkind.DayFirst, !seen(dayDate, dayStamp)
	}
	f.Type = dateType(k.cells[stampCell], k.cells[zonedCell], shown*k.sigma)
	if f.Type == domain.Date && w.of(eitherStamp, dayStamp, monthStamp, namedStamp) > shown*2*w.sigma {
		f.Type = domain.DateTime
	}
}
