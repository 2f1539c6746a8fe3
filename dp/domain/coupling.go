package domain

import (
	"fmt"
	"math"
	"slices"
)

// Coupling describes how values inside the bins of an attribute depend on those of another attribute inside its bins.
// The position of a value in its bin, from 0 to 1, remains uniform; Frank's copula (Genest 1987) joins the two
// positions. It is learned and public.
type Coupling struct {
	With int // the other attribute, whose bins were learned too
	// The parameter of the copula is the product of Strength, by bin of the other, and Width, by own bin, clamped to
	// ±MaxStrength: 0 is independence; above 0 both positions rise together.
	Strength, Width []float64
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
	return len(other.Runs) > 0 && len(c.Strength) == other.Bins() && len(c.Width) == own.Bins()
}

// place returns the position in bin own, given position u of the other attribute in one of its bins and a uniform
// number w.
func (c *Coupling) place(u, w float64, other, own int) float64 {
	s := min(max(c.Strength[other]*c.Width[own], -MaxStrength), MaxStrength)
	if math.Abs(s) < 1e-3 {
		return w
	}
	a := (1 - w) * math.Exp(-s*u)
	return min(max((math.Log(a+w)-math.Log(a+w*math.Exp(-s)))/s, 0), 1-0x1p-53)
}

// Recouple adapts the couplings of attribute a, and those with it, to a split of its bins: of[i] is the former bin of
// bin i.
func (d *Domain) Recouple(a int, of []Code) {
	again := func(x []float64) (out []float64) {
		for _, bin := range of[:d.Attributes[a].Bins()] {
			out = append(out, x[bin])
		}
		return out
	}
	for i := range d.Attributes {
		c := d.Attributes[i].Coupling
		if c == nil {
			continue
		}
		n := *c
		if c.With == a {
			n.Strength = again(c.Strength)
		}
		if i == a {
			n.Width = again(c.Width)
		}
		d.Attributes[i].Coupling = &n
	}
}
