package cellkind

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Period is a form of texts that name a part of a year. All texts of a form are public: the table shows the form and the years alone.
type Period uint8

// The forms, from 2024-12 to 2024-W52. Quarters have two.
const (
	NoPeriod Period = iota
	Months
	Quarters
	PlainQuarters
	Weeks
	Periods // how many there are, and none
)

// MostPeriods is the part of the values of a column that has to have one form for all texts of the form to be its values.
const MostPeriods = .9

// marksOfPeriods stand between the year and the number.
var marksOfPeriods = [Periods]string{Months: "-", Quarters: "-Q", PlainQuarters: "Q", Weeks: "-W"}

// PeriodOf returns the form of a text, and its year.
func PeriodOf(text []byte) (p Period, year int) {
	if len(text) < len("2024Q4") || len(text) > len("2024-W52") || text[4] != '-' && text[4] != 'Q' || count(text[:4]) < 4 {
		return NoPeriod, 0 // most numbers end here, and nothing is allocated for them
	}
	year, _ = strconv.Atoi(string(text[:4]))
	for p := Months; p < Periods; p++ {
		number, ok := strings.CutPrefix(string(text[4:]), marksOfPeriods[p])
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= p.most(year) && p.text(year, n) == string(text) {
			return p, year
		}
	}
	return NoPeriod, 0
}

// most is how many a year has.
func (p Period) most(year int) int {
	switch p {
	case Months:
		return 12
	case Weeks:
		_, last := time.Date(year, 12, 28, 0, 0, 0, 0, time.UTC).ISOWeek()
		return last
	}
	return 4
}

func (p Period) text(year, n int) string {
	if p == Months || p == Weeks {
		return fmt.Sprintf("%04d%s%02d", year, marksOfPeriods[p], n)
	}
	return fmt.Sprintf("%04d%s%d", year, marksOfPeriods[p], n)
}

// Texts lists all texts from one year to another, in order.
func (p Period) Texts(first, last int) (list []string) {
	for year := first; year <= last; year++ {
		for n := range p.most(year) {
			list = append(list, p.text(year, n+1))
		}
	}
	return list
}
