package plan

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/plan/theory"
)

// leastSeen returns how many records with one value, or nearly one, are seen by themselves in columns whose bins are
// learned; 0 if there are none. The plan's line of trees is for another squared sensitivity.
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

// writeRare says what the noise hides of columns whose bins are learned.
func writeRare(b *strings.Builder, p *Plan) {
	if n := p.leastSeen(); n > 0 && p.Problem.Domain.Events == nil {
		fmt.Fprintf(b, "          in columns with learned bins noise hides any value that fewer than about %.0f units have: a standard deviation "+
			"that depends on such values may be off by a tenth or more, and is too small if it depends on very few\n", n)
	}
}
