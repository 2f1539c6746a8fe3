package query_test

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
)

// The workload of a library call that names none is narrower where columns are many, and never a list that
// fills the memory.
func TestDefaultWorkload(t *testing.T) {
	for _, tt := range []struct{ columns, want int }{
		{3, 7}, {100, 166_750}, {200, 20_100}, {1000, 1000},
	} {
		if got := len(query.Default(slices.Repeat([]int{5}, tt.columns)).Marginals); got != tt.want {
			t.Errorf("%d columns: %d marginals, want %d", tt.columns, got, tt.want)
		}
	}
}
