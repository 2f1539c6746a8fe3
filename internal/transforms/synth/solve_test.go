package synth

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/solver"
)

// table returns the counts of n people, made by the transforms as any table is.
func table(t *testing.T, n int) *counts.Table {
	t.Helper()
	return shifted(t, n, 0)
}

// shifted is table with other ages.
func shifted(t *testing.T, n, shift int) *counts.Table {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	got := transformtest.Capture[*counts.Table](s, sensitive.Reveal(shiftedStats(s, n, shift).Collection()))
	must.Do(t, transformtest.RunOn("prism", p))
	return got.Elements()[0]
}

// stats counts n people with some rows each.
func stats(s beam.Scope, n int) counts.Stats { return shiftedStats(s, n, 0) }

func shiftedStats(s beam.Scope, n, shift int) counts.Stats {
	var rows [][]string
	var ids []string
	for i := range 3 * n {
		rows = append(rows, []string{[]string{"F", "M"}[i%2], fmt.Sprint(7*(i%11) + shift), []string{"2020-01-03", "2020-02-03"}[i%2]})
		ids = append(ids, fmt.Sprint("person", i%n))
	}
	var chunks []*domain.Chunk
	if n > 0 {
		chunks = append(chunks, transformtest.Chunk(rows, ids))
	}
	coded := private.Encode(s, transformtest.Create(s, chunks...), visits(), private.EncodeParams{})
	return counts.Count(s, private.Bound(s, coded, private.BoundParams{}), workload(), counts.Params{})
}

func newSolveFn(store StoreRef) *solveFn {
	return &solveFn{
		Params: SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: "run", Store: store, NoStore: "a test draws often"}.withDefaults(),
		Public: query.Frame{Domain: *visits(), Workload: workload()}, Shape: counts.NewShape(workload(), counts.Params{}),
		Launch: launch{"pipeline", "launch"},
	}
}

func testSeed(t *testing.T, b byte) mechanism.Seed {
	t.Helper()
	s := must.Value(mechanism.SeedFromBytes(bytes.Repeat([]byte{b}, 32)))(t)
	return s
}

// iterate returns an iterator of Beam's kind.
func iterate[T any](items ...T) func(*T) bool {
	return func(out *T) bool {
		if len(items) == 0 {
			return false
		}
		*out, items = items[0], items[1:]
		return true
	}
}

// process calls ProcessElement once.
func process(f *solveFn, seeds []mechanism.Seed, tables []*counts.Table) (ref ModelRef, err error) {
	n := 0
	err = f.ProcessElement(context.Background(), 0, iterate(seeds...), iterate(tables...), func(r ModelRef) { ref, n = r, n+1 })
	if err == nil && n != 1 {
		err = fmt.Errorf("%d elements emitted", n)
	}
	return ref, err
}

func artifact(t *testing.T, ref ModelRef, store StoreRef) *Artifact {
	t.Helper()
	a := must.Value(DecodeArtifact(read(t, ref, store)))(t)
	return a
}

func read(t *testing.T, ref ModelRef, store StoreRef) []byte {
	t.Helper()
	data := must.Value(ref.Read(context.Background(), store))(t)
	return data
}

// Parts of a table release what the whole does, in any order, and are left as they are.
func TestPartsAreOneTable(t *testing.T) {
	seeds := []mechanism.Seed{testSeed(t, 1)}
	a, b, whole := table(t, 20), shifted(t, 30, 3), table(t, 20)
	must.Do(t, whole.Merge(shifted(t, 30, 3)))
	want := must.Value(process(newSolveFn(StoreRef{}), seeds, []*counts.Table{whole}))(t)
	for _, parts := range [][]*counts.Table{{a, b}, {b, a}, {whole}} {
		f := newSolveFn(StoreRef{})
		f.Parts = true
		got, err := process(f, seeds, parts)
		must.Hold(t, err == nil && reflect.DeepEqual(got, want), "%d parts release something else (error %v)", len(parts), err)
	}
}

