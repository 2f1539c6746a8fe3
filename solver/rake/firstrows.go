package rake

// agreeOnFirstRows gives the gap and all that is remembered one share of first rows, in which they are NULL together. Each of
// their tables has an estimate of it, and so have numbers of rows: a person with n of them holds 1/n. Tables that differ there
// have no common fit.
func (r *run) agreeOnFirstRows() {
	d := r.problem.Domain
	if !d.Ordered() {
		return
	}
	e := d.Events
	list := []int{e.Gap()}
	for i := range e.Sequence.Previous {
		list = append(list, e.Before(i))
	}
	sum, precision := 0.0, 1e-9
	add := func(share, variance float64) {
		sum, precision = sum+share/variance, precision+1/variance
	}
	for _, a := range list {
		if one := r.oneWays[a]; r.targets.covered[a] && one.spread > 0 && !one.learned {
			add(one.counts[len(one.counts)-1], one.spread)
		}
	}
	if rows := r.oneWays[e.Columns]; rows.spread > 0 {
		share, variance := 0.0, 0.0
		for b, n := range project(rows.counts, r.total.Units) {
			x := firstShare(d.Attributes[e.Columns].Cuts, b)
			share, variance = share+n*x, variance+rows.spread*x*x
		}
		add(share, variance)
	}
	if sum <= 0 { // nothing was measured
		return
	}
	first := min(sum/precision, r.total.Units)
	for _, a := range list {
		one := &r.oneWays[a]
		one.counts = project(one.counts, r.total.Units)
		last := len(one.counts) - 1
		others := r.total.Units - one.counts[last]
		for v := range last {
			if others > 0 {
				one.counts[v] *= (r.total.Units - first) / others
			}
		}
		if others > 0 {
			one.counts[last] = first
		}
	}
}

// firstShare returns the mean of 1/n over the numbers of rows of a bin, if their logarithms are alike likely; 1 of nobody's, as
// that is a row that follows none.
func firstShare(cuts []int64, bin int) float64 {
	last := cuts[bin+1] - 1
	if bin == len(cuts)-2 {
		last++
	}
	sum, weight := 0.0, 0.0
	for n := max(cuts[bin], 1); n <= max(last, 1); n++ {
		x := 1 / float64(n)
		sum, weight = sum+float64(x*x), weight+x
	}
	return sum / weight
}
