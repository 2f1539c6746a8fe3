package discover

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// People of a panel have so many rows each, and are written with as many: bins of 6 to 9 rows would make a third more of six. Where
// most people have fewer rows than some, the largest number stays a power of two. The bars are 4.5 standard deviations of noise, and
// 20,000 people are some 30.
func TestPanelsAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	p := params("id", "kind")
	for n := 1; n < 2*exactCells; n += 1 + n/5 {
		panel, mixed := make(rows, 0, 20_000*n), make(rows, 0, 20_000*n)
		for i := range 20_000 {
			for k := range n {
				row := []string{fmt.Sprint("p", i), string(rune('a' + k%3))}
				if panel = append(panel, row); k <= i%n {
					mixed = append(mixed, row)
				}
			}
		}
		want, above := int64(n), int64(1)
		for ; above < int64(n); above *= 2 {
		}
		if n >= exactCells {
			want = above
		}
		p.ID = fmt.Sprint(rng.Uint64())
		must.Equal(t, foundIn(t, p, counted(t, p, panel)).MaxRows, want, "most rows of a panel of %d", n)
		if n > 4 {
			must.Equal(t, foundIn(t, p, counted(t, p, mixed)).MaxRows, above, "most rows of people of 1 to %d", n)
		}
	}
}
