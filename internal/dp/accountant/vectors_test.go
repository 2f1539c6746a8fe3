package accountant

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
)

// near reports whether got agrees with a published value in all of its digits.
func near(got, want, halfUnit float64) bool { return math.Abs(got-want) <= halfUnit }

// The vectors were computed with arbitrary precision, independently of this package.
func TestCapacityVectors(t *testing.T) {
	for _, row := range []struct {
		name     string
		got      func() float64
		want     float64
		halfUnit float64
	}{
		{"rho(1, 1e-6)", rho(1, 1e-6), 0.0243560, 5e-8},
		{"rho(1, 1e-9)", rho(1, 1e-9), 0.0149731, 5e-8},
		{"rho(0.1, 1e-6)", rho(0.1, 1e-6), 3.21048e-4, 5e-10},
		{"rho(5, 1e-6)", rho(5, 1e-6), 0.463065, 5e-7},
		{"mu(1, 1e-6)", func() float64 { return MuFloor(1, 1e-6) }, 0.2367044, 5e-8},
		{"mu(1, 1e-9)", func() float64 { return MuFloor(1, 1e-9) }, 0.1819748, 5e-8},
		{"D_2(r=1)", func() float64 { return boundedRangeCurve(1)(2) }, 0.2402290, 5e-8},
		{"D_5(r=1)", func() float64 { return boundedRangeCurve(1)(5) }, 0.4992003, 5e-8},
		{"D_30(r=0.05)", func() float64 { return boundedRangeCurve(0.05)(30) }, 0.00910451, 5e-9},
	} {
		if got := row.got(); !near(got, row.want, row.halfUnit) {
			t.Errorf("%s = %.10g, want %.10g", row.name, got, row.want)
		}
	}
}

func rho(epsilon dp.Epsilon, delta dp.Delta) func() float64 {
	return func() float64 { f, _ := RhoFloor(epsilon, delta).Float64(); return f }
}

// TestSelectionVectors checks ε at δ = 1e-6 of T selections that are r-bounded-range each, by zCDP
// and by the exact curve.
func TestSelectionVectors(t *testing.T) {
	for _, row := range []struct {
		rounds       int
		r            float64
		zcdp, ranged float64
	}{
		{10, 0.3, 2.284, 2.095},
		{50, 0.1, 1.660, 1.636},
		{100, 0.1, 2.419, 2.400},
		{100, 0.2, 5.222, 5.172},
		{500, 0.05, 2.733, 2.729},
	} {
		zcdp := rhoCurve(row.r * row.r / 8).times(row.rounds).epsilonCeil(1e-6)
		ranged := boundedRangeCurve(row.r).times(row.rounds).epsilonCeil(1e-6)
		if !near(zcdp, row.zcdp, 5e-4) || !near(ranged, row.ranged, 5e-4) {
			t.Errorf("T=%d r=%g: zCDP %.4f, exact %.4f; want %.3f, %.3f", row.rounds, row.r, zcdp, ranged, row.zcdp, row.ranged)
		}
	}
}
