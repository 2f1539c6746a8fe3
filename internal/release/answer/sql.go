package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// Query is a question in SQL. What it names is looked up when it is answered.
type Query struct {
	Items  []Item // that are computed, in the order of the text
	Table  string // rows or people
	Where  string // empty: everybody
	Keys   []Key  // of groups
	Having []Comparison
	Order  []Order
	Limit  int // 0: none
}

// Item is a computed column.
type Item struct {
	Name string // as it is written, or behind AS
	text string
	Top  Aggregate
	Down *Aggregate // that Top is divided by; nil: by nothing
}

// Aggregate is a function of the rows of a group.
type Aggregate struct {
	Function string // one of functions
	Column   string // empty: none
	Level    float64
	Where    string // of SHARE
}

// Key is what rows are grouped by: a column, cells of the given width, or a part of a date.
type Key struct {
	Name   string
	Column string
	Width  float64     // of BIN; 0: none
	Step   domain.Step // of the calendar; 0: none
	Part   string      // year, quarter or month as a number; empty: cells of the calendar
}

// Comparison is a condition of HAVING.
type Comparison struct {
	Item  Item
	Op    string
	Value float64
}

// Order is an item or a key to sort by.
type Order struct {
	Text string
	Down bool
}

// functions that are sums over rows, or follow from a few of them.
var functions = map[string]string{
	"COUNT": "COUNT", "SUM": "SUM", "AVG": "AVG", "MEAN": "AVG", "SHARE": "SHARE", "MEDIAN": "QUANTILE", "QUANTILE": "QUANTILE", "QUANTILE_CONT": "QUANTILE",
	"VARIANCE": "VARIANCE", "VAR_SAMP": "VARIANCE", "VAR_POP": "VARIANCE", "STDDEV": "STDDEV", "STDDEV_SAMP": "STDDEV", "STDDEV_POP": "STDDEV",
}

// others are functions of SQL that are not, and what to ask in their place.
var others = map[string]string{
	"MIN": "depends on one person; ask for QUANTILE(column, 0.01)", "MAX": "depends on one person; ask for QUANTILE(column, 0.99)",
	"CORR": "is no ratio of two sums; compute it from rows of dapple sample, without an interval", "COVAR_POP": "is no ratio of two sums; compute it from rows of dapple sample, without an interval",
	"REGR_SLOPE": "is no ratio of two sums; compute it from rows of dapple sample, without an interval",
	"MODE":       "is no ratio of two sums; GROUP BY the column, ORDER BY COUNT(*) DESC",
}

// clauses that one table has no answer to, and what to ask in their place.
var clauses = map[string]string{
	"JOIN": "a release is one table; leave the join out", "UNION": "ask two queries", "DISTINCT": "GROUP BY the columns in its place", "OVER": "windows are not computed; GROUP BY columns",
	"CASE": "put the condition into WHERE or SHARE(condition)", "WITH": "ask one SELECT of one table", "INTERSECT": "ask two queries", "EXCEPT": "ask two queries",
}

