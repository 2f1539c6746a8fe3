package synth

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
)

var never = domain.Exclusions{{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{1}, {0, 3}}}}

// TestSolveExcludes: of every method, also one that does not know of exclusions, impossible records weigh 0
// in the release, and rows made from it are possible, whether its error is measured or not.
func TestSolveExcludes(t *testing.T) {
	for i, method := range []string{"universe", "rake", "dpam", "dpfw", "universe", "rake", "dpam", "dpfw"} {
		f := newSolveFn(StoreRef{})
		f.Params.Method, f.Public.Domain.StructuralZeros = method, never
		if i >= 4 {
			f.Params.ErrorShare = -1
		}
		ref, err := process(f, []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 50)})
		must.Need(t, err == nil, "%s: %v", method, err)
		_, a, err := decodeArtifact(read(t, ref, StoreRef{}))
		must.Need(t, err == nil, "%s: %v", method, err)
		s, err := newRowSource(a, "hash", WriteParams{Rows: 500})
		must.Need(t, err == nil, "%s: %v", method, err)
		record := make([]domain.Code, 3)
		for p := range s.rows.Len() {
			s.rows.At(p, record)
			must.Need(t, never.Violated(record) < 0, "%s: row %v is impossible", method, record)
		}
	}
}
