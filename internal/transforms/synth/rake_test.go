package synth

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// wideColumns is a domain of 9^8 = 43 million cells, beyond what rake holds as a whole.
func wideColumns() *domain.Domain {
	d := &domain.Domain{PrivacyID: "who"}
	for a := range 8 {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("c", a), Type: domain.String,
			Values: strings.Split("a b c d e f g h i", " "), HasFallback: true})
	}
	return d
}

// wideTable counts 500 people with two rows each, read in the given order in chunks of the given length.
func wideTable(t *testing.T, order []int, chunk int, p counts.Params) *counts.Table {
	t.Helper()
	d := wideColumns()
	w := query.AllMarginals(d.Sizes(), 2, 1000)
	var chunks []*domain.Chunk
	for len(order) > 0 {
		n := min(chunk, len(order))
		var rows [][]string
		var ids []string
		for _, i := range order[:n] {
			row := make([]string, d.Len())
			for a := range row {
				row[a] = string(rune('a' + (i*(a+1)+i/7)%9))
			}
			rows, ids = append(rows, row), append(ids, fmt.Sprint("person", i%500))
		}
		chunks, order = append(chunks, transformtest.Chunk(rows, ids)), order[n:]
	}
	pipeline, s := beam.NewPipelineWithRoot()
	coded := private.Encode(s, transformtest.Create(s, chunks...), d, private.EncodeParams{})
	stats := counts.Count(s, private.Bound(s, coded, private.BoundParams{}), w, p)
	got := transformtest.Capture[*counts.Table](s, sensitive.Reveal(stats.Collection()))
	must.Do(t, transformtest.RunOn("prism", pipeline))
	return got.Elements()[0]
}

// One solve makes all releases of rake, though what a later one asks for follows from earlier ones. Made
// again from the same people in another order and other bundles, it repeats them byte for byte; a retry
// that finds the release in the store adopts all of it, whatever it has counted.
func TestRakeReleasesAreRetrySafe(t *testing.T) {
	first := make([]int, 1000)
	for i := range first {
		first[i] = i
	}
	permuted := rand.New(rand.NewPCG(7, 7)).Perm(1000)
	for name, p := range map[string]counts.Params{"tables": {}, "records": {MaxCells: 1}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			solve := func(tb *counts.Table, store StoreRef) []byte {
				t.Helper()
				w := query.AllMarginals(wideColumns().Sizes(), 2, 1000)
				f := &solveFn{
					Params: SolveParams{Epsilon: 8, Delta: 1e-9, Method: "rake", RunID: "run", Store: store}.withDefaults(),
					Public: query.Frame{Domain: *wideColumns(), Workload: w}, Shape: counts.NewShape(w, p),
				}
				ref := must.Value(process(f, []mechanism.Seed{testSeed(t, 3)}, []*counts.Table{tb}))(t)
				data := must.Value(ref.Read(t.Context(), store))(t)
				return data
			}
			want := solve(wideTable(t, first, 1000, p), StoreRef{})
			a := must.Value(DecodeArtifact(want))(t)
			must.Need(t, a.Result.Model.Columns != nil && len(a.Statement.Ledger) >= 5,
				"%d releases; want an adaptive run on a sampled population", len(a.Statement.Ledger))
			must.Hold(t, a.Statement.Schedule == accountant.Adaptive.String(),
				"an adaptive run is stated as %s: what it spent bounds no other run", a.Statement.Schedule)
			must.Hold(t, bytes.Equal(solve(wideTable(t, permuted, 77, p), StoreRef{}), want), "the same people in another order gave another release")
			if name != "tables" {
				return
			}
			fewer := wideTable(t, first[:400], 1000, p)
			must.Hold(t, !bytes.Equal(solve(fewer, StoreRef{}), want), "fewer people gave the same release")
			must.Do(t, os.WriteFile(filepath.Join(dir, "run.release"), want, 0o666))
			must.Hold(t, bytes.Equal(solve(fewer, StoreRef{Kind: "dir", Config: dir}), want), "a retry did not adopt the stored release")
		})
	}
}
