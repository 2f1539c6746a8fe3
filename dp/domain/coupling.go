package domain

import (
	"fmt"
	"math"
	"slices"
)

// Coupling describes how values inside the bins of an attribute depend on the values of another attribute inside its bins.
// The position of a value in its bin, from 0 to 1, remains uniform; a copula joins the two positions: Frank's (Genest 1987)
// or, of two bins that hold tails, Clayton's (1978), under which the largest values of both come together. It is learned
// and public.
type Coupling struct {
	With int // the other attribute, whose bins were learned too; −1: none
	// The parameter of the copula is the product of Strength, by bin of the other, and Width, by own bin, clamped to
	// ±MaxStrength: 0 is independence; above 0 both positions rise together.
	Strength, Width []float64
	// Tails is 1 for each bin of the other attribute with a long upper tail, −1 for a lower one, else 0; OwnTails the same
	// of the own bins. None of both: no bin holds a tail.
	Tails, OwnTails []int8 `json:",omitempty"`

	Shift *Shift `json:",omitempty"` // of the position that results; nil: none
}

// others returns the attributes that values inside bins depend on.
func (c *Coupling) others() []int {
	var out []int
	if c.With >= 0 {
		out = append(out, c.With)
	}
	if c.Shift != nil {
		out = append(out, c.Shift.With...)
	}
	return out
}

// MaxStrength bounds the strength of a coupling; at the bound, positions are within about 1/20 of each other.
const MaxStrength = 60

// couple checks couplings, which must not form a cycle, and returns all attributes in an order in which each follows
// the one that it is coupled with.
func (d *Domain) couple() (order []int, err error) {
	state := make([]int, d.Len()) // 1: on the path being followed, 2: in order
	for a := range d.Attributes {
		var chain []int
		for b := a; state[b] != 2; b = d.Attributes[b].Coupling.With {
			if state[b] == 1 {
				return nil, fmt.Errorf("domain: column %q: its couplings form a cycle", d.Attributes[b].Name)
			}
			state[b] = 1
			chain = append(chain, b)
			c := d.Attributes[b].Coupling
			if c == nil {
				break
			}
			if c.Shift != nil {
				if err := c.Shift.check(d, b); err != nil {
					return nil, err
				}
			}
			if c.With == -1 && c.Shift != nil && len(d.Attributes[b].Runs) > 0 {
				break
			}
			if c.With < 0 || c.With >= d.Len() || len(d.Attributes[b].Runs) == 0 || !c.fits(&d.Attributes[b], &d.Attributes[c.With]) {
				return nil, fmt.Errorf("domain: column %q: its coupling does not match the other column", d.Attributes[b].Name)
			}
		}
		for i := range chain {
			b := chain[len(chain)-1-i]
			state[b] = 2
			order = append(order, b)
		}
	}
	return order, nil
}

// fits reports whether the coupling has a parameter for each bin of both.
func (c *Coupling) fits(own, other *Attribute) bool {
	for _, s := range slices.Concat(c.Strength, c.Width) {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return false
		}
	}
	for _, t := range [][]int8{c.Tails, c.OwnTails} {
		if slices.ContainsFunc(t, func(x int8) bool { return x < -1 || x > 1 }) || (len(t) == 0) != (len(c.Tails) == 0) {
			return false
		}
	}
	if len(c.Tails) > 0 && (len(c.Tails) != other.Bins() || len(c.OwnTails) != own.Bins()) {
		return false
	}
	return len(other.Runs) > 0 && len(c.Strength) == other.Bins() && len(c.Width) == own.Bins()
}

// place returns the position in bin own, given position u of the other attribute in one of its bins and a uniform
// number w.
func (c *Coupling) place(u, w float64, other, own int) float64 {
	s := min(max(c.Strength[other]*c.Width[own], -MaxStrength), MaxStrength)
	if math.Abs(s) < 1e-3 {
		return w
	}
	if len(c.Tails) > 0 && c.Tails[other]*c.OwnTails[own] != 0 && (s > 0) == (c.Tails[other] == c.OwnTails[own]) {
		return tailPlace(u, w, math.Abs(s), c.Tails[other] > 0, c.OwnTails[own] > 0)
	}
	a := (1 - w) * math.Exp(-s*u)
	return min(max((math.Log(a+w)-math.Log(a+w*math.Exp(-s)))/s, 0), 1-0x1p-53)
}

// tailPlace is place in two bins that hold tails, upper or lower ones, by Clayton's copula with about the rank
// correlation (Kendall's) that Frank's has at the strength s.
func tailPlace(u, w, s float64, otherUpper, ownUpper bool) float64 {
	if otherUpper {
		u = 1 - u
	}
	u, w = max(u, 0x1p-53), max(w, 0x1p-53)
	theta := s * (s + 3.2) / (2*s + 14.4)
	// (w^(−θ/(1+θ)) − 1)·u^(−θ) + 1, to the power of −1/θ, by logarithms
	x := math.Log(math.Expm1(-theta/(1+theta)*math.Log(w))) - theta*math.Log(u)
	v := math.Exp(-(max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))) / theta)
	if ownUpper {
		v = 1 - v
	}
	return min(max(v, 0), 1-0x1p-53)
}

// Recouple adapts the couplings of attribute a, and those with it, to a split of its bins: of[i] is the former bin of
// bin i.
func (d *Domain) Recouple(a int, of []Code) {
	bins := of[:d.Attributes[a].Bins()]
	for i := range d.Attributes {
		c := d.Attributes[i].Coupling
		if c == nil {
			continue
		}
		n := *c
		if c.With == a {
			n.Strength, n.Tails = parts(c.Strength, bins), parts(c.Tails, bins)
		}
		if i == a {
			n.Width, n.OwnTails = parts(c.Width, bins), parts(c.OwnTails, bins)
		}
		if c.Shift != nil {
			n.Shift = c.Shift.split(i, a, bins)
		}
		d.Attributes[i].Coupling = &n
	}
}

// parts returns what x says of the bin of each part, nothing if it is empty.
func parts[T any](x []T, bins []Code) (out []T) {
	if len(x) == 0 {
		return nil
	}
	for _, bin := range bins {
		out = append(out, x[bin])
	}
	return out
}
