package domain

import "time"

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86_400 * microsPerSecond

	minDay = -719_162  // 0001-01-01, in days since 1970-01-01
	maxDay = 2_932_896 // 9999-12-31
)

// civilDay returns the days from 1970-01-01 to a day of the proleptic Gregorian calendar. It counts
// from the first of March, so that the leap day is the last of its year.
func civilDay(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + day - 1
	return era*146_097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719_468
}

// civilDate is the inverse of civilDay.
func civilDate(days int64) (year, month, day int64) {
	days += 719_468
	era := floorDiv(days, 146_097)
	d := days - era*146_097
	ofEra := (d - d/1460 + d/36_524 - d/146_096) / 365
	ofYear := d - (365*ofEra + ofEra/4 - ofEra/100)
	m := (5*ofYear + 2) / 153
	day = ofYear - (153*m+2)/5 + 1
	year, month = ofEra+era*400, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}

// civilMicros returns t's wall clock as microseconds since 1970-01-01 00:00:00 without a zone.
func civilMicros(t time.Time) int64 {
	y, m, d := t.Date()
	return civilDay(int64(y), int64(m), int64(d))*microsPerDay + clockMicros(t)
}

// clockMicros returns t's wall clock as microseconds since midnight.
func clockMicros(t time.Time) int64 {
	h, m, s := t.Clock()
	return int64(h*3600+m*60+s)*microsPerSecond + int64(t.Nanosecond()/1000)
}

// wallDay returns the day of t's wall clock since 1970-01-01.
func wallDay(t time.Time) int64 { return floorDiv(civilMicros(t), microsPerDay) }

// dayTime returns midnight of a day since 1970-01-01.
func dayTime(days int64) time.Time { return time.Unix(days*86_400, 0).UTC() }

// microTime returns the time that is so many microseconds after 1970-01-01.
func microTime(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// floorDiv returns ⌊a/b⌋ for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// ceilDiv returns ⌈a/b⌉ for b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}
