package report

import (
	"math"
	"math/big"
	"strings"

	"github.com/dapple-dp/dapple/internal/model/theory"
	"github.com/dapple-dp/dapple/internal/release/report/page"
)

// treeNoise returns the standard deviation of the noise of a difference in the trees from which bins were learned; 0 if
// there are none.
func (p Privacy) treeNoise() float64 {
	for _, l := range p.Ledger {
		if text, ok := strings.CutPrefix(l.Scale, "sigma2="); ok && l.Stage == "trees" {
			if r, ok := new(big.Rat).SetString(text); ok {
				x, _ := r.Float64()
				return math.Sqrt(x)
			}
		}
	}
	return 0
}

// seen writes how many records of one value, or nearly one, are seen by themselves.
func (p Page) seen() string {
	what := p.Privacy.unitNames()
	if p.Privacy.RowsMax > 0 {
		what = "rows"
	}
	return page.Count(theory.LeastSeen*p.Privacy.treeNoise()) + " " + what
}

// unsure returns the columns of numbers whose standard deviation is not known to a tenth, and how many records at one end
// of them are not seen one by one.
func (p Page) unsure() (names []string, records float64) {
	records = math.Round(theory.LeastSeen * p.Privacy.treeNoise())
	share := records / math.Max(p.Privacy.Units.Count, 1)
	if records == 0 || p.Privacy.RowsMax > 0 { // whose rows are not counted
		return nil, 0
	}
	for i := range p.Domain.Attributes {
		a := &p.Domain.Attributes[i]
		if len(a.Runs) > 0 && !a.Type.Facts().Calendar && theory.FarSpread(a.Runs, fineValues(a), share) > theory.UnsureSpread {
			names = append(names, a.Name)
		}
	}
	return names, records
}
