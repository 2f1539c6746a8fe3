package relation

import (
	"fmt"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	microsPerSecond = 1_000_000
	secondsPerDay   = 86_400
	microsPerDay    = secondsPerDay * microsPerSecond
)

// part is a function of a date or time.
type part struct {
	name       string
	date, time bool // it needs a date; it needs a time of the day
	lo, hi     int64
	rising     bool                          // a later argument gives no smaller value
	of         func(day, micros int64) int64 // of the day since 1970-01-01 and the microsecond of that day
}

func civil(day int64) (year int, month time.Month, d int) {
	return time.Unix(day*secondsPerDay, 0).UTC().Date()
}

var parts = []part{
	{"year", true, false, 1, 9999, true, func(day, _ int64) int64 { y, _, _ := civil(day); return int64(y) }},
	{"quarter", true, false, 1, 4, false, func(day, _ int64) int64 { _, m, _ := civil(day); return int64(m+2) / 3 }},
	{"month", true, false, 1, 12, false, func(day, _ int64) int64 { _, m, _ := civil(day); return int64(m) }},
	{"day", true, false, 1, 31, false, func(day, _ int64) int64 { _, _, d := civil(day); return int64(d) }},
	{"weekday", true, false, 1, 7, false, func(day, _ int64) int64 { return day + 3 - 7*floorDiv(day+3, 7) + 1 }}, // 1970-01-01 was a Thursday
	{"hour", false, true, 0, 23, false, func(_, micros int64) int64 { return micros / (3600 * microsPerSecond) }},
	{"minute", false, true, 0, 59, false, func(_, micros int64) int64 { return micros / (60 * microsPerSecond) % 60 }},
	{"second", false, true, 0, 59, false, func(_, micros int64) int64 { return micros / microsPerSecond % 60 }},
}

// apply returns a function of a date or time: year, quarter, month, day, weekday (1 is Monday), hour, minute,
// second, or the date of a timestamp. TIMESTAMP is taken in UTC.
func apply(name string, v value) (value, error) {
	facts := v.typ.Facts()
	stamp := facts.Day > 1 && facts.Most >= facts.Day
	if name == "date" && stamp {
		v = (*compiler)(nil).apply('/', v, constant(microsPerDay))
		v.typ = domain.Date
		return v, nil
	}
	f := v.eval
	for _, p := range parts {
		if p.name != name {
			continue
		}
		of := func(x int64) int64 { return p.of(floorDiv(x, microsPerDay), x-microsPerDay*floorDiv(x, microsPerDay)) }
		switch {
		case facts.Day == 1 && p.date:
			of = func(x int64) int64 { return p.of(x, 0) }
		case stamp, v.typ == domain.Time && p.time:
		default:
			return value{}, fmt.Errorf("%s of %s has no meaning", name, kindOf(v))
		}
		out := value{typ: domain.Int64, lo: p.lo, hi: p.hi, column: -1, partial: v.partial, eval: func(columns []domain.Column, row int) (int64, bool) {
			x, ok := f(columns, row)
			return of(x), ok
		}}
		if p.rising || v.typ == domain.Time && name == "hour" {
			out.lo, out.hi = of(v.lo), of(v.hi)
		}
		return out, nil
	}
	return value{}, fmt.Errorf("no function is called %q; there are year, quarter, month, day, weekday, hour, minute and second, and date of a timestamp", name)
}
