package relation

import (
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// The words of a condition are SQL's: OR, AND, NOT, parentheses; comparisons, IN, BETWEEN and IS NULL.

type whereParser struct {
	lexer
	d *domain.Domain
}

func (p *whereParser) all() (term, error) {
	if err := p.split("<=", ">=", "!=", "<>", "=", "<", ">", "(", ")", ","); err != nil {
		return nil, err
	}
	t, err := p.either()
	if err == nil && len(p.tokens) > 1 {
		err = p.fault(p.tokens[0].At, "got %s; want AND, OR or the end; a value of several words stands in quotes", p.next())
	}
	return t, err
}

func (p *whereParser) either() (term, error) { return p.chain("OR", p.both) }
func (p *whereParser) both() (term, error)   { return p.chain("AND", p.negated) }

func (p *whereParser) chain(word string, next func() (term, error)) (term, error) {
	first, err := next()
	list := []term{first}
	for err == nil && p.take(word) {
		var t term
		t, err = next()
		list = append(list, t)
	}
	if err != nil || len(list) == 1 {
		return first, err
	}
	return joined{or: word == "OR", terms: list}, nil
}

func (p *whereParser) negated() (term, error) {
	back, err := p.deeper()
	defer back()
	switch {
	case err != nil:
		return nil, err
	case p.take("NOT"):
		t, err := p.negated()
		return negation{t}, err
	case p.take("("):
		t, err := p.either()
		if err == nil && !p.take(")") {
			err = p.fault(p.tokens[0].At, "got %s; want AND, OR or a closing parenthesis", p.next())
		}
		return t, err
	}
	return p.comparison()
}

// comparison reads a column and what is asked of it.
func (p *whereParser) comparison() (term, error) {
	name := p.tokens[0]
	if name.Sign {
		return nil, p.fault(name.At, "got %s; want a column, one of = != < <= > >=, IN or BETWEEN, and values; or: column IS NULL", p.next())
	}
	p.tokens = p.tokens[1:]
	column, err := p.column(name)
	if err != nil {
		return nil, err
	}
	if p.take("IS") {
		not := p.take("NOT")
		if !p.take("NULL") {
			return nil, p.fault(p.tokens[0].At, "got %s; want NULL", p.next())
		}
		return p.not(not, isNull{column}), nil
	}
	not, at := p.take("NOT"), p.tokens[0].At
	var ops, values []string
	switch {
	case p.take("IN"):
		if values, err = p.list(); err != nil {
			return nil, err
		}
		for range values {
			ops = append(ops, "=")
		}
	case p.take("BETWEEN"):
		ops, values = []string{">=", "<="}, make([]string, 2)
		if values[0], err = p.value(); err != nil {
			return nil, err
		}
		if !p.take("AND") {
			return nil, p.fault(p.tokens[0].At, "got %s; want AND and the upper end of BETWEEN", p.next())
		}
		if values[1], err = p.value(); err != nil {
			return nil, err
		}
	case !not && p.tokens[0].Sign && strings.ContainsAny(p.tokens[0].Text, "=<>"):
		ops, values = []string{strings.Replace(p.tokens[0].Text, "<>", "!=", 1)}, make([]string, 1)
		p.tokens = p.tokens[1:]
		if values[0], err = p.value(); err != nil {
			return nil, err
		}
	default:
		return nil, p.fault(at, "got %s; want one of = != < <= > >=, IN, BETWEEN, IS NULL behind the column %q", p.next(), name.Text)
	}
	var terms []term
	for i, value := range values {
		t, err := compare(&p.d.Attributes[column], column, ops[i], value)
		switch {
		case err != nil && p.d.Index(value) >= 0:
			return nil, p.fault(name.At, "column %q: %q is a column; conditions compare a column with values", name.Text, value)
		case err != nil:
			return nil, p.fault(name.At, "column %q: %v", name.Text, err)
		}
		terms = append(terms, t)
	}
	return p.not(not, joined{or: ops[0] == "=", terms: terms}), nil
}

func (p *whereParser) not(not bool, t term) term {
	if not {
		return negation{t}
	}
	return t
}

// column returns the attribute of a name.
func (p *whereParser) column(name Token) (int, error) {
	i := p.d.Index(name.Text)
	if i >= 0 {
		return i, nil
	}
	for _, c := range p.d.Derived {
		if c.Column.Name == name.Text {
			return 0, p.fault(name.At, "column %q is computed from others; put the condition on those", name.Text)
		}
	}
	if of := p.d.GapNames(name.Text); of != nil {
		return 0, p.fault(name.At, "column %q is computed from %s, and no cell of the model holds it; put the condition on those, or release the column itself by gaps: false", name.Text, strings.Join(of, " and "))
	}
	for _, g := range p.d.Generated {
		if g.Column == name.Text {
			return 0, p.fault(name.At, "column %q is generated, and no condition holds for some of its values alone", name.Text)
		}
	}
	return 0, p.fault(name.At, "no column is called %q; the columns are %s", name.Text, strings.Join(p.d.Names(), ", "))
}

// value takes one value.
func (p *whereParser) value() (string, error) {
	t := p.tokens[0]
	switch {
	case t.Is("="):
		return "", p.fault(t.At, "got a second =; write one")
	case t.Sign:
		return "", p.fault(t.At, "got %s; want a value", p.next())
	case t.Is("NULL"):
		return "", p.fault(t.At, "no comparison with NULL is met; write IS NULL")
	}
	p.tokens = p.tokens[1:]
	return t.Text, nil
}

// list takes values in parentheses.
func (p *whereParser) list() (values []string, err error) {
	if !p.take("(") {
		return nil, p.fault(p.tokens[0].At, "got %s; want values in parentheses behind IN, such as (a, b)", p.next())
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		if p.take(")") {
			return values, nil
		}
		if !p.take(",") {
			return nil, p.fault(p.tokens[0].At, "got %s; want a comma or a closing parenthesis", p.next())
		}
	}
}
