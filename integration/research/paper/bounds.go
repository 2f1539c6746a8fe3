package main

import (
	"math"

	"github.com/dapple-dp/dapple/integration/research/rivals/bounds"
)

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

// bound is the rate of the method's largest error, without a constant, and with the Gaussian width estimated from 200 draws.
func bound(method string, s setting) float64 {
	rate, ok := bounds.Rate(method, s.stated())
	if !ok {
		panic("paper: no rate is stated for " + method)
	}
	return rate
}

var widths = map[[2]int]float64{} // by columns and width

// stated is the setting as bounds take it.
func (s setting) stated() bounds.Setting {
	key := [2]int{s.columns, s.width}
	if widths[key] == 0 {
		widths[key], _ = bounds.Width(s.sizes(), s.marginals(), 200, 1)
	}
	return bounds.Setting{Cells: math.Exp2(float64(s.columns)), Queries: s.queries(), Width: widths[key], Units: float64(s.rows), Epsilon: s.epsilon, Delta: delta}
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
