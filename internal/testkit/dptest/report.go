package dptest

import (
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"testing"
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
