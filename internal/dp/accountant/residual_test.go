package accountant

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// gaussians are ledgers of the kinds that admit Gaussian noise.
func gaussians(t *testing.T) []*Ledger {
	return slices.DeleteFunc(ledgers(t), func(l *Ledger) bool { return l.params.Accounting == dp.Pure })
}

// TestResiduals: within the share and almost all of it, precisions as asked, and noise that samplers take.
func TestResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, l := range gaussians(t) {
		for trial := range 60 {
			var list []Centred
			cells := int64(0)
			for range 1 + rng.IntN(20) {
				m := centredOf(l.params.Neighbouring, shapes[rng.IntN(len(shapes))], math.Exp(2*rng.NormFloat64()))
				list, cells = append(list, m), cells+m.Cells
			}
			s := dp.ShareOf(1+rng.Int64N(1000), 1000+rng.Int64N(1e9))
			e := must.Value(l.Residuals(list, s))(t)
			used := new(big.Rat).Quo(loss(t, l, e), share(l, s))
			must.Hold(t, used.Cmp(big.NewRat(1, 1)) <= 0 && floatDown(used) >= 1-1e-4, "trial %d: %s of the share is charged", trial, used.FloatString(9))
			must.Hold(t, e.Coordinates == cells && e.Neighbouring == l.params.Neighbouring && len(e.Scales) == len(list),
				"trial %d: %d coordinates of %d, %d scales", trial, e.Coordinates, cells, len(e.Scales))
			must.Hold(t, e.fineGrid() && e.coarsest().Cmp(power(2*samplerBits)) <= 0, "trial %d: a grid too coarse or too fine", trial)
			for i, m := range list {
				must.Hold(t, e.Sensitivities[i].Cmp(m.L2Squared) >= 0, "trial %d: sensitivity below the centred counts'", trial)
				u, first := precisionOf(m, e.Scales[i]), precisionOf(list[0], e.Scales[0])
				ratio := u / first / (m.Precision / list[0].Precision)
				must.Hold(t, math.Abs(ratio-1) <= 1e-4, "trial %d: precision off by the factor %g", trial, ratio)
			}
		}
	}
}

func precisionOf(m Centred, variance *big.Rat) float64 {
	return 1 / (floatUp(m.Left) * floatUp(variance))
}

// TestLaplaceResiduals: a pure ledger charges ΣL1/scale, within the share and almost all of it, with precisions as asked, whatever
// they are.
func TestLaplaceResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, l := range ledgers(t) {
		if l.params.Accounting != dp.Pure {
			continue
		}
		for trial := range 60 {
			var list []Centred
			for range 1 + rng.IntN(20) {
				m := centredOf(l.params.Neighbouring, shapes[rng.IntN(len(shapes))], math.Exp(2*rng.NormFloat64()))
				m.L1 = dp.L1(1 + rng.IntN(6))
				list = append(list, m)
			}
			if trial == 0 {
				list = append(list, list[0], list[0])
				list[1].Precision, list[2].Precision = 1e300, 5e-324
			}
			s := dp.ShareOf(1+rng.Int64N(1000), 1000+rng.Int64N(1e6))
			e := must.Value(l.Residuals(list, s))(t)
			sum := new(big.Rat)
			for i, m := range list {
				sum.Add(sum, new(big.Rat).Quo(big.NewRat(int64(m.L1), 1), e.Scales[i]))
				ratio := math.Pow(floatUp(e.Scales[0])/floatUp(e.Scales[i]), 2) * floatUp(list[0].Left) / floatUp(m.Left) / (m.Precision / list[0].Precision)
				must.Hold(t, trial <= 0 || math.Abs(ratio-1) <= 1e-3, "trial %d: precision off by the factor %g", trial, ratio)
			}
			used := new(big.Rat).Quo(sum, share(l, s))
			if charge := loss(t, l, e); charge.Cmp(sum) < 0 || charge.Cmp(share(l, s)) > 0 || floatDown(used) < 1-1e-4 || e.Kind != dp.DiscreteLaplace {
				t.Errorf("trial %d: %s of the share is used", trial, used.FloatString(9))
			}
		}
	}
}

// TestLaplaceScores: a pure ledger charges n·Δ₁/scale for n distances.
func TestLaplaceScores(t *testing.T) {
	for _, l := range ledgers(t) {
		for _, n := range []int64{1, 91, 2091} {
			if l.params.Accounting != dp.Pure {
				continue
			}
			e := must.Value(l.Scores(int(n), dp.ShareOf(3, 100)))(t)
			sum := new(big.Rat).Quo(big.NewRat(n*l.params.Neighbouring.UnitChanges(), 1), e.Scales[0])
			part := share(l, dp.ShareOf(3, 100))
			if charge := loss(t, l, e); charge.Cmp(sum) < 0 || charge.Cmp(part) > 0 || floatDown(sum.Quo(sum, part)) < 1-1e-4 || e.Coordinates != n || e.GridBits != ScoreGridBits {
				t.Errorf("%d scores: the loss is %s of the share", n, sum.FloatString(9))
			}
		}
	}
}

