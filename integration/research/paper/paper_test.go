package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestSmall measures a small part of the page, and makes pictures and page from the file that it writes. With 64 times the
// units every method's error falls, as n^(−.3) or faster in dpam's and dpfw's; that against the law does not fall below
// what sampling leaves.
func TestSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the runs, 15 CPU seconds; make nightly runs it")
	}
	var list []setting
	for _, s := range settings() {
		if s.axis == "units" && s.rows != 4000 && (s.method == "dpam" || s.method == "dpfw" || s.method == "pep" || s.method == "dualquery") {
			s.columns, s.width = 5, 2
			list = append(list, s)
		}
	}
	runs := must.Value(measure(list, 2))(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "errors.csv")
	must.Do(t, write(file, runs))
	again, err := read(file)
	must.Need(t, err == nil && len(again) == len(runs), "%d runs written, %d read: %v", len(runs), len(again), err)
	must.Do(t, page(file, dir))
	most := map[string]float64{"dpam": -.3, "dpfw": -.3, "pep": -.2, "dualquery": -.1}
	for m, limit := range most {
		x, sample, population, _ := points(again, axes[0], m)
		s, se := slope(x, sample)
		must.Hold(t, s < limit && !math.IsNaN(se), "%s: slope in n %.2f ± %.2f, want below %g", m, s, se, limit)
		for i := range population {
			least := .05 / math.Sqrt(x[i])
			must.Hold(t, population[i] >= least, "%s: error %g against the law at %g units is below what sampling leaves", m, population[i], x[i])
		}
	}
	for _, name := range []string{"units.svg", "README.md"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must.Hold(t, err == nil && bytes.Contains(b, []byte("dualquery")), "%s: %v", name, err)
	}
}

// TestPage: the page and the pictures in this folder are made of the file of runs beside them.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, page("errors.csv", dir))
	for _, name := range []string{"README.md", "units.svg", "epsilon.svg", "columns.svg", "queries.svg"} {
		got, err := os.ReadFile(name)
		want, err2 := os.ReadFile(filepath.Join(dir, name))
		must.Hold(t, err == nil && err2 == nil && bytes.Equal(got, want),
			"%s is not made of errors.csv (%v, %v): run go -C integration/research run ./paper -draw", name, err, err2)
	}
}

// TestSlope fits points of a power law, exactly and with errors of a tenth.
func TestSlope(t *testing.T) {
	x := []float64{1, 2, 4, 8}
	s, se := slope(x, []float64{1, .5, .25, .125})
	must.Hold(t, math.Abs(s+1) <= 1e-12 && se <= 1e-12, "slope %g ± %g, want -1 exactly", s, se)
	s, se = slope(x, []float64{1.1, .45, .275, .1125})
	must.Hold(t, math.Abs(s+1) <= 3*se && se >= .05, "slope %g ± %g, want -1 within its error", s, se)
}

// TestBounds compares with the golden values of the rates on ten binary columns, 10,000 units, marginals of 3, ε = 1. Those
// have δ = 1e-8.
func TestBounds(t *testing.T) {
	s := setting{columns: 10, width: 3, rows: 10_000, epsilon: 1}
	ratio := math.Log(1e9) / math.Log(1e8)
	for method, c := range map[string]struct{ want, power float64 }{
		"mwem": {.210, .5}, "dualquery": {.304, 1.0 / 6}, "fem": {.663, .5}, "sepfem": {.497, .5}, "dpfw": {.160, .2},
	} {
		got, want := bound(method, s), c.want*math.Pow(ratio, c.power)
		must.Hold(t, math.Abs(got/want-1) <= .01, "%s: rate %.4f, want %.4f", method, got, want)
	}
}
