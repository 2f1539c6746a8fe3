package rake

import (
	"errors"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

// Tables that do not fit the memory limit are refused from public sizes, and a limit that has room for them
// admits them.
func TestMemoryLimit(t *testing.T) {
	sizes := slices.Repeat([]int{90}, 12)
	p := solver.Problem{Workload: query.AllMarginals(sizes, 3, 1e6), Epsilon: 1, Delta: 1e-9, MemoryLimit: 2 << 30}
	var refused *ErrMemory
	if _, err := Accesses(p); !errors.As(err, &refused) {
		t.Fatalf("220 triples of 729,000 cells in 2 GiB: %v, want ErrMemory", err)
	}
	p.MemoryLimit = int64(refused.Need) + 1
	if _, err := Accesses(p); err != nil {
		t.Errorf("with the memory that was asked for: %v", err)
	}
}
