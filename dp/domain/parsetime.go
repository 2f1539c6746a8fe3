package domain

import "strings"

// scanner reads the fields of a date or a time from the left. Once a field is missing the scanner stays failed, so
// that a parser checks once, at its end.
type scanner struct {
	s      string
	failed bool
}

// number reads lo to hi digits.
func (p *scanner) number(lo, hi int) int64 {
	n, i := int64(0), 0
	for ; i < hi && i < len(p.s) && isDigit(p.s[i]); i++ {
		n = n*10 + int64(p.s[i]-'0')
	}
	if i < lo {
		p.failed = true
	}
	p.s = p.s[i:]
	return n
}

// accept drops the next byte if it is one of set.
func (p *scanner) accept(set string) bool {
	if p.s == "" {
		return false
	}
	for i := range len(set) {
		if p.s[0] == set[i] {
			p.s = p.s[1:]
			return true
		}
	}
	return false
}

// expect is accept for a byte that has to be there.
func (p *scanner) expect(set string) {
	if !p.accept(set) {
		p.failed = true
	}
}

// done reports whether everything was read and nothing was missing.
func (p *scanner) done() bool { return !p.failed && p.s == "" }

// between fails unless lo ≤ v ≤ hi, and returns v.
func (p *scanner) between(v, lo, hi int64) int64 {
	if v < lo || v > hi {
		p.failed = true
	}
	return v
}

// date reads YYYY-[M]M-[D]D, or with / for -, as days since 1970-01-01.
func (p *scanner) date() int64 {
	year, mark := p.between(p.number(4, 4), 1, 9999), "-"
	if p.accept("/") {
		mark = "/"
	} else {
		p.expect(mark)
	}
	month := p.between(p.number(1, 2), 1, 12)
	p.expect(mark)
	day := p.number(1, 2)
	if p.failed {
		return 0
	}
	days := civilDay(year, month, day)
	if y, m, d := civilDate(days); y != year || m != month || d != day {
		p.failed = true
	}
	return days
}

// clock reads [H]H:[M]M[:[S]S[.F]] [AM|PM] as microseconds since midnight, rounded down.
func (p *scanner) clock() int64 {
	hour := p.between(p.number(1, 2), 0, 23)
	p.expect(":")
	t := p.between(p.number(1, 2), 0, 59) * 60 * microsPerSecond
	if p.accept(":") {
		t += p.between(p.number(1, 2), 0, 59) * microsPerSecond
		t += p.fraction()
	}
	return p.half(hour)*3600*microsPerSecond + t
}

// half returns the hour of the day for an hour that AM or PM may follow.
func (p *scanner) half(hour int64) int64 {
	s := strings.TrimPrefix(p.s, " ")
	if len(s) < 2 || s[1]|0x20 != 'm' || s[0]|0x20 != 'a' && s[0]|0x20 != 'p' {
		return hour
	}
	p.s = s[2:]
	hour = p.between(hour, 1, 12) % 12
	if s[0]|0x20 == 'p' {
		hour += 12
	}
	return hour
}

// fraction reads an optional decimal fraction of a second in whole microseconds, rounded down.
func (p *scanner) fraction() int64 {
	if !p.accept(".") {
		return 0
	}
	f, n := int64(0), 0
	for ; len(p.s) > 0 && isDigit(p.s[0]); n++ {
		if n < 6 {
			f = f*10 + int64(p.s[0]-'0')
		}
		p.s = p.s[1:]
	}
	if n == 0 {
		p.failed = true
	}
	for ; n < 6; n++ {
		f *= 10
	}
	return f
}

// datetime reads a date and, after a blank or a T, an optional time of day.
func (p *scanner) datetime() int64 {
	t := p.date() * microsPerDay
	if len(p.s) > 1 && isDigit(p.s[1]) && p.accept(" tT") {
		t += p.clock()
	}
	return t
}

// zone reads an optional time zone: Z, UTC, or ±[H]H[[:]MM], and returns its offset, to be subtracted from a local
// time.
func (p *scanner) zone() int64 {
	p.accept(" ")
	switch {
	case p.s == "UTC":
		p.s = ""
		return 0
	case p.s == "" || p.accept("zZ"):
		return 0
	}
	sign := int64(1)
	if !p.accept("+") {
		p.expect("-")
		sign = -1
	}
	offset := p.between(p.number(1, 2), 0, 14) * 3600
	if p.s != "" {
		p.accept(":")
		offset += p.between(p.number(2, 2), 0, 59) * 60
	}
	return sign * offset * microsPerSecond
}

// parseDate reads a date. A time of day has to be midnight, in any zone: some programs write dates as times.
func parseDate(s string) (int64, bool) {
	p := scanner{s: s}
	v := p.date()
	if len(p.s) > 1 && isDigit(p.s[1]) && p.accept(" tT") {
		p.between(p.clock(), 0, 0)
		if p.s != "" && p.s != " " {
			p.zone()
		}
	}
	return v, p.done()
}

func parseTime(s string) (int64, bool) {
	p := scanner{s: s}
	v := p.clock()
	return v, p.done()
}

func parseDateTime(s string) (int64, bool) {
	p := scanner{s: s}
	v := p.datetime()
	return v, p.done()
}

func parseTimestamp(s string) (int64, bool) {
	p := scanner{s: s}
	v := p.datetime()
	if p.s != " " { // a lone blank at the end is not a zone
		v -= p.zone()
	}
	return v, p.done()
}
