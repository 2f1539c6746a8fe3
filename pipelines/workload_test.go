package pipelines

import (
	"slices"
	"testing"
)

// The workload of a library call that names none is narrower where columns are many, and never a list that
// fills the memory.
func TestDefaultWorkload(t *testing.T) {
	for _, tt := range []struct{ columns, want int }{
		{3, 7}, {100, 166_750}, {200, 20_100}, {1000, 1000},
	} {
		if got := len(defaultWorkload(slices.Repeat([]int{5}, tt.columns)).Marginals); got != tt.want {
			t.Errorf("%d columns: %d marginals, want %d", tt.columns, got, tt.want)
		}
	}
}

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