// A retry on equal counts repeats the release byte by byte; a retry on other counts, and another seed
// or configuration, draws fresh noise.
func TestSolveIsAFunctionOfSeedConfigAndCounts(t *testing.T) {
	seeds, tables := []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 50)}
	first := must.Value(process(newSolveFn(StoreRef{}), seeds, tables))(t)
	recoded := must.Value(counts.DecodeTable(tables[0].Encode()))(t)
	again, err := process(newSolveFn(StoreRef{}), seeds, []*counts.Table{recoded})
	must.Hold(t, err == nil && reflect.DeepEqual(again, first), "a retry released something else (error %v)", err)
	noiseOf := func(f *solveFn, seeds []mechanism.Seed, tb *counts.Table) []float64 {
		ref := must.Value(process(f, seeds, []*counts.Table{tb}))(t)
		a := artifact(t, ref, StoreRef{})
		m := a.Result.Measurements[0]
		for i, c := range tb.Marginal(m.Clique) {
			m.Values[i] -= float64(c)
		}
		return m.Values
	}
	want := noiseOf(newSolveFn(StoreRef{}), seeds, tables[0])
	other := newSolveFn(StoreRef{})
	other.Params.RunID = "another"
	for name, got := range map[string][]float64{
		"one unit more":         noiseOf(newSolveFn(StoreRef{}), seeds, table(t, 51)),
		"another seed":          noiseOf(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 2)}, tables[0]),
		"another configuration": noiseOf(other, seeds, tables[0]),
	} {
		must.Hold(t, !reflect.DeepEqual(got, want), "%s: the same noise", name)
	}
}

// The noise of the total is bound to all counts, not only to the number of units that enters it: equally
// many people of other ages get another total.
func TestNoiseIsBoundToAllCounts(t *testing.T) {
	total := func(shift int) float64 {
		ref := must.Value(process(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{shifted(t, 50, shift)}))(t)
		return artifact(t, ref, StoreRef{}).Result.Total.Units
	}
	// The seed is fixed, so this is no matter of chance once it passes.
	a, b := total(0), total(20)
	must.Hold(t, a != b, "both tables have the total %g", a)
}

func TestSolveRefusesSeedsAndTables(t *testing.T) {
	tb := table(t, 5)
	for name, c := range map[string]struct {
		seeds  []mechanism.Seed
		tables []*counts.Table
	}{
		"no seed":    {nil, []*counts.Table{tb}},
		"zero seed":  {[]mechanism.Seed{{}}, []*counts.Table{tb}},
		"two seeds":  {[]mechanism.Seed{testSeed(t, 1), testSeed(t, 1)}, []*counts.Table{tb}},
		"two tables": {[]mechanism.Seed{testSeed(t, 1)}, []*counts.Table{tb, tb}},
	} {
		must.Fails(process(newSolveFn(StoreRef{}), c.seeds, c.tables))(t, "", "%s: a release was made", name)
	}
	for _, n := range []int{0, 31, 32, 33} {
		must.Fails(decodeSeed(make([]byte, n)))(t, "", "%d zero bytes decode as a seed", n)
	}
	b := encodeSeed(testSeed(t, 3))
	must.Hold(t, len(b) == 32 && b[0] == 3, "a seed does not survive its coder")
}

func TestSolveOfNothing(t *testing.T) {
	ref := must.Value(process(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 1)}, nil))(t)
	u := artifact(t, ref, StoreRef{}).Result.Total.Units
	must.Hold(t, math.Abs(u) <= 1000, "%g units released of no records", u)
}

// Under Replace the number of units is public: the released total is exact and nothing is charged.
func TestReplaceReleasesTheExactTotal(t *testing.T) {
	f := newSolveFn(StoreRef{})
	f.Params.Neighbouring = dp.Replace
	ref := must.Value(process(f, []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 50)}))(t)
	a := artifact(t, ref, StoreRef{})
	must.Hold(t, a.Result.Total.Units == 50 && a.Result.Total.Variance == 0 && a.Statement.Neighbouring == "Replace",
		"total %+v under %s, want exactly 50", a.Result.Total, a.Statement.Neighbouring)
}

