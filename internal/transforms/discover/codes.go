package discover

import (
	"math"
	"strings"
	"time"
)

// sentinel is a number or a day that people write for what is missing, unknown or open. The list is public: it is made of no
// table. A code that stands out of the noise, far from all else, is a value of its own, and not an end of the range.
type sentinel struct {
	text   string
	number float64
	date   bool      // and no number; the zero time is a day, too
	day    time.Time // of a date
	last   bool      // the last second of that day
}

// codes are all of them, in the order of the cells of codeOf.
var codes = func() (list []sentinel) {
	known := map[float64]bool{}
	number := func(text string, x float64) {
		for _, sign := range []string{"", "-"} {
			if !known[x] {
				known[x] = true
				list = append(list, sentinel{text: sign + text, number: x})
			}
			x = -x
		}
	}
	for length := 1; length <= 18; length++ {
		for _, digit := range "987654321" {
			if length == 1 && digit != '9' {
				continue
			}
			text := strings.Repeat(string(digit), length)
			number(text, parsed(text))
			if digit == '9' && length < 13 {
				number(text+".9", parsed(text+".9"))
				number(text+".99", parsed(text+".99"))
			}
		}
		number("1"+strings.Repeat("0", length), math.Pow10(length))
	}
	for _, text := range []string{"1", "32767", "32768", "65535", "2147483647", "2147483648", "4294967295", "123456789", "1234567890", "12345678", "1234567"} {
		number(text, parsed(text))
	}
	list = append(list, sentinel{text: "9223372036854775807", number: 0x1p63}, sentinel{text: "-9223372036854775808", number: -0x1p63})
	for _, text := range strings.Fields(dateCodes) {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			panic("discover: a code is no day")
		}
		list = append(list, sentinel{text: text, date: true, day: day}, sentinel{text: text, date: true, day: day, last: true})
	}
	return list
}()

// dateCodes are days that stand for none: the ends of the calendars of programs, and round ones.
const dateCodes = "0001-01-01 1000-01-01 1111-11-11 1582-10-15 1677-09-21 1700-01-01 1753-01-01 1800-01-01 1899-12-30 1899-12-31 1900-01-01 1900-12-31 1901-01-01 1904-01-01 1970-01-01 " +
	"2037-12-31 2038-01-19 2049-12-31 2050-01-01 2050-12-31 2078-12-31 2079-06-06 2099-01-01 2099-12-31 2100-01-01 2100-12-31 2199-12-31 2200-01-01 2222-02-22 2222-12-31 2262-04-11 2299-12-31 2300-12-31 " +
	"2500-01-01 2999-12-31 3000-01-01 3000-12-31 4000-01-01 4712-12-31 5000-01-01 8888-08-08 8888-12-31 9000-01-01 9999-01-01 9999-09-09 9999-12-01 9999-12-30 9999-12-31"

func parsed(text string) float64 {
	x, _ := decimal(text).Float64()
	return x
}

var (
	codeByNumber = map[float64]int{}
	codeByDay    = map[time.Time]int{} // of the first second; the last one's is the next
)

func init() {
	for i, c := range codes {
		switch {
		case !c.date:
			codeByNumber[c.number] = i
		case !c.last:
			codeByDay[c.day] = i
		}
	}
}

// seenCodes are the cells of codes of a kind that stand out of the noise.
func (n noisy) seenCodes(are func(sentinel) bool) (list []int) {
	z := quantile(firstFalse / float64(len(codes)))
	for i, x := range n.cells {
		if i < len(codes) && are(codes[i]) && x > z*n.sigma {
			list = append(list, i)
		}
	}
	return list
}

// numberCode is the cell of a number in codeOf.
func numberCode(x float64) int {
	if i, ok := codeByNumber[x]; ok {
		return i
	}
	return len(codes)
}

// dateCode is the cell of a date or time in codeOf.
func dateCode(t time.Time) int {
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	i, ok := codeByDay[day]
	switch inside := t.Sub(day); {
	case !ok || inside > 0 && inside < 24*time.Hour-time.Second:
		return len(codes)
	case inside > 0:
		return i + 1
	}
	return i
}
