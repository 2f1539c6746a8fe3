package main

import "math"

// axis is what a picture varies.
type axis struct {
	name, label string
	of          func(setting) float64
}

var axes = []axis{
	{"units", "units n", func(s setting) float64 { return float64(s.rows) }},
	{"epsilon", "ε", func(s setting) float64 { return s.epsilon }},
	{"columns", "binary columns d", func(s setting) float64 { return float64(s.columns) }},
	{"queries", "ln |Q|", func(s setting) float64 { return math.Log(s.queries()) }},
}

// bounds are the rates of the paper's Table 1 as printed, without constants and logarithms in n: d^a·ln|Q|^b·ln(1/δ)^c /
// (n·ε)^e, and those of Theorem 3 (DPFW) and 5 (DPAM, with the Gaussian width at most √(2·k·ln|Q|)·largest norm, here
// of marginals: √(2·2^(d−w)·ln|Q|)).
func bound(method string, s setting) float64 {
	d, lq, lg, ne := float64(s.columns), math.Log(s.queries()), math.Log(1/delta), float64(s.rows)*s.epsilon
	rate := func(a, b, c, e float64) float64 {
		return math.Pow(d, a) * math.Pow(lq, b) * math.Pow(lg, c) / math.Pow(ne, e)
	}
	switch method {
	case "mwem", "pmw", "pep", "adaptive":
		return rate(.25, .5, .5, .5)
	case "dualquery":
		return rate(1.0/6, .5, 1.0/6, 1.0/3)
	case "fem":
		return rate(.75, .5, .5, .5)
	case "sepfem":
		return rate(.625, .5, .5, .5)
	case "dpfw", "dpfw-paper":
		return rate(.2, .4, .2, .4)
	}
	width := math.Sqrt(2 * math.Exp2(d-float64(s.width)) * lq)
	return math.Sqrt(width) * math.Pow(d*math.Ln2, .25) * math.Pow(lg, .25) / math.Sqrt(ne)
}

// slope fits log y = a + slope·log x by least squares and returns the slope with its standard error, NaN for fewer than
// three points.
func slope(x, y []float64) (slope, standardError float64) {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx += math.Log(x[i]) / n
		my += math.Log(y[i]) / n
	}
	var xx, xy, rest float64
	for i := range x {
		dx := math.Log(x[i]) - mx
		xx += dx * dx
		xy += dx * (math.Log(y[i]) - my)
	}
	slope = xy / xx
	for i := range x {
		r := math.Log(y[i]) - my - slope*(math.Log(x[i])-mx)
		rest += r * r
	}
	return slope, math.Sqrt(rest / (n - 2) / xx)
}

// points returns x and the errors of a method's runs along an axis.
func points(runs []run, a axis, method string) (x, sample, population, bounds []float64) {
	for _, r := range runs {
		if r.axis == a.name && r.method == method {
			x, sample, population = append(x, a.of(r.setting)), append(sample, max(r.sample, 1e-6)), append(population, max(r.population, 1e-6))
			bounds = append(bounds, bound(method, r.setting))
		}
	}
	return x, sample, population, bounds
}
