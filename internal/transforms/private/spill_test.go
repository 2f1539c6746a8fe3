package private

import (
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
)

// A bundle that passes on more than its runner takes ends the run in words, on which a job of prism would hang; with a
// spill the same records pass, as only their places travel.
func TestBoundStopsAtMaxBundle(t *testing.T) {
	var rows [][]string
	var ids []string
	for i := range 2000 {
		rows, ids = append(rows, []string{"F", "30", "true", "1", "2020-01-15"}), append(ids, "person "+strings.Repeat("x", i))
	}
	spill := NewSpill(t.TempDir())
	defer spill.Close()
	for name, c := range map[string]struct {
		p     BoundParams
		fails bool
	}{
		"above the limit": {BoundParams{MaxBundle: 1 << 20}, true},
		"below the limit": {BoundParams{MaxBundle: 4 << 20}, false},
		"no limit":        {BoundParams{MaxBundle: -1}, false},
		"spill":           {BoundParams{MaxBundle: 1, Spill: spill}, false},
	} {
		p, s := beam.NewPipelineWithRoot()
		col := transformtest.Create(s, transformtest.Chunk(rows, ids))
		units := Bound(s, Encode(s, col, people(), EncodeParams{}), c.p)
		got := transformtest.Capture[*records.Batch](s, sensitive.Reveal(units.Collection()))
		err := transformtest.RunOn("prism", p)
		must.Hold(t, (!c.fails || err != nil && strings.Contains(err.Error(), "nothing was drawn")) && (c.fails || err == nil), "%s: error %v", name, err)
		n := 0
		for _, b := range got.Elements() {
			n += b.N
		}
		must.Hold(t, (c.fails || n == len(ids)) && (!c.fails || n == 0), "%s: %d units of %d", name, n, len(ids))
	}
}
