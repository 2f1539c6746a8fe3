// Package dry makes models of dry rows. They show what a table of a domain could look like before anybody has access to one,
// for trying out schemas, loads, queries and pipelines. They satisfy every constraint, and are not made from data.
package dry

import (
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// Method is in place of the name of a method in a model of dry rows.
const Method = "none"

// Note is what a manifest says of dry rows, and their model in place of a guarantee.
const Note = "dry rows: drawn evenly from a domain; they come from no data and describe nobody"

// most is the largest number of records that dry rows are made of; more rows repeat them, with other values inside their
// cells.
const most = 1 << 18

// File returns a model of dry rows. Equal arguments have equal models.
func File(of *domain.Domain, rows int64, seed uint64) *modelfile.File {
	d := oneBin(of)
	return &modelfile.File{Version: buildinfo.Version(), Domain: *d, Method: Method, Guarantee: Note, Units: float64(rows), Model: model(d, min(max(rows, 0), most), seed)}
}

// oneBin returns d with one bin in place of those that would be learned from a release, and without the values that
// are finer than the resolution.
func oneBin(d *domain.Domain) *domain.Domain {
	out := new(domain.Domain)
	*out = *d
	out.Attributes = append([]domain.Attribute(nil), d.Attributes...)
	for i := range out.Attributes {
		if a := &out.Attributes[i]; a.Learned > 0 {
			a.Learned, a.Fallback, a.Exact, a.FloatExact = 0, 0, nil, nil
		}
	}
	return out
}

// model returns n records drawn at random: bins in proportion to the number of values they hold, NULL and other as
// often as an average bin or category. Impossible records are drawn again.
func model(d *domain.Domain, n int64, seed uint64) *population.Model {
	rng := rand.New(rand.NewPCG(seed, 0x6472792d726f7773)) // "dry-rows"
	m := &population.Model{Sizes: d.Sizes(), Columns: make([][]domain.Code, d.Len()), Weights: make([]float64, n), StructuralZeros: d.StructuralZeros}
	upTo := make([][]float64, d.Len())
	for a := range upTo {
		m.Columns[a] = make([]domain.Code, n)
		upTo[a] = cumulative(&d.Attributes[a])
	}
	support := domain.NewSupport(m.Sizes, d.StructuralZeros)
	plan, err := relation.New(d)
	possible := func(record []domain.Code) bool {
		return support.Possible(record) && (err != nil || plan.Possible(record))
	}
	last, _ := d.StructuralZeros.Witness(m.Sizes) // a domain without one is no domain
	record := make([]domain.Code, d.Len())
	for i := range m.Weights {
		m.Weights[i] = 1
		for range 1000 {
			for a, sums := range upTo {
				x := rng.Float64() * sums[len(sums)-1]
				code := 0
				for code < len(sums)-1 && sums[code] <= x {
					code++
				}
				record[a] = domain.Code(code)
			}
			if possible(record) {
				copy(last, record)
				break
			}
		}
		for a, code := range last {
			m.Columns[a][i] = code
		}
	}
	return m
}

// cumulative returns the sums of the weights of the cells of an attribute.
func cumulative(a *domain.Attribute) []float64 {
	weights := make([]float64, a.Size())
	sum := 0.0
	for code := range weights {
		weights[code] = 1
		if len(a.Values) > 0 || code >= a.Bins() {
			continue
		}
		if lo, hi, ok := a.Ends(domain.Code(code)); ok {
			weights[code] = float64(hi-lo)/float64(a.Resolution) + 1
		} else if lo, hi, ok := a.FloatEnds(domain.Code(code)); ok {
			weights[code] = hi - lo + a.FloatResolution
		}
		sum += weights[code]
	}
	total := 0.0
	for code := range weights {
		if sum > 0 && code < a.Bins() {
			weights[code] *= float64(a.Bins()) / sum
		}
		total += weights[code]
		weights[code] = total
	}
	return weights
}
