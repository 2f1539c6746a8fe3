package relation

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
// numbers and functions, with parentheses. A column whose name is no word stands in double quotes.
func parseExpr(text string) (*expr, error) {
	p := &exprParser{text: text}
	e, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.at < len(text) {
		return nil, p.fault("an operator is needed here, one of + - * / %%")
	}
	return e, nil
}

// maxDepth bounds the nesting of an expression.
const maxDepth = 100

type exprParser struct {
	text  string
	at    int
	depth int
}

func (p *exprParser) fault(format string, args ...any) error {
	return fmt.Errorf("character %d: %s", utf8.RuneCountInString(p.text[:p.at])+1, fmt.Sprintf(format, args...))
}

func (p *exprParser) blanks() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// operator takes one of the given operators, or returns 0.
func (p *exprParser) operator(ops string) rune {
	p.blanks()
	if p.at < len(p.text) && strings.IndexByte(ops, p.text[p.at]) >= 0 {
		p.at++
		return rune(p.text[p.at-1])
	}
	return 0
}

func (p *exprParser) sum() (*expr, error)     { return p.chain("+-", p.product) }
func (p *exprParser) product() (*expr, error) { return p.chain("*/%", p.factor) }

func (p *exprParser) chain(ops string, next func() (*expr, error)) (*expr, error) {
	left, err := next()
	for err == nil {
		at := p.at
		op := p.operator(ops)
		if op == 0 {
			return left, nil
		}
		var right *expr
		if right, err = next(); err == nil {
			left = &expr{op: op, args: []*expr{left, right}, at: at + 1}
		}
	}
	return nil, err
}

func (p *exprParser) factor() (*expr, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fault("more than %d levels of parentheses and signs", maxDepth)
	}
	defer func() { p.depth-- }()
	at := p.at
	switch {
	case p.operator("-") != 0:
		e, err := p.factor()
		return &expr{op: '~', args: []*expr{e}, at: at + 1}, err
	case p.operator("(") != 0:
		return p.closing(p.sum())
	}
	if p.at == len(p.text) {
		return nil, p.fault("a column, a whole number or a parenthesis is needed here, not the end")
	}
	switch c := p.text[p.at]; {
	case c >= '0' && c <= '9':
		return p.number()
	case c == '"':
		return p.quoted()
	}
	return p.word()
}

func (p *exprParser) closing(e *expr, err error) (*expr, error) {
	if err == nil && p.operator(")") == 0 {
		err = p.fault("a closing parenthesis is missing")
	}
	return e, err
}

func (p *exprParser) number() (*expr, error) {
	from := p.at
	for p.at < len(p.text) && (p.text[p.at] >= '0' && p.text[p.at] <= '9' || p.text[p.at] == '.') {
		p.at++
	}
	v, err := strconv.ParseInt(p.text[from:p.at], 10, 64)
	if err != nil {
		p.at = from
		return nil, p.fault("a whole number below 2^63 is needed")
	}
	return &expr{op: '#', value: v, at: from + 1}, nil
}

func (p *exprParser) quoted() (*expr, error) {
	n := strings.IndexByte(p.text[p.at+1:], '"')
	if n < 0 {
		return nil, p.fault("the quote is not closed")
	}
	e := &expr{op: 'c', name: p.text[p.at+1 : p.at+1+n], at: p.at + 1}
	p.at += n + 2
	return e, nil
}

// word reads a column, or a function and its argument.
func (p *exprParser) word() (*expr, error) {
	from := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if r != '_' && !unicode.IsLetter(r) && !(unicode.IsDigit(r) && p.at > from) {
			break
		}
		p.at += size
	}
	e := &expr{op: 'c', name: p.text[from:p.at], at: from + 1}
	if p.at == from {
		return nil, p.fault("a column, a whole number or a parenthesis is needed here; a column whose name is no word stands in double quotes")
	}
	if p.operator("(") == 0 {
		return e, nil
	}
	arg, err := p.closing(p.sum())
	e.op, e.args = 'f', []*expr{arg}
	return e, err
}
