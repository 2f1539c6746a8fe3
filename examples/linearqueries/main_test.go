package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// The noise of DPAM's answers has a standard deviation of 27 of 5,000 people; 200 are more than seven of them. The errors of DPFW were -243 to
// 366 in 13 runs, with a standard deviation of 100 around their means; a model that has learned nothing misses the parity by 1,666.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 5000); err != nil {
		t.Fatal(err)
	}
	lines := 0
	for line := range strings.Lines(out.String()) {
		method, name, ok := strings.Cut(line, ": ")
		var got, low, high, want float64
		name, figures, is := strings.Cut(name, " is about ")
		if _, err := fmt.Sscanf(figures, "%f, %f to %f (95 %%); true %f", &got, &low, &high, &want); err != nil || !(low < got && got < high) || !ok || !is || math.Abs(got-want) > map[string]float64{"dpam": 200, "dpfw": 1000}[method] {
			t.Errorf("%s, %s: %v, %s", method, name, err, line)
		}
		lines++
	}
	if lines != 4 {
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
}
