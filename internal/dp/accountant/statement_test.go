package accountant

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var update = flag.Bool("update", false, "rewrite golden files")

// spend makes and charges the events of a selecting method: a noisy total, T selections charged one by
// one, and a certificate.
func spend(t *testing.T, p Params, rounds int) *Ledger {
	t.Helper()
	l, err := NewLedger(p)
	must.Do(t, err)
	made := func(e Event, err error) Event {
		t.Helper()
		must.Do(t, err)
		return e
	}
	enter := func(e Event) {
		t.Helper()
		must.Do(t, l.Charge(e))
	}
	enter(made(l.Measure(Equal(1, 1), dp.ShareOf(2, 100))).At("total", 0))
	selection := made(l.Select(dp.BlockExponential, 2, dp.ShareOf(93, 100*int64(rounds))))
	for round := 1; round <= rounds; round++ {
		enter(selection.At("select", round))
	}
	enter(made(l.MaxError(1, dp.ShareOf(5, 100))).At("certificate", 0))
	return l
}

func TestStatementGolden(t *testing.T) {
	l := spend(t, Params{Epsilon: 1, Delta: 1e-9}, 100)
	e := must.Value(l.Measure(Marginals{Precision: []float64{1, 1, 2}, Cells: 30}, dp.ShareOf(1, 1<<24)))(t)
	must.Do(t, l.Charge(e.At("extra", 1)))
	got := must.Value(json.MarshalIndent(l.Statement(Planned), "", "  "))(t)
	got = append(got, '\n')
	file := filepath.Join("testdata", "statement.json")
	if *update {
		must.Do(t, os.WriteFile(file, got, 0o644))
	}
	want := must.Value(os.ReadFile(file))(t)
	must.Hold(t, bytes.Equal(got, want), "statement differs from %s (rewrite with -update):\n%s", file, got)
}

// TestLinesSumToTheTotal reads the exact rationals back from the text.
func TestLinesSumToTheTotal(t *testing.T) {
	for _, p := range []Params{{Epsilon: 1, Delta: 1e-9}, {Epsilon: 1, Accounting: dp.Pure}} {
		s := spend(t, p, 20).Statement(Planned)
		sum := new(big.Rat)
		for _, line := range s.Ledger {
			part, ok := new(big.Rat).SetString(line.Rho + line.Epsilon)
			must.Need(t, ok, "line %+v", line)
			sum.Add(sum, part)
		}
		if total := s.RhoTotal + s.EpsilonTotal; sum.RatString() != total {
			t.Errorf("%v: lines sum to %v, total %v", p.Accounting, sum.RatString(), total)
		}
	}
}

