package answer

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

// quantile is the least value that at least so many people do not exceed. Its interval comes from the values at both ends of the
// interval of their share.
func (v *view) quantile(out *Answer, g *group, a *Aggregate, count sum) {
	k := v.place(a.Column)
	all, of := v.stretches(g, k, count)
	unit := units(v.attrs[v.numbers[k]])
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range all {
		least, most = min(least, s.Low), max(most, s.High)
	}
	at := func(level float64) float64 {
		level = min(max(level, 1e-12), 1-1e-12)
		_, x := bisect.Steps(least-1e-9, most, 100, func(x float64) bool { return upTo(all, x) >= level })
		if unit > 0 && math.Abs(x*unit) < 1<<53 {
			x = math.Round(x*unit) / unit
		}
		return x
	}
	out.Value = at(a.Level)
	off := func(x float64) float64 { // by what the share up to x may be off
		below := func(p *piece) float64 { return upTo(of(p), x) }
		return sigmas95 * v.deviation(g, func(p *piece) float64 { return count.part(p) * (below(p) - a.Level) / count.value },
			func(p *piece) float64 { b := below(p); return b * (1 - b) / (count.value * count.value) },
			func(at, code int, _ float64) float64 {
				if v.far[at] == nil {
					return 0 // of declared bins the ends are told below
				}
				return v.r.Errors.Inside(v.clique[at], domain.Code(code)) / count.value
			})
	}
	before := math.Nextafter(out.Value, math.Inf(-1))
	if unit > 0 {
		before = out.Value - 1/unit
	}
	// That all people are at the last value or before it is certain; that so many are before it is not.
	out.Low, out.High = at(a.Level-off(before)), at(a.Level+off(out.Value))
	if low, high := out.Low, out.High; v.assumed(v.numbers[k]) { // only that they are in their cells is known
		for _, s := range all {
			if s.Low <= low && low <= s.High {
				out.Low = min(out.Low, s.Low)
			}
			if s.Low <= high && high <= s.High {
				out.High = max(out.High, s.High)
			}
		}
	}
	out.StandardError = (out.High - out.Low) / (2 * sigmas95)
}

// units is how many steps of a column 1 has, if it is whole; 0: the column has no steps.
func units(a *domain.Attribute) float64 {
	if a.Type != domain.Float64 {
		return math.Pow10(a.Scale)
	}
	if inverse := math.Round(1 / a.FloatResolution); a.FloatResolution > 0 && 1/inverse == a.FloatResolution {
		return inverse
	}
	return 0
}

// stretches lists the values of a column in a group, weighed by people, and the values of a piece. Values of a column that gaps stand for are
// taken to be even around their mean.
func (v *view) stretches(g *group, k int, count sum) (all []domain.Stretch, of func(p *piece) []domain.Stretch) {
	a, i := v.attrs[v.numbers[k]], slices.Index(v.columns, v.numbers[k])
	cells, people := make([][]domain.Stretch, a.Size()), make([]float64, a.Size())
	of = func(p *piece) []domain.Stretch { return cells[p.codes[i]] }
	if i >= len(v.clique) {
		of = func(p *piece) []domain.Stretch {
			x := p.values[k]
			half := math.Sqrt(3 * x.variance())
			return []domain.Stretch{{Low: x.mean - half, High: x.mean + half, Values: math.Inf(1), Weight: 1}}
		}
	}
	for j := range g.pieces {
		p := &g.pieces[j]
		switch w := p.weight * count.part(p); {
		case w <= 0 || !p.values[k].ok:
		case i >= len(v.clique):
			s := of(p)[0]
			s.Weight = w
			all = append(all, s)
		default:
			people[p.codes[i]] += w
		}
	}
	for code, n := range people {
		if n == 0 {
			continue
		}
		cells[code] = a.Stretches(domain.Code(code))
		weight := 0.0
		for _, s := range cells[code] {
			weight += s.Weight
		}
		for _, s := range cells[code] {
			s.Weight *= n / weight
			all = append(all, s)
		}
	}
	return all, of
}

// upTo returns the part of the weight of values up to x.
func upTo(list []domain.Stretch, x float64) float64 {
	below, weight := 0.0, 0.0
	for _, s := range list {
		weight += s.Weight
		switch {
		case x >= s.High:
			below += s.Weight
		case x < s.Low:
		case math.IsInf(s.Values, 1):
			below += s.Weight * (x - s.Low) / (s.High - s.Low)
		default:
			below += s.Weight * (1 + math.Floor((x-s.Low)/(s.High-s.Low)*(s.Values-1)+1e-9)) / s.Values
		}
	}
	return below / max(weight, math.SmallestNonzeroFloat64)
}
