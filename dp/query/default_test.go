package query_test

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The workload of a library call that names none is narrower where columns are many, and never a list that
// fills the memory.
func TestDefaultWorkload(t *testing.T) {
	for _, tt := range []struct{ columns, want int }{
		{3, 7}, {100, 166_750}, {200, 20_100}, {1000, 1000},
	} {
		must.Equal(t, len(query.Default(slices.Repeat([]int{5}, tt.columns)).Marginals), tt.want, "%d columns: marginals", tt.columns)
	}
}