// Parse reads SELECT … FROM rows [WHERE …] [GROUP BY …] [HAVING …] [ORDER BY …] [LIMIT …]. The error lists all faults.
func Parse(text string) (*Query, error) {
	tokens, err := relation.Tokens(text, "<=", ">=", "!=", "<>", "=", "<", ">", "(", ")", ",", "*", "/", ";")
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	p := &parser{text: text, tokens: tokens}
	q := &Query{}
	parts := p.clauses()
	for _, t := range tokens {
		if fix, ok := clauses[strings.ToUpper(t.Text)]; ok && !t.Quoted && !p.inWhere(t.At) {
			p.errs.Addf("query: %s is not answered: %s", strings.ToUpper(t.Text), fix)
		}
	}
	if p.errs.Err() != nil {
		return nil, p.errs.Err()
	}
	for _, x := range parts["SELECT"].cut(",") {
		p.selected(q, x)
	}
	p.from(q, parts["FROM"])
	if w, ok := parts["WHERE"]; ok {
		q.Where = strings.TrimSpace(p.slice(w))
	}
	if _, ok := parts["GROUP"]; ok {
		for _, x := range parts["GROUP"].cut(",") {
			if k, ok := p.grouped(x); ok {
				q.Keys = append(q.Keys, k)
			}
		}
	}
	for _, k := range p.selectedKeys() {
		i := slices.IndexFunc(q.Keys, func(o Key) bool { return o.Name == k.name || o.Name == k.key.Name })
		if i < 0 {
			p.errs.Addf("query: %s is neither computed nor grouped by; add GROUP BY %s", k.key.Name, k.key.Name)
			continue
		}
		q.Keys[i].Name = k.name
	}
	p.rest(q, parts)
	if len(q.Items) == 0 && p.errs.Err() == nil {
		p.errs.Addf("query: nothing is computed; ask for COUNT(*), SUM, AVG, SHARE, VARIANCE or QUANTILE of a column")
	}
	return q, p.errs.Err()
}

type parser struct {
	text        string
	tokens      []relation.Token
	where, till int
	columns     []selected
	errs        errtext.Errors
}

// span is a part of the tokens.
type span []relation.Token

// words that begin clauses, in their order.
var words = []string{"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"}

func (p *parser) inWhere(at int) bool { return p.where <= at && at < p.till }

func (p *parser) slice(s span) string {
	if len(s) < 2 {
		return ""
	}
	return p.text[s[0].At:s[len(s)-1].At]
}

// clauses cuts the tokens into clauses. Each ends with the token that follows it.
func (p *parser) clauses() map[string]span {
	out, from, name, depth, place := map[string]span{}, 0, "", 0, -1
	end := func(i int) {
		if name != "" {
			if out[name] = p.tokens[from : i+1]; name == "WHERE" {
				p.where, p.till = p.tokens[from].At, p.tokens[i].At
			}
		}
	}
	for i, t := range p.tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case i == len(p.tokens)-1 || t.Is(";") && i == len(p.tokens)-2:
			end(i)
			name = ""
		case depth == 0 && !t.Quoted:
			k := slices.Index(words, strings.ToUpper(t.Text))
			next, by := p.tokens[i+1], t.Is("GROUP") || t.Is("ORDER")
			if by && !next.Is("BY") && (name == "SELECT" || next.Sign && i < len(p.tokens)-2 || i > 0 && p.tokens[i-1].Is("BY")) { // a column is called that
				continue
			}
			if k > place {
				end(i)
				if from, name, place = i+1, words[k], k; by && next.Is("BY") {
					from++
				}
			}
		}
	}
	if !p.tokens[0].Is("SELECT") || out["FROM"] == nil {
		p.errs.Addf("query: got %.60q; want SELECT … FROM rows, such as SELECT COUNT(*) FROM rows WHERE age >= 40", p.text)
	}
	return out
}

// cut cuts a span at a word or sign outside of parentheses. Each part ends with the token that follows it.
func (s span) cut(at string) (out []span) {
	depth, from := 0, 0
	for i, t := range s {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if i == len(s)-1 || depth == 0 && t.Is(at) {
			out = append(out, s[from:i+1])
			from = i + 1
		}
	}
	return out
}

func (p *parser) from(q *Query, s span) {
	names := s.cut(",")
	if len(names) > 1 {
		p.errs.Addf("query: FROM names %d tables, and a release is one; write FROM rows", len(names))
		return
	}
	q.Table = strings.ToLower(s[0].Text)
	if len(s) != 2 || q.Table != "rows" && q.Table != "people" {
		p.errs.Addf("query: no table is called %.60q; a release has rows, and people if a person has many", strings.TrimSpace(p.slice(s)))
	}
}

