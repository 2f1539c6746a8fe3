package discover

import (
	"bytes"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// The statistics of a column, each with cells of its own. A unit is in one cell of each.
const (
	kindOf      = iota // what the cell is
	placesOf           // decimal places of a number, or how fine a time is
	magnitudeOf        // its sign and power of two
	detailOf           // … and the eighth of that
	yearOf             // of a date, a time or a period
	codeOf             // which well-known code for what is missing or open it is
	formOf             // how people have written a number, a date, a period or a code, in a column of texts
	constantOf         // whether all rows of the person have it
	orderOf            // whether its date is before the next column's, and the dates of the others behind it
	statistics  = orderOf + nextColumns
)

// Cells of kindOf, after NULL.
const (
	nullCell = iota
	markCell // no number, date or truth value, as people write it
	boolCell
	wholeCell
	decimalCell
	dateCell
	stampCell // without a zone
	zonedCell
	clockCell
	textCell
	kindCells
)

// cellOfKind is the cell of each kind in kindOf.
var cellOfKind = [...]int{
	cellkind.Boolean: boolCell, cellkind.Integer: wholeCell, cellkind.Decimal: decimalCell, cellkind.Float: decimalCell,
	cellkind.Date: dateCell, cellkind.DateTime: stampCell, cellkind.Timestamp: zonedCell, cellkind.Clock: clockCell, cellkind.Text: textCell,
}

// Cells of constantOf.
const (
	noRows   = iota // a person with one row says nothing
	constant        // in all rows
	changing
	constantCells
)

const (
	// Decimal places are 0 to 9, or more. Times lie on a day, an hour or a minute, or between two. What is neither comes last.
	dayCell     = cellkind.MaxPlaces + 2
	finerCell   = dayCell + 3
	noPlaces    = finerCell + 1
	placesCells = noPlaces + 1
	// Magnitudes are 0 and ±[2^(j−1), 2^j) for j from leastPower to mostPower; numbers beyond are in the outermost ones.
	leastPower, mostPower = -29, 64
	powers                = mostPower - leastPower + 1
	magnitudeCells        = 2*powers + 2 // and 0, and no number
	details               = 8            // equal parts of a magnitude
	detailCells           = details*(magnitudeCells-1) + 1
	firstYear, lastYear   = 1900, 2100
	yearCells             = lastYear - firstYear + 2 // and no date
	rowsCells             = 33                       // 1, 2, 3 to 4, 5 to 8, …; and none
	exactCells            = 17                       // 1 to 16 rows, one by one, and more
	rowStatistics         = 2
)

// cellsOf are the numbers of cells of the statistics of a column.
var cellsOf = [statistics]int(append([]int{kindCells, placesCells, magnitudeCells, detailCells, yearCells, len(codes) + 1, formCells, constantCells},
	slices.Repeat([]int{orderCells}, nextColumns)...))

// sizes are the numbers of cells of all statistics of a table, column by column, and of the rows of a person, last.
func sizes(columns int) []int {
	list := make([]int, 0, columns*statistics+rowStatistics)
	for range columns {
		list = append(list, cellsOf[:]...)
	}
	return append(list, rowsCells, exactCells)
}

// attribute is the index of a statistic of a column in sizes.
func attribute(column, statistic int) int { return column*statistics + statistic }

// maxCandidate: longer texts are no candidates for values, and all of them are alike.
const maxCandidate = 256

// reader finds the cells of a text in the statistics of a column.
type reader struct {
	Column
	attr domain.Attribute
}

// place finds the cells of a cell, null or text, and the moment of a date; value is whether the text is a candidate.
func (r *reader) place(text []byte, null bool) (cells [constantOf]int, moment int64, value bool) {
	moment = noMoment
	cells = [constantOf]int{nullCell, noPlaces, magnitudeCells - 1, detailCells - 1, yearCells - 1, len(codes)}
	if null || r.Untyped && len(text) == 0 {
		return cells, moment, false
	}
	if _, marked := cellkind.Mark(text); r.Untyped && (marked || cellkind.Impossible(text)) {
		cells[kindOf] = markCell
		return cells, moment, len(text) <= maxCandidate // in a column of texts
	}
	text, kind, ok := r.kind(text)
	if !ok {
		if len(text) > 0 { // no value that can be used
			cells[kindOf] = markCell
		}
		return cells, moment, false
	}
	cells[kindOf] = cellOfKind[kind]
	read, as := text, kind
	if period, year := cellkind.PeriodOf(text); kind == cellkind.Text && period != cellkind.NoPeriod {
		cells[formOf], cells[yearOf] = periodCell+int(period), yearCell(year)
	} else if kind == cellkind.Text && r.Untyped {
		cells[formOf], read, as = form(text)
	}
	if cells[formOf] == plainCell && kind == cellkind.Text && code(text) {
		cells[formOf] = codeCell
	}
	switch as {
	case cellkind.Integer, cellkind.Decimal, cellkind.Float:
		if number(read, &cells); cells[placesOf] == 0 && as == kind { // such as 12.0
			cells[kindOf] = wholeCell
		}
		if v, ok := dayOf(text); ok && r.Untyped && kind == cellkind.Integer {
			at := domain.Date.Time(v)
			cells[placesOf], cells[yearOf], cells[codeOf] = dayCell, yearCell(at.Year()), dateCode(at)
		}
	case cellkind.Date, cellkind.DateTime, cellkind.Timestamp, cellkind.Clock:
		a := domain.Attribute{Type: as.Type()}
		if v, ok := a.ParseNative(string(read)); ok {
			if cells[placesOf] = timeCell(a.Type, v); as != cellkind.Clock {
				at := a.Type.Time(v)
				cells[yearOf], cells[codeOf], moment = yearCell(at.Year()), dateCode(at), at.UnixMicro()
			}
		}
	}
	return cells, moment, len(text) <= maxCandidate && r.category(kind, len(text))
}

// dayOf returns the day that a number of eight digits may stand for, such as 20241231.
func dayOf(text []byte) (day int64, ok bool) {
	if len(text) == len(cellkind.DateDigits) {
		if read, ok := cellkind.DateDigits.Canonical(nil, text, cellkind.LatestShort); ok {
			return (&domain.Attribute{Type: domain.Date}).ParseNative(string(read))
		}
	}
	return 0, false
}

// category reports whether a text of a kind and length can be a category. That is a rule about texts, and not about columns:
// numbers of few digits may be codes, such as postcodes: some begin with 0 and are texts. Dates and times of a day stand
// among words. A column has at most some million of them.
func (r *reader) category(kind cellkind.Kind, length int) bool {
	if !r.Untyped {
		return r.hasValues()
	}
	return kind == cellkind.Text || kind == cellkind.Boolean || kind == cellkind.Date || kind == cellkind.Clock && length <= len("23:59:59") || kind == cellkind.Integer && length <= 6 || kind == cellkind.Decimal && length <= 4
}

// kind classifies a text, by the type of its column if that is public: then as a text of that type, which a cell that cannot
// be used is not.
func (r *reader) kind(text []byte) (plain []byte, kind cellkind.Kind, ok bool) {
	if r.Untyped {
		kind, _ = cellkind.Classify(text)
		return text, kind, true
	}
	switch kind = cellkind.Of(r.Type); kind {
	case cellkind.Text:
		return text, kind, true
	case cellkind.Decimal, cellkind.Float:
		x, ok := domain.ParseFloat(string(text))
		if ok = ok && !math.IsNaN(x); !ok || !r.Values {
			return text, kind, ok
		}
	}
	v, ok := r.attr.ParseNative(string(text))
	if ok {
		text = r.attr.AppendNative(nil, v)
	}
	return text, kind, ok
}

// stepsOfTime are the resolutions that the cells from dayCell on stand for.
var stepsOfTime = [...]string{"day", "hour", "minute", "second"}

// timeCell finds the coarsest step of the clock that a time lies on.
func timeCell(t domain.Type, v int64) int {
	for i, parts := range [...]int64{1, 24, 24 * 60} {
		if day := t.Facts().Day; day < parts || v%(day/parts) == 0 {
			return dayCell + i
		}
	}
	return finerCell
}

// number finds the cells of a number: how many places of it are not 0, its magnitude, and whether it is a code.
func number(text []byte, cells *[constantOf]int) {
	if x, ok := domain.ParseFloat(string(text)); ok && !math.IsInf(x, 0) {
		cells[placesOf], cells[magnitudeOf], cells[detailOf], cells[codeOf] = usedPlaces(text), magnitude(x), detail(x), numberCode(x)
	}
}

// usedPlaces are the decimal places of a number up to the last one that is not 0, at most one more than a NUMERIC has. It
// reads the text alone: a short text such as 1e-300000000 stands for a number that no memory holds.
func usedPlaces(text []byte) int {
	power := 0
	if e := max(bytes.IndexByte(text, 'e'), bytes.IndexByte(text, 'E')); e >= 0 { // a number has one of them at most
		text, power = text[:e], exponent(text[e+1:])
	}
	whole, fraction, _ := bytes.Cut(text, []byte{'.'})
	places := len(bytes.TrimRight(fraction, "0"))
	if places == 0 {
		whole = bytes.TrimLeft(whole, "+-0")
		if len(whole) == 0 {
			return 0
		}
		places = len(bytes.TrimRight(whole, "0")) - len(whole)
	}
	return min(max(places-power, 0), cellkind.MaxPlaces+1)
}

// exponent reads a whole number, and takes one beyond all floats for a large one.
func exponent(text []byte) (n int) {
	for _, c := range bytes.TrimLeft(text, "+-") {
		n = min(10*n+int(c-'0'), 1<<20)
	}
	if text[0] == '-' {
		return -n
	}
	return n
}

// magnitude is the cell of a number in magnitudeOf: negative ones by falling magnitude, 0, and positive ones.
func magnitude(x float64) int {
	if x == 0 {
		return powers
	}
	_, power := math.Frexp(math.Abs(x)) // in [2^(power−1), 2^power)
	at := min(max(power, leastPower), mostPower) - leastPower
	if x < 0 {
		return powers - 1 - at
	}
	return powers + 1 + at
}

// detail is the cell of a number in detailOf.
func detail(x float64) int {
	cell := magnitude(x)
	low, high := within(cell)
	if cell == powers {
		return cell * details
	}
	part := int((x - low) / (high - low) * details)
	if x < 0 { // a cell has its end, and not its beginning
		part = details - 1 - int((high-x)/(high-low)*details)
	}
	return cell*details + min(max(part, 0), details-1)
}

// detailWithin returns the numbers at which a cell of detailOf begins and ends.
func detailWithin(cell int) (low, high float64) {
	low, high = within(cell / details)
	step := (high - low) / details
	return low + step*float64(cell%details), low + step*float64(cell%details+1)
}

// within returns the numbers at which a cell of magnitudeOf begins and ends.
func within(cell int) (low, high float64) {
	switch {
	case cell == powers:
		return 0, 0
	case cell < powers:
		low, high = within(2*powers - cell)
		return -high, -low
	}
	power := cell - powers - 1 + leastPower
	return math.Ldexp(1, power-1), math.Ldexp(1, power)
}

// yearCell is the cell of a year in yearOf.
func yearCell(year int) int { return min(max(year, firstYear), lastYear) - firstYear }

// rowsCell is the cell of a number of rows.
func rowsCell(n uint64) int {
	cell := 0
	for ; cell < rowsCells-2 && n > 1<<cell; cell++ {
	}
	return cell
}
