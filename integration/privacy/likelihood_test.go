package privacy

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
)

// logTranscript returns the logarithm of the probability of everything that a run received, on a table, up to a term
// that is equal on all tables of one relation. Of the releases it takes what they say of themselves: their variance.
func logTranscript(calls []mechanism.Call, t table) (sum float64) {
	for _, c := range calls {
		switch c.Request.Method {
		case mechanism.Coarsen:
			t = t.coarsened(c.Request.Merge)
		case mechanism.Trees:
			eachDifference(c, t, func(noise, variance float64) { sum -= noise * noise / (2 * variance) })
		case mechanism.Residuals:
			for _, m := range c.Release.Measurements {
				sum += logCentred(m, t, c.Request.Merge)
			}
		case mechanism.Scores:
			for i, a := range c.Request.Cliques {
				sum -= squared(c.Release.Scores.Values[i]-distanceTo(t, a, c.Request.Merge, c.Request.Model[i])) / (2 * c.Release.Scores.Variance)
			}
		default:
			sum += logp(c, t)
		}
	}
	return sum
}

func squared(x float64) float64 { return x * x }

// cellOf returns the codes of a clique's attributes in a record, after merging.
func cellOf(record []domain.Code, a domain.Clique, merge query.Recoding) (codes [3]domain.Code) {
	for i, attribute := range a {
		if codes[i] = record[attribute]; merge != nil && merge[attribute] != nil {
			codes[i] = merge[attribute][codes[i]]
		}
	}
	return codes
}

// cells lists the cells of a clique after merging, the last attribute fastest.
func cells(t table, a domain.Clique, merge query.Recoding) (list [][3]domain.Code) {
	list = append(list, [3]domain.Code{})
	for i, attribute := range a {
		k := 0
		for v := range t.sizes[attribute] {
			record := make([]domain.Code, len(t.sizes))
			record[attribute] = domain.Code(v)
			k = max(k, 1+int(cellOf(record, domain.Clique{attribute}, merge)[0]))
		}
		var next [][3]domain.Code
		for _, cell := range list {
			for v := range k {
				cell[i] = domain.Code(v)
				next = append(next, cell)
			}
		}
		list = next
	}
	return list
}

// distanceTo returns Σ|count − base| over the merged cells of a clique.
func distanceTo(t table, a domain.Clique, merge query.Recoding, base []float64) (sum float64) {
	count := map[[3]domain.Code]float64{}
	for _, r := range t.records {
		count[cellOf(r, a, merge)]++
	}
	for i, cell := range cells(t, a, merge) {
		sum += math.Abs(count[cell] - base[i])
	}
	return sum
}

// logCentred returns the log-density of a centred table P(h + Z), for independent normal Z of variance σ², in the space
// that P projects on: −‖values − P·h‖²/(2σ²). A cell of the released table has the variance σ²·Π(1−1/k).
func logCentred(m query.Measurement, t table, merge query.Recoding) float64 {
	list := cells(t, m.Clique, merge)
	last := list[len(list)-1] // holds k−1 of each attribute
	variance := m.Variance
	for i := range m.Clique {
		variance /= 1 - 1/float64(last[i]+1)
	}
	sum := 0.0
	for i, x := range m.Values {
		h := 0.0
		for _, r := range t.records {
			h += projection(cellOf(r, m.Clique, merge), list[i], last, len(m.Clique))
		}
		sum += squared(x - h)
	}
	return -sum / (2 * variance)
}

// projection is what one record in cell r adds to cell c of a table that is centred along every axis: the product over
// the axes of 1−1/k where the codes agree, and −1/k where they do not.
func projection(r, c, last [3]domain.Code, axes int) float64 {
	product := 1.0
	for i := range axes {
		own := 0.0
		if r[i] == c[i] {
			own = 1
		}
		product *= own - 1/float64(last[i]+1)
	}
	return product
}
