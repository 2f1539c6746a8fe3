package pipelines

import "testing"

func TestOfWidth(t *testing.T) {
	for _, tt := range []struct {
		n, width int
		want     int64
	}{{4, 3, 14}, {2, 3, 3}, {100, 3, 166_750}, {1000, 3, 166_667_500}} {
		if got := ofWidth(tt.n, tt.width); got != tt.want {
			t.Errorf("%d columns up to %d: %d sets, want %d", tt.n, tt.width, got, tt.want)
		}
	}
}
