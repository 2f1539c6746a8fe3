package plan

import (
	"math"
	"math/big"
	"strings"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/theory"
)

// leastSeen returns how many records with one value, or nearly one, are seen by themselves in columns whose bins are
// learned; 0 without any. The plan's line of trees is for another squared sensitivity.
func (p *Plan) leastSeen() float64 {
	delta := 0.0
	for i := range p.Domain.Attributes {
		if a := &p.Domain.Attributes[i]; a.Learned > 0 {
			delta += float64(query.TreeShape{Values: a.Fine(), Null: a.Null}.L2Squared(p.Problem.Neighbouring))
		}
	}
	for _, l := range p.Charges.Ledger {
		if l.Stage != "trees" {
			continue
		}
		variance, ok := ratio(l.Scale, "sigma2=")
		unit, known := ratio(l.Sensitivity, "l2squared=")
		if ok && known {
			return theory.LeastSeen * math.Sqrt(variance*delta/unit)
		}
	}
	return 0
}

// ratio reads a number behind a word.
func ratio(text, word string) (float64, bool) {
	digits, ok := strings.CutPrefix(text, word)
	r, known := new(big.Rat).SetString(digits)
	if !ok || !known {
		return 0, false
	}
	x, _ := r.Float64()
	return x, true
}
