package answer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// selected is a column of SELECT, which GROUP BY and ORDER BY can name by its place and by its name.
type selected struct {
	name string // as it is written, or behind AS
	key  *Key   // nil: it is computed
}

func (p *parser) selectedKeys() []selected {
	return slices.DeleteFunc(slices.Clone(p.columns), func(c selected) bool { return c.key == nil })
}

// place returns the column of SELECT that a number stands for.
func (p *parser) place(clause string, s span) (c selected, number, ok bool) {
	if len(s) != 2 || s[0].Quoted {
		return c, false, false
	}
	n, err := strconv.Atoi(s[0].Text)
	if err != nil {
		return c, false, false
	}
	if n < 1 || n > len(p.columns) {
		p.errs.Addf("query: %s %d: want the name of a column of SELECT, or its place, 1 to %d", clause, n, len(p.columns))
		return c, true, false
	}
	return p.columns[n-1], true, true
}

// grouped reads what rows are grouped by: a place or a name in SELECT, or a key of its own.
func (p *parser) grouped(s span) (k Key, ok bool) {
	switch c, number, ok := p.place("GROUP BY", s); {
	case number && ok && c.key == nil:
		p.errs.Addf("query: GROUP BY %s: %s is computed; want a column that is not", s[0].Text, c.name)
		return k, false
	case number && ok:
		return *c.key, true
	case number:
		return k, false
	}
	for _, c := range p.selectedKeys() {
		if len(s) == 2 && s[0].Text == c.name {
			return *c.key, true
		}
	}
	return p.key(s)
}

// datePart returns the part of a date that a function stands for.
func (p *parser) datePart(s span) (step domain.Step, ok bool) {
	if s[0].Is("DATE_TRUNC") || s[0].Is("EXTRACT") {
		return 0, true
	}
	return calendarPart(s[0].Text)
}

// calendarPart returns the step of a part of a date that is a number.
func calendarPart(word string) (step domain.Step, ok bool) {
	switch word = strings.ToLower(word); word {
	case "year", "quarter", "month":
		return domain.ParseStep(word)
	}
	return 0, false
}

// key reads what rows are grouped by.
func (p *parser) key(s span) (k Key, ok bool) {
	k.Name = strings.TrimSpace(p.slice(s))
	if len(s) == 2 && !s[0].Sign {
		k.Column, k.Name = s[0].Text, s[0].Text
		return k, true
	}
	const want = "want a column, BIN(column, width), YEAR(column), QUARTER(column), MONTH(column) or DATE_TRUNC('month', column)"
	n := len(s)
	if k.Name == "" {
		p.errs.Addf("query: a column is missing where the question is cut off; %s", want)
		return k, false
	}
	if n < 5 || !s[1].Is("(") || !s[n-2].Is(")") {
		p.errs.Addf("query: got %.60q among the columns; %s", k.Name, want)
		return k, false
	}
	if k, ok = p.cut(k, s, s[2:n-1].cut(",")); ok && k.Column == "" {
		p.errs.Addf("query: got %.60q among the columns; %s", k.Name, want)
	}
	if k.Part == "quarter" {
		k.Step = domain.Month
	}
	return k, ok && k.Column != ""
}

// cut reads a function that cuts a column. A key without a column is none of them.
func (p *parser) cut(k Key, s span, args []span) (Key, bool) {
	one := func(i int) string {
		if i < len(args) && len(args[i]) == 2 {
			return args[i][0].Text
		}
		return ""
	}
	step, part := p.datePart(s)
	switch {
	case s[0].Is("BIN") && len(args) == 2:
		width, err := strconv.ParseFloat(one(1), 64)
		if k.Column, k.Width = one(0), width; err != nil || !(width > 0) {
			p.errs.Addf("query: %s: want a column and a width above 0, such as BIN(age, 10)", k.Name)
			return k, false
		}
	case s[0].Is("DATE_TRUNC") && len(args) == 2:
		var ok bool
		k.Step, ok = domain.ParseStep(strings.ToLower(one(0)))
		if k.Column = one(1); !ok {
			p.errs.Addf("query: %s: want minute, hour, day, week, month, quarter or year, and a column", k.Name)
			return k, false
		}
	case s[0].Is("EXTRACT") && len(args) == 1 && len(args[0]) == 4 && args[0][1].Is("FROM"):
		k.Part = strings.ToLower(args[0][0].Text)
		var ok bool
		if k.Step, ok = calendarPart(k.Part); !ok {
			p.errs.Addf("query: %s: want YEAR, QUARTER or MONTH", k.Name)
			return k, false
		}
		k.Column = args[0][2].Text
	case part && len(args) == 1:
		k.Column, k.Step, k.Part = one(0), step, strings.ToLower(s[0].Text)
	}
	return k, true
}

// fits reports what keeps a key from its column.
func (k *Key) fits(a *domain.Attribute) error {
	switch {
	case k.Width > 0 && len(a.Cuts) == 0 && len(a.FloatCuts) == 0:
		return fmt.Errorf("%s: the column has no numbers that can be cut; GROUP BY %s", k.Name, k.Column)
	case k.Step > 0 && (len(a.Cuts) == 0 || !k.Step.Fits(a.Type)):
		return fmt.Errorf("%s: the column has no dates or times with such parts; GROUP BY %s", k.Name, k.Column)
	}
	return nil
}

// cuts returns where a key cuts a column.
func (k *Key) cuts(a *domain.Attribute) (ints []int64, floats []float64) {
	switch n := len(a.Cuts); {
	case k.Step > 0:
		if ints = domain.CalendarCuts(a.Type, a.Cuts[0], min(a.Cuts[n-1]+1, a.Type.Facts().Most), k.Step); len(ints) > 0 {
			ints = ints[:len(ints)-1] // the end
		}
	case k.Width > 0 && n > 0:
		width := k.Width * math.Pow10(a.Scale)
		for x := math.Ceil(float64(a.Cuts[0])/width) * width; x <= float64(a.Cuts[n-1]) && len(ints) < mostGroups; x += width {
			ints = append(ints, int64(math.Ceil(x)))
		}
	case k.Width > 0:
		for x := math.Ceil(a.FloatCuts[0]/k.Width) * k.Width; x <= a.FloatCuts[len(a.FloatCuts)-1] && len(floats) < mostGroups; x += k.Width {
			floats = append(floats, x)
		}
	}
	return ints, floats
}

// labels returns the name of the group that a cell is in.
func (k *Key) labels(a *domain.Attribute) func(code domain.Code) string {
	return func(code domain.Code) string {
		lo, _, ok := a.Ends(code)
		low, _, isFloat := a.FloatEnds(code)
		switch {
		case !ok && !isFloat || k.Step == 0 && k.Width == 0:
			return a.Label(code)
		case isFloat:
			return strconv.FormatFloat(math.Floor(low/k.Width)*k.Width, 'g', -1, 64)
		case k.Width > 0:
			return strconv.FormatFloat(math.Floor(float64(lo)/math.Pow10(a.Scale)/k.Width)*k.Width, 'g', 12, 64)
		}
		text := string(a.AppendNative(nil, k.Step.Start(a.Type, lo)))
		month, _ := strconv.Atoi(text[min(5, len(text)):min(7, len(text))])
		switch k.Part {
		case "year":
			return text[:4]
		case "month":
			return strconv.Itoa(month)
		case "quarter":
			return strconv.Itoa((month + 2) / 3)
		}
		return text
	}
}

// mostGroups is the most groups that are answered.
const mostGroups = 2000