// TestResidualChargeFormula: with Δ² on the grid, the charge is ½ΣΔ²·c·u, and for one table σ² = Δ²/(2·share).
func TestResidualChargeFormula(t *testing.T) {
	for _, l := range gaussians(t) {
		list := []Centred{centredOf(l.params.Neighbouring, []int{2, 3}, 1), centredOf(l.params.Neighbouring, []int{4}, 7)}
		e := must.Value(l.Residuals(list, dp.ShareOf(1, 3)))(t)
		sum := 0.0
		for i, m := range list {
			sum += floatUp(e.Sensitivities[i]) * floatUp(m.Left) * precisionOf(m, e.Scales[i]) / 2
		}
		got := floatUp(loss(t, l, e))
		must.Hold(t, math.Abs(got/sum-1) <= 1e-12, "%+v: charge %g, formula %g", l.params, got, sum)
		one := must.Value(l.Residuals(list[:1], dp.ShareOf(1, 3)))(t)
		want := floatUp(list[0].L2Squared) / (2 * floatUp(share(l, dp.ShareOf(1, 3))))
		got = floatUp(one.Scales[0])
		must.Hold(t, got >= want && got <= want*(1+1e-4), "%+v: σ² = %g, want %g", l.params, got, want)
	}
}

// TestExtremePrecisions: any finite precisions give noise that fits one grid.
func TestExtremePrecisions(t *testing.T) {
	for _, l := range gaussians(t) {
		for _, precision := range [][]float64{{1e300, 1e-300}, {5e-324, 1}, {math.MaxFloat64, math.MaxFloat64, 1}, {1e-320, 1e-320}} {
			for _, s := range []dp.Share{dp.ShareOf(1, 1), dp.ShareOf(1, 1_000_000)} {
				var list []Centred
				for _, p := range precision {
					list = append(list, centredOf(l.params.Neighbouring, []int{3, 4}, p))
				}
				e, err := l.Residuals(list, s)
				must.Need(t, err == nil, "%v: %v", precision, err)
				used := new(big.Rat).Quo(loss(t, l, e), share(l, s))
				must.Hold(t, used.Cmp(big.NewRat(1, 1)) <= 0 && floatDown(used) >= .999 && e.coarsest().Cmp(power(2*samplerBits)) <= 0,
					"%v: %s of the share", precision, used.FloatString(6))
			}
		}
	}
}

func TestScores(t *testing.T) {
	for _, l := range gaussians(t) {
		unit := l.params.Neighbouring.UnitChanges()
		for _, n := range []int{1, 91, 2091} {
			e := must.Value(l.Scores(n, dp.ShareOf(3, 100)))(t)
			part := share(l, dp.ShareOf(3, 100))
			used := new(big.Rat).Quo(loss(t, l, e), part)
			must.Hold(t, used.Cmp(big.NewRat(1, 1)) <= 0 && floatDown(used) >= 1-1e-4, "%+v: %s of the share", l.params, used.FloatString(9))
			want := float64(int64(n)*unit*unit) / (2 * floatUp(part))
			got := floatUp(e.Scales[0])
			must.Hold(t, got >= want*(1-1e-12) && got <= want*(1+1e-4), "%+v: σ² = %g, want %g", l.params, got, want)
			must.Hold(t, e.Coordinates == int64(n) && len(e.Scales) == n && e.run(0) == n && e.fineGrid(),
				"%+v: %d coordinates, %d scales", l.params, e.Coordinates, len(e.Scales))
		}
	}
}

// TestStandIns: the plan's event costs what the real ones do.
func TestStandIns(t *testing.T) {
	for _, l := range ledgers(t) {
		kind := dp.DiscreteGaussian
		if l.params.Accounting == dp.Pure {
			kind = dp.DiscreteLaplace
		}
		e := must.Value(l.StandIn(kind, 12_345, dp.ShareOf(1, 7)))(t)
		used := new(big.Rat).Quo(loss(t, l, e), share(l, dp.ShareOf(1, 7)))
		must.Hold(t, used.Cmp(big.NewRat(1, 1)) <= 0 && floatDown(used) >= 1-1e-4 && e.Coordinates == 12_345,
			"%+v: %s of the share, %d coordinates", l.params, used.FloatString(9), e.Coordinates)
	}
}

