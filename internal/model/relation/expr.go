package relation

import (
	"strconv"
	"strings"
	"unicode"
)

// expr is a node of an expression: a constant, a column, a function of one argument, or an operation.
type expr struct {
	op    rune // '#' constant, 'c' column, 'f' function, '~' minus sign, or one of + - * / %
	name  string
	value int64
	args  []*expr
	at    int // position in the text, from 1
}

// parseExpr reads an expression: sums, differences, products, quotients and remainders of columns, whole
// numbers and functions, with parentheses. A column whose name is no word stands in quotes.
func parseExpr(text string) (*expr, error) {
	p := &exprParser{lexer{text: text}}
	if err := p.split("+", "-", "*", "/", "%", "(", ")"); err != nil {
		return nil, err
	}
	e, err := p.sum()
	if err == nil && len(p.tokens) > 1 {
		err = p.fault(p.tokens[0].At, "an operator is needed here, one of + - * / %%")
	}
	return e, err
}

type exprParser struct{ lexer }

func (p *exprParser) sum() (*expr, error)     { return p.chain("+-", p.product) }
func (p *exprParser) product() (*expr, error) { return p.chain("*/%", p.factor) }

func (p *exprParser) chain(ops string, next func() (*expr, error)) (*expr, error) {
	left, err := next()
	for err == nil {
		t := p.tokens[0]
		if !t.Sign || t.Text == "" || !strings.Contains(ops, t.Text) {
			return left, nil
		}
		p.tokens = p.tokens[1:]
		var right *expr
		if right, err = next(); err == nil {
			left = &expr{op: rune(t.Text[0]), args: []*expr{left, right}, at: t.At + 1}
		}
	}
	return nil, err
}

func (p *exprParser) factor() (*expr, error) {
	back, err := p.deeper()
	defer back()
	t := p.tokens[0]
	switch {
	case err != nil:
		return nil, err
	case p.take("-"):
		e, err := p.factor()
		return &expr{op: '~', args: []*expr{e}, at: t.At + 1}, err
	case p.take("("):
		return p.closing(p.sum())
	case t.Sign && t.Text == "":
		return nil, p.fault(t.At, "a column, a whole number or a parenthesis is needed here, not the end")
	case t.Quoted:
		p.tokens = p.tokens[1:]
		return &expr{op: 'c', name: t.Text, at: t.At + 1}, nil
	case !t.Sign && t.Text[0] >= '0' && t.Text[0] <= '9':
		p.tokens = p.tokens[1:]
		v, err := strconv.ParseInt(t.Text, 10, 64)
		if err != nil {
			err = p.fault(t.At, "a whole number below 2^63 is needed")
		}
		return &expr{op: '#', value: v, at: t.At + 1}, err
	case t.Sign || strings.ContainsFunc(t.Text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }):
		return nil, p.fault(t.At, "a column, a whole number or a parenthesis is needed here; a column whose name is no word stands in quotes")
	}
	p.tokens = p.tokens[1:]
	e := &expr{op: 'c', name: t.Text, at: t.At + 1}
	if !p.take("(") {
		return e, nil
	}
	arg, err := p.closing(p.sum())
	e.op, e.args = 'f', []*expr{arg}
	return e, err
}

func (p *exprParser) closing(e *expr, err error) (*expr, error) {
	if err == nil && !p.take(")") {
		err = p.fault(p.tokens[0].At, "a closing parenthesis is missing")
	}
	return e, err
}