func TestSolveAdoptsTheStoredRelease(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	tables := []*counts.Table{table(t, 20)}
	first := must.Value(process(newSolveFn(store), []mechanism.Seed{testSeed(t, 1)}, tables))(t)
	must.Hold(t, first.Inline == nil, "a stored release travels inline")
	// An adopted release needs no seed: nothing is drawn.
	for name, seeds := range map[string][]mechanism.Seed{"redrawn seed": {testSeed(t, 2)}, "no seed": nil} {
		again, err := process(newSolveFn(store), seeds, tables)
		must.Hold(t, err == nil && again.SHA256 == first.SHA256 && again.Path == first.Path && again.Adopted,
			"%s: a second release beside the first (error %v)", name, err)
	}
	other := newSolveFn(store)
	other.Params.Epsilon = 2
	if _, err := process(other, []mechanism.Seed{testSeed(t, 1)}, tables); err == nil || !strings.Contains(err.Error(), "was made with ε 1, and this request has 2") {
		t.Errorf("error %v, want refusal of another configuration's release", err)
	}
}

// lateStore finds nothing until somebody else has just created the object.
type lateStore struct{ dirStore }

func (s lateStore) Get(context.Context, string) ([]byte, bool, error) { return nil, false, nil }

func init() {
	RegisterStore("late", func(dir string) (Store, error) { return lateStore{dirStore{dir}}, nil })
}

func TestSolveLosesARace(t *testing.T) {
	dir := t.TempDir()
	tables := []*counts.Table{table(t, 20)}
	winner := must.Value(process(newSolveFn(StoreRef{Kind: "dir", Config: dir}), []mechanism.Seed{testSeed(t, 1)}, tables))(t)
	loser, err := process(newSolveFn(StoreRef{Kind: "late", Config: dir}), []mechanism.Seed{testSeed(t, 2)}, tables)
	must.Hold(t, err == nil && loser.Adopted && sameRelease(loser, winner), "the loser of a race released its own model (error %v)", err)
}

func TestArtifactRoundTrip(t *testing.T) {
	ref, err := process(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 9)})
	must.Do(t, err)
	a := artifact(t, ref, StoreRef{})
	a.Result.RMSE, a.Result.TV = math.NaN(), .125
	a.Result.Uncertainty = &solver.Uncertainty{Pooled: make([][]bool, 3), OneWay: []float64{1, 2, 3},
		Tables: []solver.TableUncertainty{{Clique: domain.Clique{0, 2}, Scale: .5, Precision: 1e-300}}}
	m := a.Result.Model
	m.Columns, m.Weights = [][]domain.Code{{1, 2}, {0, 3}, {1, 1}}, []float64{0.5, 2}
	file := &modelfile.File{Domain: *visits(), Method: "dpam", Units: 9, Cliques: workload().Cliques(), Model: m}
	a.Model, err = file.Encode()
	must.Do(t, err)
	b := must.Value(a.Encode())(t)
	got := must.Value(DecodeArtifact(b))(t)
	if c, err := got.Encode(); err != nil || !bytes.Equal(b, c) || !reflect.DeepEqual(got.Result.Model, m) ||
		got.Result.TV != .125 || !reflect.DeepEqual(got.Result.Uncertainty, a.Result.Uncertainty) || got.Statement.Epsilon != 1 {
		t.Errorf("an artifact came back different (error %v)", err)
	}
	for cut := range b {
		_, err := DecodeArtifact(b[:cut])
		must.Need(t, err != nil, "%d of %d bytes decode", cut, len(b))
	}
}

func TestParamsValidate(t *testing.T) {
	err := SolveParams{Epsilon: -1, Delta: 2, Units: -3, Rounds: -4, Store: StoreRef{Kind: "nowhere"}}.Validate()
	for _, want := range []string{"epsilon -1", "delta 2", "-3 units", "rounds -4", `"nowhere"`} {
		must.Hold(t, err != nil && strings.Contains(err.Error(), want), "faults %v lack %q", err, want)
	}
	must.Pass(t, (SolveParams{Epsilon: 1}).Validate())
}
