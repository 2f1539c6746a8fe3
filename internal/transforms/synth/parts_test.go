package synth

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamgraph "github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// Parts that are kept release what the whole table does, in any order, in a store and in a spill.
func TestPartsThroughTheStore(t *testing.T) {
	whole := table(t, 20)
	must.Do(t, whole.Merge(shifted(t, 30, 3)))
	store := func() StoreRef { return StoreRef{Kind: "dir", Config: t.TempDir()} }
	want := must.Value(process(newSolveFn(store()), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{whole}))(t)
	spill := private.NewSpill(t.TempDir())
	defer spill.Close()
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		for _, at := range []StoreRef{store(), spill.Ref()} {
			kept, parts := carry.Carrier{At: at, Dir: "run" + PartsSuffix}, [][]byte(nil)
			for _, table := range []*counts.Table{table(t, 20), shifted(t, 30, 3)} {
				must.Do(t, (&partFn{kept}).ProcessElement(t.Context(), table, func(part []byte) { parts = append(parts, part) }))
			}
			f, got := &solvePartsFn{*newSolveFn(store()), kept}, ModelRef{}
			err := f.ProcessElement(context.Background(), 0, iterate(testSeed(t, 1)), iterate(parts[order[0]], parts[order[1]]), func(r ModelRef) { got = r })
			must.Hold(t, err == nil && reflect.DeepEqual(got, want), "%v: %+v, %v; want %+v", order, got, err, want)
		}
	}
}

// A part that has changed ends the run before anything is drawn.
func TestPartsAreCheckedBeforeTheyCount(t *testing.T) {
	spill, s := private.NewSpill(t.TempDir()), StoreRef{Kind: "dir", Config: t.TempDir()}
	defer spill.Close()
	f := &solvePartsFn{*newSolveFn(s), carry.Carrier{At: spill.Ref()}}
	err := f.ProcessElement(context.Background(), 0, iterate(testSeed(t, 1)), iterate(make([]byte, 40)), func(ModelRef) {})
	must.Hold(t, err != nil, "a release of a part that is not there")
	left, err := filepath.Glob(filepath.Join(s.Config, "run"+DrawnSuffix))
	must.Hold(t, err == nil && len(left) <= 0, "a mark of noise is left: %v, %v", left, err)
}

// visitsOf300 counts a record each of 300 people.
func visitsOf300(s beam.Scope, p counts.Params) counts.Stats {
	var ids []string
	var rows [][]string
	for i := range 300 {
		ids, rows = append(ids, fmt.Sprint(i)), append(rows, []string{"F", fmt.Sprint(i % 50), "2020-01-03"})
	}
	coded := private.Encode(s, transformtest.Create(s, transformtest.Chunk(rows, ids)), visits(), private.EncodeParams{})
	return counts.Count(s, private.Bound(s, coded, private.BoundParams{}), workload(), p)
}

// Solve sends parts through the store if there is one, and no element of records is before it.
func TestSolveKeepsPartsInTheStore(t *testing.T) {
	for _, to := range []struct{ kind, parts string }{{"", ""}, {"dir", ""}, {"dir", "dir"}} {
		kind, store, other := to.kind, StoreRef{Kind: to.kind, Config: t.TempDir()}, StoreRef{Kind: to.parts, Config: t.TempDir()}
		p, s := beam.NewPipelineWithRoot()
		in := visitsOf300(s, counts.Params{MaxCells: 1, MaxPart: 100})
		release := Solve(s, in, SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: "run", Store: store, Parts: other})
		got := transformtest.Capture[ModelRef](s, release.refs)
		all := transformtest.Capture[*counts.Table](s, sensitive.Reveal(in.Collection()))
		transformtest.Run(t, p)
		at := store
		if to.parts != "" {
			at = other
			must.Fails(os.Stat(filepath.Join(store.Config, "run"+PartsSuffix)))(t, "", "parts are in the store of the release too")
		}
		stored, err := filepath.Glob(filepath.Join(at.Config, "run"+PartsSuffix, "*"))
		if err != nil || len(got.Elements()) != 1 || len(all.Elements()) < 2 {
			t.Fatal(got.Elements(), len(all.Elements()), err)
		}
		want := len(all.Elements())
		must.Hold(t, (kind != "" || len(stored) == 0) && (kind == "" || len(stored) == want), "store %q has %d parts of %d", kind, len(stored), want)
		units := artifact(t, got.Elements()[0], store).Result.Total.Units
		must.Hold(t, math.Abs(units-300) <= 200, "released %g units of 300", units) // nine standard deviations
	}
}

