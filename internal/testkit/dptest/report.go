package dptest

import (
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// The environment variables of the nightly runs.
const (
	nightlyVariable = "DAPPLE_NIGHTLY"
	seedVariable    = "DAPPLE_SEED"
)

// Nightly reports whether the tests run at their nightly sizes: DAPPLE_NIGHTLY is set.
func Nightly() bool { return os.Getenv(nightlyVariable) != "" }

// Size returns the size of a test: daily, or nightly where Nightly is true.
func Size(daily, nightly int) int {
	if Nightly() {
		return nightly
	}
	return daily
}

// Seed returns the seed of a test's ordinary randomness: 1, and nightly a fresh one, which is logged
// and can be given again as DAPPLE_SEED.
func Seed(t testing.TB) uint64 {
	t.Helper()
	if text := os.Getenv(seedVariable); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s is not a number", seedVariable)
		}
		return seed
	}
	if !Nightly() {
		return 1
	}
	var b [8]byte
	rand.Read(b[:])
	seed := binary.LittleEndian.Uint64(b[:])
	t.Logf("%s=%d", seedVariable, seed)
	return seed
}

// Figure logs a measured figure. The program integration/verify shows it beside the test's result.
func Figure(t testing.TB, format string, args ...any) {
	t.Helper()
	t.Logf(FigureMark+format, args...)
}

// FigureMark begins the log lines of Figure.
const FigureMark = "figure: "

// Alarm is the false-alarm rate of each statistical test: the probability that right code fails it.
const Alarm = 1e-6

// ChiSquare returns the p-value of Pearson's test that the observed cell counts follow the
// probabilities, which sum to 1. Neighbouring cells are merged until each expects at least 25. A test
// that fails if the p-value is below Alarm has that false-alarm rate (with seeds fixed, it is the
// chance that the seed chosen was unlucky).
func ChiSquare(observed []int, probabilities []float64) float64 {
	n := summation.InOrder(observed)
	statistic, cells := 0.0, 0
	gotSum, wantSum := 0.0, 0.0
	rest := float64(n)
	for i, p := range probabilities {
		gotSum += float64(observed[i])
		wantSum += p * float64(n)
		if wantSum >= 25 && (rest-wantSum >= 25 || i == len(probabilities)-1) {
			statistic += (gotSum - wantSum) * (gotSum - wantSum) / wantSum
			cells++
			rest -= wantSum
			gotSum, wantSum = 0, 0
		}
	}
	if wantSum > 0 {
		statistic += (gotSum - wantSum) * (gotSum - wantSum) / wantSum
		cells++
	}
	if cells < 2 {
		panic("dptest: a chi-square test needs two cells that expect 25")
	}
	return mathext.GammaIncRegComp(float64(cells-1)/2, statistic/2)
}
