package mechanism

import (
	"errors"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// maxMergedCells is the most cells of a marginal that Residuals and Scores take: their sums then fit an int64
// for tables of up to MaxUnits units.
const maxMergedCells = 1 << 20

var errTooManyMerged = errors.New("a marginal has more than 2^20 cells")

// mergedTables are the marginals of a request on merged codes: their shapes are public, their counts private.
type mergedTables struct {
	gate    *gate
	cliques []domain.Clique
	merge   query.Recoding
	shapes  [][]int // of each clique: cells along each of its axes
	cells   []int
}

// merged checks a request's cliques and recoding: shapes by panic, sizes by error.
func (g *gate) merged(r Request) (*mergedTables, error) {
	if len(r.Cliques) == 0 {
		panic("mechanism: release of no marginals")
	}
	g.checkRecoding(r.Merge)
	t := &mergedTables{gate: g, cliques: r.Cliques, merge: r.Merge}
	sizes := r.Merge.Sizes(g.sizes)
	for _, c := range r.Cliques {
		g.cells(c)
		n, err := c.Cells(sizes)
		if err != nil || n > maxMergedCells {
			return nil, errTooManyMerged
		}
		shape := lists.Of(c, func(a int) int { return sizes[a] })
		t.shapes, t.cells = append(t.shapes, shape), append(t.cells, int(n))
	}
	return t, nil
}

// checkRecoding panics unless r maps all codes of each attribute onto 0…k−1.
func (g *gate) checkRecoding(r query.Recoding) {
	if r != nil && len(r) != len(g.sizes) {
		panic("mechanism: a recoding of another domain")
	}
	sizes := r.Sizes(g.sizes)
	for a, codes := range r {
		if codes == nil {
			continue
		}
		if len(codes) != g.sizes[a] || sizes[a] > len(codes) {
			panic("mechanism: a recoding of another attribute")
		}
		used, distinct := make([]bool, sizes[a]), 0
		for _, c := range codes {
			if !used[c] {
				used[c] = true
				distinct++
			}
		}
		if distinct != sizes[a] {
			panic("mechanism: a recoding with gaps")
		}
	}
}

// counts returns the exact merged counts of clique i. It reads private data.
func (t *mergedTables) counts(i int) []int64 {
	c := t.cliques[i]
	counts := t.gate.marginal(c)
	for _, a := range c {
		if t.merge != nil && t.merge[a] != nil {
			return t.merge.Merge(c, t.gate.sizes, counts)
		}
	}
	return counts // shared: not to be modified
}
