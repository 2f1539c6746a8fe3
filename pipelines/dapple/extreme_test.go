package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestExtremeBudgets: a budget with which a method cannot run is refused before anything is read; every other runs,
// without a word of a fault. The first two have noise whose variance a float64 does not hold.
func TestExtremeBudgets(t *testing.T) {
	dir := tableOf(t, peopleHeader+strings.Repeat("p1,Female,30,1000,2024-01-01\np2,Male,50,2000,2024-05-01\n", 20))
	for i, row := range []struct {
		method, epsilon, delta string
		runs                   bool
	}{
		{"dpam", "705", "0", true},
		{"dpam", "1e6", "0", true},
		{"dpfw", "1e300", "0", true},
		{"dpfw", "1e-9", "0", false},
		{"dpam", "1000", "0.99999999", true},
		{"rake", "1e6", "1e-9", true},
		{"rake", "1e300", "1e-9", false},
	} {
		run := dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", fmt.Sprint("--output=out", i), "--quiet", "--runner=direct",
			"--marginals=2", "--method="+row.method, "--epsilon="+row.epsilon, "--delta="+row.delta, "--accept_delta")
		if row.runs {
			run.want(t, 0)
			continue
		}
		if run.want(t, 2); !strings.Contains(run.stderr, "nothing was read or written") {
			t.Errorf("%s at ε = %s: %s", row.method, row.epsilon, run.stderr)
		}
	}
}
