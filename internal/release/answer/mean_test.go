package answer

import "testing"

// TestMeans: a mean is written with the digits that its interval leaves.
func TestMeans(t *testing.T) {
	for _, c := range []struct {
		mean, half float64
		want       string
	}{{12.345, .123, "mean 12.35 ± 0.12"}, {1983.4, 3, "mean 1983.4 ± 3.0"}, {52000, 140, "mean 52000 ± 140"}} {
		if got := (Mean{true, c.mean, c.half}).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
