package domain

import "sort"

// Distribution is the learned distribution of the values of an attribute, which are numbered as in Run.
type Distribution struct {
	from   []int     // first value of each run, and the number of all values
	before []float64 // share of the values before it
}

// Distribution returns the learned distribution of values, nil without one.
func (a *Attribute) Distribution() *Distribution {
	if len(a.Runs) == 0 {
		return nil
	}
	d := &Distribution{before: []float64{0}}
	for _, r := range a.Runs {
		d.from = append(d.from, r.From)
		d.before = append(d.before, d.before[len(d.before)-1]+r.Share)
	}
	d.from = append(d.from, a.whole().Fine())
	return d
}

// Below returns the share of the values before number k.
func (d *Distribution) Below(k float64) float64 {
	i := sort.Search(len(d.from)-1, func(i int) bool { return float64(d.from[i+1]) > k })
	if i == len(d.from)-1 {
		return d.before[i]
	}
	return d.before[i] + (d.before[i+1]-d.before[i])*(k-float64(d.from[i]))/float64(d.from[i+1]-d.from[i])
}

// Draw returns one of the values from … to−1: uniform positions from 0 to 1 give the learned distribution, or all of them
// alike if none has a share.
func (d *Distribution) Draw(from, to int, position float64) int {
	return d.draw(from, to, d.Below(float64(from)), d.Below(float64(to)), position)
}

// draw is Draw for known shares of the values before both ends.
func (d *Distribution) draw(from, to int, low, high, position float64) int {
	if !(high > low) {
		return min(from+int(position*float64(to-from)), to-1)
	}
	x := low + position*(high-low)
	i := sort.Search(len(d.from)-2, func(i int) bool { return d.before[i+1] > x }) // which has a share
	k := d.from[i] + int((x-d.before[i])/max(d.before[i+1]-d.before[i], 1e-300)*float64(d.from[i+1]-d.from[i]))
	return max(from, min(k, to-1, d.from[i+1]-1))
}
