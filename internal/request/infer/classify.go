package infer

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// kind is what the cells of a column have been so far.
type kind = cellkind.Kind

const (
	none      = cellkind.None
	boolean   = cellkind.Boolean
	integer   = cellkind.Integer
	decimal   = cellkind.Decimal
	float     = cellkind.Float
	date      = cellkind.Date
	datetime  = cellkind.DateTime
	timestamp = cellkind.Timestamp
	clock     = cellkind.Clock
	text      = cellkind.Text
)

// join is the first kind that has room for cells of both.
func join(a, b kind) kind {
	a, b = min(a, b), max(a, b)
	switch {
	case a == b || a == none:
		return b
	case a >= integer && b <= float, a >= date && b <= timestamp:
		return b
	}
	return text
}

var (
	dates  = domain.Attribute{Type: domain.Date}
	wholes = domain.Attribute{Type: domain.Int64}
)
