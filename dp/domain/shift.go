package domain

import (
	"fmt"
	"math"
	"slices"
)

// Shift moves values inside the bins of an attribute by the bins that others are in: where another one is in its last
// bin, values lie further up in theirs. With x = log(1 + Σ Adds) + Spread·z, where z is the normal score of the position
// that a value has otherwise, its position becomes the share of the attribute's own bin with less than x. Positions of all
// records of a bin remain uniform. It is learned and public.
type Shift struct {
	With   []int       // the other attributes
	Adds   [][]float64 // of each, by its bins, at least 0; the last number is for what is in none
	Spread float64     // above 0
	// Levels are quantiles of x by own bin, at ShiftLevels; none of a bin whose values stay where they are.
	Levels [][]float64
}

// ShiftLevels are the levels of a Shift's quantiles, as parts of a bin's records.
var ShiftLevels = [...]float64{.001, .003, .01, .03, .06, .1, .2, .3, .4, .5, .6, .7, .8, .9, .94, .97, .99, .997, .999}

// Score returns x of a record, whose codes are given by attribute, for a position.
func (s *Shift) Score(code func(attr int) Code, place float64) float64 {
	sum := 0.0
	for i, a := range s.With {
		adds := s.Adds[i]
		sum += adds[min(int(code(a)), len(adds)-1)]
	}
	place = min(max(place, 0x1p-53), 1-0x1p-53)
	return math.Log1p(sum) - s.Spread*math.Sqrt2*math.Erfcinv(2*place)
}

// place returns the position in bin own that goes with x; the former one if nothing is known of the bin.
func (s *Shift) place(x, former float64, own int) float64 {
	q, n := s.Levels[own], len(ShiftLevels)
	switch {
	case len(q) == 0:
		return former
	case x < q[0]: // exponential beyond both ends
		return ShiftLevels[0] * math.Exp(beyond(x-q[0], q[1]-q[0]))
	case x >= q[n-1]:
		return min(1-(1-ShiftLevels[n-1])*math.Exp(beyond(q[n-1]-x, q[n-1]-q[n-2])), 1-0x1p-53)
	}
	i, _ := slices.BinarySearchFunc(q, x, func(q, x float64) int {
		if q <= x {
			return -1
		}
		return 1
	})
	low, high := ShiftLevels[i-1], ShiftLevels[i]
	return low + (high-low)*(x-q[i-1])/(q[i]-q[i-1])
}

// beyond returns the logarithm of the part of the records beyond an outer level that lie further out than by −distance,
// if the distance to the next level holds two thirds of them more.
func beyond(distance, step float64) float64 { return math.Log(3) * distance / max(step, 1e-9) }

// check reports whether the shift fits attribute a of the domain.
func (s *Shift) check(d *Domain, a int) error {
	ok := len(s.With) == len(s.Adds) && len(s.Levels) == d.Attributes[a].Bins() && s.Spread > 0 && s.Spread < 1e6
	for i, b := range s.With {
		ok = ok && b != a && b >= 0 && b < d.Len() && i < len(s.Adds) && len(s.Adds[i]) == d.Attributes[b].Bins()+1
	}
	for _, x := range slices.Concat(s.Adds...) {
		ok = ok && x >= 0 && x < 1e9
	}
	for _, q := range s.Levels {
		ok = ok && (len(q) == 0 || len(q) == len(ShiftLevels)) && slices.IsSorted(q)
	}
	for _, x := range slices.Concat(s.Levels...) {
		ok = ok && math.Abs(x) < 1e9 // NaN is not
	}
	if !ok {
		return fmt.Errorf("domain: column %q: its shift does not match the other columns", d.Attributes[a].Name)
	}
	return nil
}

// split adapts the shift of attribute own to a split of the bins of attribute a.
func (s *Shift) split(own, a int, bins []Code) *Shift {
	n := *s
	n.Adds = slices.Clone(s.Adds)
	for i, b := range s.With {
		if b == a {
			n.Adds[i] = append(parts(s.Adds[i], bins), s.Adds[i][len(s.Adds[i])-1])
		}
	}
	if own == a {
		n.Levels = parts(s.Levels, bins)
	}
	return &n
}