// selected reads a column of SELECT.
func (p *parser) selected(q *Query, s span) {
	name := ""
	if n := len(s); n > 3 && s[n-3].Is("AS") {
		name, s = s[n-2].Text, s[:n-2]
	}
	if len(s) > 2 && s[1].Is("(") {
		if _, part := p.datePart(s); !part && !s[0].Is("BIN") {
			if it, ok := p.item(s); ok {
				if name != "" {
					it.Name = name
				}
				q.Items = append(q.Items, it)
				p.columns = append(p.columns, selected{name: it.Name})
			}
			return
		}
	}
	if len(s) == 2 && s[0].Is("*") {
		p.errs.Addf("query: SELECT * would be rows; draw them by dapple sample")
		return
	}
	if k, ok := p.key(s); ok {
		p.columns = append(p.columns, selected{cmp.Or(name, k.Name), &k})
	}
}

// item reads an aggregate, or a quotient of two.
func (p *parser) item(s span) (it Item, ok bool) {
	it.text = strings.TrimSpace(p.slice(s))
	it.Name = it.text
	top := s.cut("/")[0]
	if len(top) == len(s) {
		it.Top, ok = p.aggregate(s)
		return it, ok
	}
	down, okDown := p.aggregate(s[len(top):])
	it.Top, ok = p.aggregate(top)
	it.Down = &down
	for _, a := range []Aggregate{it.Top, down} {
		if ok && okDown && a.Function != "COUNT" && a.Function != "SUM" {
			p.errs.Addf("query: %s: only COUNT and SUM can be divided", it.text)
			return it, false
		}
	}
	return it, ok && okDown
}

// aggregate reads one function; s ends with the token behind it.
func (p *parser) aggregate(s span) (a Aggregate, ok bool) {
	text, word := strings.TrimSpace(p.slice(s)), strings.ToUpper(s[0].Text)
	n := len(s)
	if n < 5 || !s[1].Is("(") || !s[n-2].Is(")") {
		p.errs.Addf("query: %.60q is not computed; ask for COUNT(*), or SUM, AVG, VARIANCE, STDDEV, MEDIAN or QUANTILE of one column, or SHARE(condition)", text)
		return a, false
	}
	if why, ok := others[word]; ok {
		p.errs.Addf("query: %s %s", text, why)
		return a, false
	}
	a.Function = functions[word]
	args := s[2 : n-1].cut(",")
	star := len(args) == 1 && len(args[0]) == 2 && args[0][0].Is("*")
	switch {
	case a.Function == "":
		p.errs.Addf("query: no function is called %.60q; ask for COUNT, SUM, AVG, SHARE, VARIANCE, STDDEV, MEDIAN or QUANTILE", s[0].Text)
		return a, false
	case a.Function == "SHARE":
		if a.Where = strings.TrimSpace(p.slice(s[2 : n-1])); star {
			a.Where = ""
		}
		return a, true
	case star && a.Function == "COUNT":
		return a, true
	}
	return a, p.column(&a, text, word, args)
}

// column reads the column that a function is of, and the level of a quantile.
func (p *parser) column(a *Aggregate, text, word string, args []span) bool {
	one := len(args[0]) == 2
	switch {
	case word == "QUANTILE" || word == "QUANTILE_CONT":
		level, err := 0.0, error(nil)
		if len(args) == 2 && len(args[1]) == 2 {
			level, err = strconv.ParseFloat(args[1][0].Text, 64)
		}
		if err != nil || !(level > 0 && level < 1) || !one {
			p.errs.Addf("query: %s: want a column and a level between 0 and 1, such as QUANTILE(income, 0.9)", text)
			return false
		}
		a.Level = level
	case len(args) != 1 || !one:
		p.errs.Addf("query: %s: want one column, as in %s(income)", text, word)
		return false
	case word == "MEDIAN":
		a.Level = .5
	}
	a.Column = args[0][0].Text
	return true
}
