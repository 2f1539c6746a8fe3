package native

import (
	"math"
	"math/big"
	"testing"
)

func TestToMicros(t *testing.T) {
	for _, c := range []struct {
		unit    Unit
		v, want int64
	}{
		{Micros, -7, -7}, {Nanos, 1999, 1}, {Nanos, -1, -1}, {Nanos, -1000, -1}, {Nanos, math.MinInt64, math.MinInt64/1000 - 1},
		{Millis, -2, -2000}, {Seconds, 3, 3_000_000},
		{Millis, math.MaxInt64 / 1000, math.MaxInt64 / 1000 * 1000}, {Millis, math.MaxInt64/1000 + 1, math.MaxInt64},
		{Seconds, math.MinInt64 / 1000, math.MinInt64},
	} {
		if got := c.unit.ToMicros(c.v); got != c.want {
			t.Errorf("%d of unit %d: %d, want %d", c.v, c.unit, got, c.want)
		}
	}
}

func TestMoved(t *testing.T) {
	for _, c := range []struct {
		v      int64
		places int
		want   int64
	}{{-15, -1, -2}, {15, -1, 1}, {15, 2, 1500}, {1, 76, math.MaxInt64}, {-1, 76, math.MinInt64}, {-1, -76, -1}} {
		if got := Moved(big.NewInt(c.v), c.places); got != c.want {
			t.Errorf("%d moved by %d: %d, want %d", c.v, c.places, got, c.want)
		}
	}
}
