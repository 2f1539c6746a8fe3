package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/internal/relation"
)

// rest reads what is done with the answers.
func (p *parser) rest(q *Query, parts map[string]span) {
	if s, ok := parts["HAVING"]; ok {
		p.having(q, s)
	}
	if s, ok := parts["ORDER"]; ok {
		for _, x := range s.split() {
			o := Order{}
			if n := len(x); n > 2 && (x[n-2].Is("DESC") || x[n-2].Is("ASC")) {
				o.Down, x = x[n-2].Is("DESC"), x[:n-1]
			}
			if o.Text = strings.TrimSpace(p.slice(x)); len(x) == 2 { // a name, which may stand in quotes
				o.Text = x[0].Text
			}
			known := slices.ContainsFunc(q.Keys, func(k Key) bool { return k.Name == o.Text }) ||
				slices.ContainsFunc(q.Items, func(i Item) bool { return i.Name == o.Text || i.text == o.Text })
			if !known {
				p.errs.Addf("query: ORDER BY %.60s: want a column of SELECT or GROUP BY", o.Text)
				continue
			}
			q.Order = append(q.Order, o)
		}
	}
	if s, ok := parts["LIMIT"]; ok {
		n, err := strconv.Atoi(strings.TrimSpace(p.slice(s)))
		if err != nil || n < 1 {
			p.errs.Addf("query: LIMIT %.60s: want a whole number of at least 1", strings.TrimSpace(p.slice(s)))
		}
		q.Limit = n
	}
}

// having reads comparisons of computed columns with numbers, joined by AND.
func (p *parser) having(q *Query, s span) {
	from, depth := 0, 0
	for i, t := range s {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if i < len(s)-1 && !(depth == 0 && t.Is("AND")) {
			continue
		}
		part := s[from : i+1]
		from = i + 1
		at := slices.IndexFunc(part, func(t relation.Token) bool { return t.Sign && strings.ContainsAny(t.Text, "<>=") })
		if at < 1 || at+3 != len(part) {
			p.errs.Addf("query: HAVING %.60s: want comparisons such as COUNT(*) >= 100, joined by AND", strings.TrimSpace(p.slice(part)))
			continue
		}
		c := Comparison{Op: strings.Replace(part[at].Text, "<>", "!=", 1)}
		var err error
		ok := false
		if c.Value, err = strconv.ParseFloat(part[at+1].Text, 64); err != nil {
			p.errs.Addf("query: HAVING: %.60q is not a number", part[at+1].Text)
		}
		if at == 1 { // by the name behind AS
			k := slices.IndexFunc(q.Items, func(i Item) bool { return i.Name == part[0].Text })
			if ok = k >= 0; ok {
				c.Item = q.Items[k]
			} else {
				p.errs.Addf("query: HAVING %.60s: no computed column is called so; put conditions on columns into WHERE", part[0].Text)
			}
		} else {
			c.Item, ok = p.item(part[:at+1])
		}
		if ok {
			q.Having = append(q.Having, c)
		}
	}
}
