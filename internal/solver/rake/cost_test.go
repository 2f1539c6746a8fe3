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

// The stated time follows public figures: at ε = 1, adult14 takes .8 s and 23 binary columns .8 s. With
// more noise fewer tables and cells are raked, and a whole universe is descended on in fewer steps.
func TestStatedTime(t *testing.T) {
	adult := []int{85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2}
	for name, tt := range map[string]struct {
		sizes []int
		want  float64
	}{"adult14": {adult, .8}, "binary": {slices.Repeat([]int{2}, 23), .8}, "adult7": {[]int{16, 15, 10, 7, 5, 2, 2}, .5}} {
		p := solver.Problem{Workload: query.AllMarginals(tt.sizes, 3, 10_000), Epsilon: 1, Delta: 1e-9, Units: 50_000}
		_, got := Cost(p)
		t.Logf("%s: %.2f s", name, got)
		if got < tt.want/2 || got > 2*tt.want {
			t.Errorf("%s: %.2f s, want about %g", name, got, tt.want)
		}
		if name == "binary" {
			continue // with little noise as with much all of its tables are raked
		}
		p.Epsilon = .1
		if _, less := Cost(p); !(less < .8*got) {
			t.Errorf("%s: %.2f s at a tenth of ε", name, less)
		}
	}
}