// Solve puts pieces of a table together, with a store and without.
func TestSolvePutsPiecesTogether(t *testing.T) {
	for _, kind := range []string{"", "dir"} {
		store := StoreRef{Kind: kind, Config: t.TempDir()}
		p, s := beam.NewPipelineWithRoot()
		in := visitsOf300(s, counts.Params{Divide: true})
		release := Solve(s, in, SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: "run", Store: store})
		got := transformtest.Capture[ModelRef](s, release.refs)
		transformtest.Performant(t, p)
		transformtest.Run(t, p)
		if len(got.Elements()) != 1 || !in.Pieces() {
			t.Fatalf("%d releases of pieces, %v", len(got.Elements()), in.Pieces())
		}
		units := artifact(t, got.Elements()[0], store).Result.Total.Units
		must.Hold(t, math.Abs(units-300) <= 200, "released %g units of 300", units) // nine standard deviations
	}
}

type learner struct {
	ID int64 `dapple:"id"`
	X  int64 `dapple:"x"`
}

func init() { beam.RegisterType(reflect.TypeFor[learner]()) }

func learned() *domain.Domain {
	return &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 9999}, Resolution: 1, Learned: 5, HasFallback: true}}}
}

// Without a store they would be one element. Launchers on runners that have no memory for it say what to set; no
// other table is refused.
func TestKeptRecordsNeedAStore(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	tabled := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 10, 20}, Resolution: 1, HasFallback: true}}}
	old := *runners.Runner
	defer func() { *runners.Runner = old }()
	for _, tt := range []struct {
		runner string
		domain *domain.Domain
		store  StoreRef
		fails  bool
	}{
		{"flink", learned(), StoreRef{}, true},
		{"SparkRunner", learned(), StoreRef{}, true},
		{"dataflow", learned(), StoreRef{}, true},
		{"universal", learned(), StoreRef{}, true},
		{"flink", learned(), store, false},
		{"flink", tabled, StoreRef{}, false},
		{"", learned(), StoreRef{}, false},
		{"PrismRunner", learned(), StoreRef{}, false},
		{"direct", learned(), StoreRef{}, false},
	} {
		*runners.Runner = tt.runner
		said := func() (said any) {
			defer func() { said = recover() }()
			_, s := beam.NewPipelineWithRoot()
			params := Params{Domain: tt.domain, Epsilon: 1, Delta: 1e-9, Store: tt.store, RunID: "run"}
			if tt.store.Kind == "" {
				params.NoStore = "a test"
			}
			Synthesize(s, beam.CreateList(s, []learner{{1, 1}}), params)
			return nil
		}()
		want := "Store is required with runner " + strings.TrimSuffix(strings.ToLower(tt.runner), "runner") + " for this table"
		text, _ := said.(string)
		must.Hold(t, (said != nil) == tt.fails && (!tt.fails || strings.Contains(text, want)), "%q: %v", tt.runner, said)
	}
}

// Engines get the counts of a bundle in pieces, with and without a store.
func TestEnginesGetPieces(t *testing.T) {
	old := *runners.Runner
	defer func() { *runners.Runner = old }()
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 10, 20}, Resolution: 1, HasFallback: true}}}
	for _, tt := range []struct {
		runner string
		store  StoreRef
		want   bool
	}{
		{"flink", StoreRef{}, true},
		{"flink", StoreRef{Kind: "dir", Config: t.TempDir()}, true},
		{"prism", StoreRef{}, false},
	} {
		*runners.Runner = tt.runner
		p, s := beam.NewPipelineWithRoot()
		params := Params{Domain: d, Epsilon: 1, Delta: 1e-9, Store: tt.store, RunID: "run"}
		if tt.store.Kind == "" {
			params.NoStore = "a test"
		}
		Synthesize(s, beam.CreateList(s, []learner{{1, 1}}), params)
		edges, _, err := p.Build()
		must.Do(t, err)
		pieces := slices.ContainsFunc(edges, func(e *beamgraph.MultiEdge) bool {
			return slices.ContainsFunc(e.Output, func(o *beamgraph.Outbound) bool { return o.To.Type().Type() == reflect.TypeFor[*counts.Piece]() })
		})
		must.Hold(t, pieces == tt.want, "%q, store %q: in pieces: %v", tt.runner, tt.store.Kind, pieces)
	}
}
