package interval

import (
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Drift compares correlations in draws with the model's, around which they are drawn: where noise hides most cells of a pair, what is
// cut off below 0 draws its relation towards none in all draws alike, and no scatter of the draws tells of that.
type Drift struct {
	pairs []domain.Clique
	means [][]float64 // of the cells of the columns
	model []float64
	sum   []float64
	sums  []float64 // of squares
	draws float64
}

// NewDrift returns the comparison with a model, before the first draw.
func NewDrift(d *domain.Domain, m *population.Model) *Drift {
	x := &Drift{means: make([][]float64, len(m.Sizes))}
	for b := range m.Sizes {
		for code := range m.Sizes[b] {
			if mean, _, ok := d.Attributes[b].Moments(domain.Code(code)); ok {
				x.means[b] = append(x.means[b], mean)
			}
		}
		for a := range b {
			if len(x.means[a]) > 2 && len(x.means[b]) > 2 && m.Sizes[a]*m.Sizes[b] < 1<<20 {
				x.pairs = append(x.pairs, domain.Clique{a, b})
			}
		}
	}
	x.pairs = x.pairs[:min(len(x.pairs), mostPairs)]
	for _, c := range x.pairs {
		x.model = append(x.model, x.correlation(m, c))
	}
	x.sum, x.sums = make([]float64, len(x.pairs)), make([]float64, len(x.pairs))
	return x
}

// mostPairs bounds the work of a draw.
const mostPairs = 100

// correlation returns Pearson's r of the numbers of two columns, by the means of their cells; NULL is no number, and stands behind them.
func (x *Drift) correlation(m *population.Model, c domain.Clique) float64 {
	var n, a, b, aa, bb, ab float64
	k := m.Sizes[c[1]]
	for i, w := range m.Marginal(c, nil) {
		if i/k >= len(x.means[c[0]]) || i%k >= len(x.means[c[1]]) {
			continue
		}
		p, q := x.means[c[0]][i/k], x.means[c[1]][i%k]
		n, a, b, aa, bb, ab = n+w, a+w*p, b+w*q, aa+w*p*p, bb+w*q*q, ab+w*p*q
	}
	if v := (n*aa - a*a) * (n*bb - b*b); v > 0 {
		return (n*ab - a*b) / math.Sqrt(v)
	}
	return 0
}

// Add compares one draw more.
func (x *Drift) Add(m *population.Model) {
	x.draws++
	for i, c := range x.pairs {
		r := x.correlation(m, c)
		x.sum[i], x.sums[i] = x.sum[i]+r, x.sums[i]+r*r
	}
}

// Note names the pair that the draws are farthest from the model in, in standard deviations of a draw; none if that is less than driftSigmas.
func (x *Drift) Note(d *domain.Domain) (list []string) {
	worst := driftSigmas
	for i, c := range x.pairs {
		mean := x.sum[i] / x.draws
		sd := math.Sqrt(max(0, x.sums[i]/x.draws-mean*mean))
		if z := math.Abs(mean-x.model[i]) / max(sd, leastDrift/driftSigmas); z > worst {
			worst, list = z, []string{fmt.Sprintf("noise weakens relations in all draws alike, r of %s and %s from %.2f to %.2f: do not trust intervals of correlations and slopes",
				d.Attributes[c[0]].Name, d.Attributes[c[1]].Name, x.model[i], mean)}
		}
	}
	return list
}

const (
	driftSigmas = 1.5
	leastDrift  = .02
)
