package answer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// rest reads what is done with the answers.
func (p *parser) rest(q *Query, parts map[string]span) {
	if s, ok := parts["HAVING"]; ok {
		p.having(q, s)
	}
	if s, ok := parts["ORDER"]; ok {
		for _, x := range s.cut(",") {
			o := Order{}
			if n := len(x); n > 2 && (x[n-2].Is("DESC") || x[n-2].Is("ASC")) {
				o.Down, x = x[n-2].Is("DESC"), x[:n-1]
			}
			if o.Text = strings.TrimSpace(p.slice(x)); len(x) == 2 { // a name, which may stand in quotes
				o.Text = x[0].Text
			}
			switch c, number, ok := p.place("ORDER BY", x); {
			case number && ok:
				o.Text = c.name
			case number:
				continue
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
	for _, part := range s.cut("AND") {
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

// row is the answers about a group.
type row struct {
	group   *group
	answers []Answer
}

// arrange sorts the rows and cuts their list.
func (v *view) arrange(rows []row) (out []Answer) {
	slices.SortStableFunc(rows, func(a, b row) int {
		for _, o := range v.q.Order {
			c := v.compare(o.Text, a, b)
			if o.Down {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	if v.q.Limit > 0 && len(rows) > v.q.Limit {
		rows = rows[:v.q.Limit]
	}
	for _, r := range rows {
		out = append(out, r.answers...)
	}
	return out
}

// compare compares two rows by a column: by what is computed, or by a key as SQL orders its type. Parts of dates are numbers.
func (v *view) compare(column string, a, b row) int {
	if k := slices.IndexFunc(v.q.Items, func(i Item) bool { return i.Name == column || i.text == column }); k >= 0 {
		return cmp.Compare(a.answers[k].Value, b.answers[k].Value)
	}
	k := slices.IndexFunc(v.q.Keys, func(k Key) bool { return k.Name == column })
	one, other := a.group.labels[k], b.group.labels[k]
	at := v.keys[k].column
	switch {
	case v.q.Keys[k].Part != "":
		return cmp.Or(cmp.Compare(len(one), len(other)), strings.Compare(one, other))
	case v.attrs[v.columns[at]].Type == domain.String:
		return strings.Compare(one, other)
	}
	return cmp.Compare(a.group.pieces[0].codes[at], b.group.pieces[0].codes[at])
}