func TestResidualRefusals(t *testing.T) {
	for _, l := range ledgers(t) {
		list := []Centred{centredOf(l.params.Neighbouring, []int{2, 3}, 1)}
		for _, s := range []dp.Share{{}, {Num: 0, Den: 1}, {Num: -1, Den: 2}, dp.ShareOf(1, 2)} {
			if s.Num > 0 && l.params.Accounting != dp.Pure {
				continue
			}
			_, residuals := l.Residuals(list, s) // of squared sensitivity alone
			_, scores := l.Scores(3, s)
			if s.Num > 0 {
				scores = residuals // it has a pure loss
			}
			_, standIn := l.StandIn(dp.DiscreteGaussian, 3, s)
			must.Hold(t, residuals != nil && scores != nil && standIn != nil,
				"%v: share %+v admitted: %v, %v, %v", l.params.Accounting, s, residuals, scores, standIn)
		}
	}
	l, good := gaussians(t)[0], centredOf(dp.AddRemove, []int{2, 3}, 1)
	for name, change := range map[string]func(*Centred){
		"axes below 0": func(c *Centred) { c.Axes = -1 }, "no cells": func(c *Centred) { c.Cells = 0 },
		"one cell": func(c *Centred) { c.Left = new(big.Rat) }, "no sensitivity": func(c *Centred) { c.L2Squared = new(big.Rat) },
		"no precision": func(c *Centred) { c.Precision = 0 }, "NaN": func(c *Centred) { c.Precision = math.NaN() },
		"infinite": func(c *Centred) { c.Precision = math.Inf(1) },
	} {
		bad := good
		change(&bad)
		must.Hold(t, panics(func() { _, _ = l.Residuals([]Centred{good, bad}, dp.ShareOf(1, 2)) }), "%s: no panic", name)
	}
	must.Hold(t, panics(func() { _, _ = l.Residuals(nil, dp.ShareOf(1, 2)) }) && panics(func() { _, _ = l.Scores(0, dp.ShareOf(1, 2)) }), "a release of nothing")
}

// TestIncompleteResidualsPanic: an event with sensitivities of its own has one for each scale, all above 0.
func TestIncompleteResidualsPanic(t *testing.T) {
	good := kinds()["gaussian"]
	one := big.NewRat(1, 4)
	good.L2Squared, good.Sensitivities = 0, []*big.Rat{one, one, one}
	rho, err := good.Loss(dp.ZCDP)
	want := big.NewRat(9, 512)
	must.Hold(t, err == nil && rho.Cmp(want) == 0, "loss %v, %v, want %v", rho, err, want) // an eighth of Δ² = 2
	uneven := good                                                                         // the first two scales are equal, their sensitivities are not
	uneven.Sensitivities = []*big.Rat{one, big.NewRat(1, 2), one}
	rho, err = uneven.Loss(dp.ZCDP)
	must.Hold(t, err == nil && rho.Cmp(big.NewRat(13, 512)) == 0, "uneven sensitivities: loss %v, %v", rho, err)
	for name, change := range map[string]func(*Event){
		"too few":              func(e *Event) { e.Sensitivities = e.Sensitivities[:2] },
		"none":                 func(e *Event) { e.Sensitivities = []*big.Rat{} },
		"zero":                 func(e *Event) { e.Sensitivities = []*big.Rat{one, new(big.Rat), one} },
		"both":                 func(e *Event) { e.L2Squared = 1 },
		"both of another kind": func(e *Event) { e.Kind, e.L1 = dp.DiscreteLaplace, 1 },
		"of a selection":       func(e *Event) { e.Kind = dp.LaplaceMax },
	} {
		bad := good
		change(&bad)
		must.Hold(t, panics(func() { _, _ = bad.Loss(dp.ZCDP) }), "%s: no panic", name)
	}
}

// TestResidualLines: sums of sensitivities are exact; few noises are listed, many summarised.
func TestResidualLines(t *testing.T) {
	l := gaussians(t)[0]
	var list []Centred
	for i := range 40 {
		list = append(list, centredOf(dp.AddRemove, shapes[i%len(shapes)], float64(1+i)))
	}
	for round, m := range [][]Centred{list[:2], list} {
		e := must.Value(l.Residuals(m, dp.ShareOf(1, 10)))(t)
		must.Do(t, l.Charge(e.At("pairs", 10*round)))
		line := l.Statement(Adaptive).Ledger[round]
		sum := new(big.Rat)
		for _, s := range e.Sensitivities {
			sum.Add(sum, s)
		}
		must.Hold(t, line.Sensitivity == "l2squared="+sum.RatString() && line.Marginals == len(m) && line.Coordinates == e.Coordinates, "line %+v", line)
		listed := strings.Contains(line.Scale, ",")
		must.Hold(t, listed == (round == 0) && len(line.Scale) <= 200 && strings.Contains(line.Scale, " to ") == (round == 1), "scale %q", line.Scale)
	}
	e := l.Events()[0]
	other := e.At("pairs", e.Round+1)
	other.Sensitivities = slices.Clone(e.Sensitivities)
	must.Hold(t, e.precedes(other), "equal events are not grouped")
	other.Sensitivities[1] = big.NewRat(1, 2)
	must.Hold(t, !e.precedes(other), "events of other sensitivities are grouped")
}
