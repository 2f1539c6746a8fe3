package oneway

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// A Cycle is a part of the calendar that comes again: the days of the week or the hours of the day. A tree knows dates and
// times by halvings of their range, in which no Sunday and no night is seen. How many records lie in each part is
// released by itself.
type Cycle struct {
	Stage  string
	Parts  int
	length func(f domain.Facts) int64 // of a part, in native units
	first  int                        // the part of native unit 0
}

// Cycles are those that are released, in order. 1970-01-01 was a Thursday, and weeks begin on Monday.
var Cycles = []Cycle{
	{"weekdays", 7, func(f domain.Facts) int64 { return f.Day }, 3},
	{"hours", 24, func(f domain.Facts) int64 { return f.Day / 24 }, 0},
}

const (
	mostSlots   = 1 << 16 // parts of a cycle in the range of a column: of hours seven years
	leastCycles = 4       // times that a cycle comes again in it
	cycleRounds = 20      // of fitting all cycles in turn
	mostFactor  = 1e9     // of a part: where values are of few parts, the totals of two cycles may have no common fit
)

// fits reports whether the records of an attribute are told apart by parts of the cycle, and the cycle comes again.
func (c *Cycle) fits(a *domain.Attribute) bool {
	f := a.Type.Facts()
	if a.Learned == 0 || !f.Calendar || a.Type == domain.Time {
		return false
	}
	part := c.length(f)
	return part > 0 && part%a.Resolution == 0 && int64(a.Fine()) >= leastCycles*int64(c.Parts)*(part/a.Resolution) &&
		int64(a.Fine()) <= mostSlots*(part/a.Resolution)
}

// part returns the part of the cycle that value k of the attribute lies in.
func (c *Cycle) part(a *domain.Attribute, k int) int {
	first := floorDiv(a.Cuts[0]+a.Resolution-1, a.Resolution)
	n := floorDiv((first+int64(k))*a.Resolution, c.length(a.Type.Facts())) + int64(c.first)
	return int(n - floorDiv(n, int64(c.Parts))*int64(c.Parts))
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Of returns the attributes with learned bins that a cycle is released of.
func (c *Cycle) Of(d *domain.Domain, learned []domain.Clique) []domain.Clique {
	return slices.DeleteFunc(slices.Clone(learned), func(q domain.Clique) bool { return !c.fits(&d.Attributes[q[0]]) })
}

// Codes returns the part of every value of an attribute, and one more for NULL.
func (c *Cycle) Codes(a *domain.Attribute) []domain.Code {
	codes := make([]domain.Code, a.RecordSize())
	for k := range codes {
		codes[k] = domain.Code(c.part(a, k))
	}
	if a.Null {
		codes[len(codes)-1] = domain.Code(c.Parts)
	}
	return codes
}

// Read returns the counts of parts that a released residual has of so many units.
func (c *Cycle) Read(m query.Measurement, units float64) Measured {
	k := len(m.Values)
	x := Measured{Cycle: *c, sigma: math.Sqrt(m.Variance / (1 - 1/float64(max(k, 2))))}
	for _, v := range m.Values[:min(k, c.Parts)] {
		x.counts = append(x.counts, max(0, v+units/float64(k)))
	}
	return x
}

// Measured is the released counts of a cycle's parts.
type Measured struct {
	Cycle
	counts []float64
	sigma  float64
}

// applySeasonality rescales the density so that totals of the parts of cycles, such as weekdays and hours of the day, match
// their releases, shrunken by their noise. The counts of pieces stay.
func applySeasonality(pieces []query.Piece, a *domain.Attribute, list []Measured) []query.Piece {
	if len(list) == 0 {
		return pieces
	}
	slot := int64(math.MaxInt64) // values of the shortest part
	for _, m := range list {
		slot = min(slot, m.length(a.Type.Facts())/a.Resolution)
	}
	into := cutAtSlots(pieces, a, int(slot))
	factors, parts := make([][]float64, len(list)), make([][]int, len(list))
	for i, m := range list {
		factors[i] = slices.Repeat([]float64{1}, m.Parts)
		for _, s := range into {
			parts[i] = append(parts[i], m.part(a, s.From))
		}
	}
	even := lists.Of(into, func(s query.Piece) float64 { return s.Count })
	targets := make([][]float64, len(list))
	for round := range cycleRounds {
		for i, m := range list {
			now := make([]float64, m.Parts)
			for j, s := range into {
				now[parts[i][j]] += s.Count
			}
			if round == 0 {
				targets[i] = m.target(now)
			}
			for k, x := range now {
				if x > 0 {
					factors[i][k] = min(factors[i][k]*targets[i][k]/x, mostFactor)
				}
			}
			spread(pieces, into, even, func(j int) (f float64) {
				f = 1
				for i := range list {
					f *= factors[i][parts[i][j]]
				}
				return f
			})
		}
	}
	return into
}

// target returns the estimated counts of parts: what the tree says of them, moved towards the release as far
// as noise leaves the two apart.
func (m *Measured) target(tree []float64) []float64 {
	apart, all := make([]float64, m.Parts), 0.0
	for k, x := range m.counts {
		apart[k] = x - tree[k]
		all += tree[k]
	}
	keep := jamesStein(apart, float64(m.Parts)*m.sigma*m.sigma)
	out, sum := make([]float64, m.Parts), 0.0
	for k := range out {
		out[k] = max(0, tree[k]+keep*apart[k])
		sum += out[k]
	}
	for k := range out {
		out[k] *= all / max(sum, 1e-9)
	}
	return out
}

// cutAtSlots cuts pieces at the multiples of so many values from the attribute's first part on.
func cutAtSlots(pieces []query.Piece, a *domain.Attribute, values int) []query.Piece {
	first := floorDiv(a.Cuts[0]+a.Resolution-1, a.Resolution)
	begin := int(floorDiv(first, int64(values))*int64(values) - first) // of the slot that value 0 is in
	var out []query.Piece
	for _, x := range pieces {
		for at := x.From; at < x.To; {
			to := min(x.To, at+values-(at-begin)%values)
			out = append(out, query.Piece{From: at, To: to, Count: x.Count * float64(to-at) / float64(x.To-x.From)})
			at = to
		}
	}
	return out
}

// spread gives each part of a piece its share by even counts and factors.
func spread(pieces, into []query.Piece, even []float64, factor func(j int) float64) {
	j := 0
	for _, x := range pieces {
		from, sum := j, 0.0
		for ; j < len(into) && into[j].From < x.To; j++ {
			into[j].Count = even[j] * factor(j)
			sum += into[j].Count
		}
		for k := from; k < j; k++ {
			if sum > 0 {
				into[k].Count *= x.Count / sum
			} else {
				into[k].Count = even[k]
			}
		}
	}
}
