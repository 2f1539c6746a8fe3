package report

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

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
