package relation

import "github.com/dapple-dp/dapple/dp/domain"

// Formula returns what computes the values of an expression over the attributes, in their native unit, from columns as Columns
// returns them. None that it needs may be NULL.
func (p *Plan) Formula(text string) (value func(columns []domain.Column, row int) int64, err error) {
	e, err := parseExpr(text)
	if err != nil {
		return nil, err
	}
	v, err := (&compiler{p: p}).compile(e)
	return v.eval, err
}
