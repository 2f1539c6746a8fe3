package report

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
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

// RowsSD returns the standard deviation of the number of rows of as many people as units, drawn from the model, as a part
// of that number; 0 for a domain without events.
func RowsSD(d *domain.Domain, m *population.Model, units float64) float64 {
	if d.Events == nil {
		return 0
	}
	cuts, people, mean, square := d.Attributes[d.Events.Columns].Cuts, 0.0, 0.0, 0.0
	for b, n := range m.Marginal(domain.Clique{d.Events.Columns}, nil) {
		rows := float64(cuts[b]+max(cuts[b], cuts[b+1]-1)) / 2
		people += n
		mean += float64(n * rows)
		square += float64(n * rows * rows)
	}
	if mean == 0 {
		return 0
	}
	return math.Sqrt(max(square*people/(mean*mean)-1, 0) / max(units, 1))
}

// fewRowsSD is the least RowsSD that is told.
const fewRowsSD = .02

// fewPeople says that a few people have a good part of all rows; it is empty if they have not.
func (p Privacy) fewPeople() string {
	if p.RowsSD < fewRowsSD {
		return ""
	}
	return fmt.Sprintf("few people have a good part of all rows: as many others like them would have %.0f %% more or fewer (one standard deviation)", 100*p.RowsSD)
}