func TestLinesGroupRounds(t *testing.T) {
	l := open(t, dp.ZCDP, 10)
	a, b, block := kinds()["exponential"], kinds()["gaussian"], kinds()["exponential"]
	block.Kind = dp.BlockExponential
	stronger := a
	stronger.Scales = []*big.Rat{big.NewRat(4, 1)}
	for _, e := range []Event{
		a.At("select", 1), b.At("measure", 1), // interleaved stages
		a.At("select", 2), b.At("measure", 2),
		a.At("select", 4),        // a gap
		stronger.At("select", 5), // other noise
		stronger.At("select", 6).Times(3),
		stronger.At("select", 9),
		b.At("select", 10), // other kind
		a.At("both", 1), block.At("both", 2),
	} {
		must.Do(t, l.Charge(e))
	}
	var got []string
	for _, line := range l.Statement(Adaptive).Ledger {
		got = append(got, strings.Join([]string{line.Stage, line.Scale, big.NewRat(int64(line.Round), int64(line.Count)).String()}, " "))
	}
	want := []string{"select b=8 1/2", "measure sigma2=16 ×2, 64 ×1 1/2", "select b=8 4/1", "select b=4 1/1", "select sigma2=16 ×2, 64 ×1 10/1",
		"both b=8 1/1", "both b=8 2/1"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") { // the fourth: round 5, count 5
		t.Errorf("lines\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	must.Hold(t, len(l.Events()) == 11, "grouping changed the events")
}

func TestAchieved(t *testing.T) {
	full := func(p Params, stages ...string) Statement {
		l := must.Value(NewLedger(p))(t)
		e := must.Value(l.Measure(Equal(5, 100), dp.ShareOf(1, int64(len(stages)))))(t)
		for _, s := range stages {
			must.Do(t, l.Charge(e.At(s, 1)))
		}
		return l.Statement(Planned)
	}
	for _, row := range []struct {
		name       string
		got        Statement
		conversion string
		low, high  float64
	}{
		{"zCDP, all", full(Params{Epsilon: 1, Delta: 1e-9}, "a", "b"), "zCDP", 0.9999, 1},
		{"GDP, all", full(Params{Epsilon: 1, Delta: 1e-9, Accounting: dp.GaussianOnly, Coordinates: 1000}, "a"), "GDP", 0.9999, 1},
		{"pure, all", full(Params{Epsilon: 0.7, Accounting: dp.Pure}, "a"), "pure", 0.6999, 0.7},
		{"selections beat r²/8", spend(t, Params{Epsilon: 1, Delta: 1e-6}, 50).Statement(Planned), "bounded-range Renyi", 0.95, 0.9999},
		{"adaptive", spend(t, Params{Epsilon: 1, Delta: 1e-6}, 50).Statement(Adaptive), "capacity", 1, 1},
		{"nothing charged", open(t, dp.ZCDP, 1).Statement(Planned), "pure", 0, 0},
	} {
		s := row.got
		must.Hold(t, s.Conversion == row.conversion && s.AchievedEpsilon >= row.low && s.AchievedEpsilon <= row.high,
			"%s: ε %g by %s, want [%g, %g] by %s", row.name, s.AchievedEpsilon, s.Conversion, row.low, row.high, row.conversion)
	}
}

// TestFewSelections: at (1, 1e-6), pure composition beats the conversion of rho for T ≤ 5 selections, and
// the exact curve beats both from T = 1 on, where the two-point law gives ε = r − 2·sqrt(δ·(1−exp(−r))).
func TestFewSelections(t *testing.T) {
	for _, rounds := range []int64{1, 2, 5, 6, 20} {
		l := open(t, dp.ZCDP, 1)
		e := must.Value(l.Select(dp.Exponential, 1, dp.ShareOf(1, rounds)))(t)
		must.Do(t, l.Charge(e.At("select", 1).Times(int(rounds))))
		singles := open(t, dp.ZCDP, 1)
		for round := range rounds {
			must.Do(t, singles.Charge(e.At("select", 1+int(round))))
		}
		pure, ok := l.pure()
		zcdp := rhoCurve(floatUp(l.Spent())).epsilonCeil(1e-6)
		must.Hold(t, ok && (pure < zcdp) == (rounds <= 5), "T = %d: pure %g (%v), zCDP %g", rounds, pure, ok, zcdp)
		s := l.Statement(Planned)
		must.Hold(t, s.AchievedEpsilon <= min(pure, zcdp)+1e-3 && s.Conversion == "bounded-range Renyi",
			"T = %d: ε %g by %s, pure %g, zCDP %g", rounds, s.AchievedEpsilon, s.Conversion, pure, zcdp)
		if one := singles.Statement(Planned); one.AchievedEpsilon != s.AchievedEpsilon || one.RhoTotal != s.RhoTotal {
			t.Errorf("T = %d: singles ε %g, together %g", rounds, one.AchievedEpsilon, s.AchievedEpsilon)
		}
		exact := pure - 2*math.Sqrt(1e-6*-math.Expm1(-pure))
		must.Hold(t, rounds != 1 || s.AchievedEpsilon >= exact && s.AchievedEpsilon <= exact+5e-4, "T = 1: ε %g, exact value %g", s.AchievedEpsilon, exact)
	}
}

// TestSpendingHalf: the achieved ε of half the budget is verified by the conversion it names.
func TestSpendingHalf(t *testing.T) {
	for _, kind := range []dp.Accounting{dp.ZCDP, dp.GaussianOnly} {
		l := open(t, kind, 1)
		e := must.Value(l.Measure(Equal(1, 10), dp.ShareOf(1, 2)))(t)
		must.Do(t, l.Charge(e.At("s", 1)))
		s := l.Statement(Planned)
		delta := RhoDeltaCeil(floatUp(l.Spent()), dp.Epsilon(s.AchievedEpsilon))
		if kind == dp.GaussianOnly {
			delta = GDPDeltaCeil(s.Mu, dp.Epsilon(s.AchievedEpsilon)) + discreteDelta(s.AchievedEpsilon, 1<<10)
		}
		must.Hold(t, delta <= 1e-6 && delta >= 0.98e-6, "%v: ε %g has δ %g", kind, s.AchievedEpsilon, delta)
	}
}

func TestApproximationsAreListed(t *testing.T) {
	s := spend(t, Params{Epsilon: 1, Delta: 1e-9}, 30).Statement(Planned)
	must.Hold(t, len(s.Approximations) == 1 && strings.Contains(s.Approximations[0], "30 block"), "blocks: %q", s.Approximations)
	if s := open(t, dp.GaussianOnly, 1).Statement(Planned); len(s.Approximations) != 1 || !strings.Contains(s.Approximations[0], "1024 coordinates") {
		t.Errorf("GDP: %q", s.Approximations)
	}
	if s := open(t, dp.ZCDP, 1).Statement(Planned); s.Approximations == nil || len(s.Approximations) != 0 {
		t.Errorf("none: %q", s.Approximations)
	}
}

func TestCeilDigits(t *testing.T) {
	for _, row := range []struct{ x, want float64 }{
		{0, 0}, {1, 1}, {0.94373, 0.9438}, {0.9437, 0.9437}, {0.99991, 1}, {0.99999, 1}, {1.00001, 1.001}, {9.9995, 10},
		{12345, 12350}, {1e-7, 1e-7}, {1.00000001e-7, 1.001e-7}, {1000, 1000}, {2.419, 2.419},
	} {
		must.Equal(t, ceilDigits(row.x, 4), row.want, "%g rounds up to", row.x)
	}
	rng := rand.New(rand.NewPCG(13, 14))
	for range 10_000 {
		x := math.Exp(20 * rng.NormFloat64())
		got := ceilDigits(x, 4)
		must.Need(t, got >= x && got <= x*(1+1.0000001e-3), "%g rounds up to %g", x, got)
	}
}

// TestMuRoundsUp: μ²/2 of the stated μ is at least the loss, to the last digit.
func TestMuRoundsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for range 1000 {
		loss := new(big.Rat).SetFrac64(1+rng.Int64N(1<<50), 1+rng.Int64N(1<<50))
		mu := ratOf(muOf(loss))
		stated := mu.Mul(mu, mu)
		must.Need(t, stated.Cmp(new(big.Rat).Add(loss, loss)) >= 0, "a loss of %v is stated with too small a μ", loss)
	}
}

// A statement prints its promise, in place of its fractions.
func TestStatementPrints(t *testing.T) {
	s := Statement{Epsilon: 1, Delta: 1e-9, Neighbouring: "AddRemove"}
	must.Equal(t, fmt.Sprint(s), "ε = 1, δ = 1e-09, add or remove one privacy unit", "printed as")
}
