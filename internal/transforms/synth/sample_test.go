package synth

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
)

type visit struct {
	Sex string
	Age *uint8
	On  time.Time `dapple:"day"`
}

func init() { beam.RegisterType(reflect.TypeFor[visit]()) }

// run builds the whole graph of n people, from records to rows, on the named runner.
func run(t *testing.T, runner string, n int, p SolveParams, sp SampleParams) []string {
	t.Helper()
	p.Epsilon, p.Delta, p.Method = 5, 1e-6, "universe"
	pl, s := beam.NewPipelineWithRoot()
	got := transformtest.Capture[*domain.Chunk](s, Sample(s, Solve(s, stats(s, n), p), sp))
	transformtest.Performant(t, pl)
	must.Do(t, transformtest.RunOn(runner, pl))
	var out []string
	for _, c := range got.Elements() {
		out = append(out, lines(c)...)
	}
	return out
}

func TestWholePipeline(t *testing.T) {
	for _, runner := range []string{"prism", "direct"} {
		for _, branches := range []int{1, 3} {
			rows := run(t, runner, 300, SolveParams{}, SampleParams{Rows: 1000, Branches: branches, Shards: 5})
			must.Hold(t, len(rows) == 1000, "%s: %d rows, want 1000", runner, len(rows))
		}
		// 300 people, and noise whose standard deviation at ε = 5 is 3.3: 50 are 15 of them, beyond which it
		// goes with probability 1e-51.
		rows := run(t, runner, 300, SolveParams{}, SampleParams{})
		must.Hold(t, len(rows) >= 250 && len(rows) <= 350, "%s: %d rows for a noisy total of 300", runner, len(rows))
		run(t, runner, 0, SolveParams{}, SampleParams{})
	}
}

// Two runs that share a run ID and a store share one release, and with equal sampling seeds the rows;
// however many shards there are. With another seed some hundred ages are drawn anew from 20 each: equal rows
// by chance have probability below 1e-30.
func TestRunsShareAStoredRelease(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	p := SolveParams{RunID: "shared", Store: store}
	var want []string
	for i, sp := range []SampleParams{{Shards: 1}, {Shards: 7, Branches: 2}, {Shards: 1, Seed: 1}} {
		sp.Rows = 500
		got := run(t, "prism", 100, p, sp)
		slices.Sort(got)
		if i == 0 {
			want = got
		}
		must.Equal(t, slices.Equal(got, want), (sp.Seed == 0), "sampling %d: equal rows", i)
	}
}

func testSource(t *testing.T, n int64, rounding Rounding) *rowSource {
	t.Helper()
	src := must.Value(newTestSource(n, rounding))(t)
	return src
}

func newTestSource(n int64, rounding Rounding) (*rowSource, error) {
	model := &population.Model{Sizes: visits().Sizes(), Weights: make([]float64, 3*4*2)}
	for i := range model.Weights {
		model.Weights[i] = float64(i % 7)
	}
	file := &modelfile.File{Domain: *visits(), Cliques: workload().Cliques(), Model: model}
	return newRowSource(file, "hash", WriteParams{Rows: n, Seed: 3, Rounding: rounding})
}

// The shards of any partition, one after the other, are the rows of one shard.
func TestShardsAreBlocksOfOneTable(t *testing.T) {
	const n = 10_000
	for _, rounding := range []Rounding{Refined, Systematic} {
		src := testSource(t, n, rounding)
		all := func(shards int) (out []string) {
			for i := range shards {
				from, to := src.block(i, shards)
				must.Do(t, src.each(context.Background(), oneTable, from, to, newChunk, func(c *domain.Chunk) error {
					out = append(out, lines(c)...)
					return nil
				}))
			}
			return out
		}
		want := all(1)
		must.Need(t, len(want) == n, "%d rows, want %d", len(want), n)
		for _, shards := range []int{2, 3, 17, n + 5} {
			must.Hold(t, slices.Equal(all(shards), want), "rounding %d: %d shards make other rows than one", rounding, shards)
		}
	}
}

// Ages and days of a row are drawn from words of their own. The correlation of n independent pairs is
// below 5/√n with a false-alarm rate of 6e-7.
func TestColumnsAreDrawnIndependently(t *testing.T) {
	src := testSource(t, 20_000, Systematic)
	var x, y []float64
	must.Do(t, src.each(context.Background(), oneTable, 0, src.n, newChunk, func(c *domain.Chunk) error {
		for i := range c.Rows {
			age, day := &c.Columns[1], c.Columns[2].Ints[i]
			if !age.Null(i) && age.Ints[i] < 20 && day < 18293 {
				x, y = append(x, float64(age.Ints[i])), append(y, float64(day))
			}
		}
		return nil
	}))
	n := float64(len(x))
	r := correlation(x, y)
	must.Hold(t, n >= 500 && math.Abs(r) <= 5/math.Sqrt(n), "correlation %g of %g pairs", r, n)
}

func correlation(x, y []float64) float64 {
	var sx, sy, sxx, sxy, syy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, sxy, syy = sxx+x[i]*x[i], sxy+x[i]*y[i], syy+y[i]*y[i]
	}
	n := float64(len(x))
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

func TestSampleStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	err := testSource(t, 100*chunkRows, Systematic).each(ctx, oneTable, 0, 100*chunkRows, newChunk, func(*domain.Chunk) error {
		calls++
		cancel()
		return nil
	})
	must.Hold(t, err != nil && calls == 1, "error %v after %d chunks, want the context's error after one", err, calls)
}

// The words of a row do not depend on anything but the model, the seed and the position: pinned.
func TestWordsArePinned(t *testing.T) {
	w := newWords("abc", 1)
	got, want := [3]uint64{w.rows, w.at(0), w.at(1 << 40)}, [3]uint64{0x913cac772ae63c21, 0xadb7acad4ab7d9c4, 0x9f046e4c6900927f}
	must.Hold(t, got == want, "words %#x, want %#x", got, want)
}

func TestSampleAsStructs(t *testing.T) {
	pl, s := beam.NewPipelineWithRoot()
	model := Solve(s, stats(s, 200), SolveParams{Epsilon: 5, Delta: 1e-6, Method: "universe"})
	rows := Sample(s, model, SampleParams{Rows: 400, As: reflect.TypeFor[visit]()})
	got := transformtest.Capture[visit](s, rows)
	transformtest.Performant(t, pl)
	must.Do(t, transformtest.RunOn("prism", pl))
	nulls := 0
	for _, v := range got.Elements() {
		if v.Age == nil {
			nulls++
		}
		must.Need(t, (v.Sex == "F" || v.Sex == "M" || v.Sex == "other") && !v.On.Before(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) && v.On.Year() == 2020,
			"row %+v is outside the domain", v)
	}
	n := len(got.Elements())
	must.Hold(t, n == 400 && nulls != 400, "%d rows, %d without age", n, nulls)
}

func TestSampleRefusesAStructThatDoesNotFit(t *testing.T) {
	type narrow struct {
		Sex string
		Age int8 // not a pointer, and ages go to 100
		Day bool
	}
	defer func() {
		text, _ := recover().(string)
		for _, want := range []string{`"age" can be NULL`, `"day"`} {
			must.Hold(t, strings.Contains(text, want), "panic %q lacks %s", text, want)
		}
	}()
	_, s := beam.NewPipelineWithRoot()
	Sample(s, Release{domain: visits()}, SampleParams{As: reflect.TypeFor[narrow]()})
}

func TestSampleRefusesAModelOfOtherColumns(t *testing.T) {
	ref := must.Value(process(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 20)}))(t)
	other := *visits()
	other.Attributes = other.Attributes[1:]
	maker := newSampleFn(Release{domain: &other}, WriteParams{Rows: 10})
	must.Fails(maker.open(context.Background(), ref))(t, "other columns")
}

func writeTo(s beam.Scope, dir string) beam.PCollection {
	p := SolveParams{Epsilon: 5, Delta: 1e-6, Method: "universe", Store: StoreRef{Kind: "dir", Config: dir}, RunID: "run"}
	return Write(s, Solve(s, stats(s, 300), p), WriteParams{Rows: 5000, Shards: 4, Branches: 2, Sink: SinkRef{"dir", dir}})
}

// published returns the rows of the published parts and checks that nothing else is left.
func published(t *testing.T, dir string) (rows []string) {
	t.Helper()
	names := must.Value(filepath.Glob(filepath.Join(dir, "*")))(t)
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	want := []string{"_privacy.json", "part-0", "part-1", "part-2", "part-3", "run.drawn", "run.launches", "run.release"}
	must.Need(t, slices.Equal(names, want), "files %v, want %v", names, want)
	for _, name := range names[1:5] {
		text := must.Value(os.ReadFile(filepath.Join(dir, name)))(t)
		rows = append(rows, strings.Split(strings.TrimSpace(string(text)), "\n")...)
	}
	return rows
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	pl, s := beam.NewPipelineWithRoot()
	got := transformtest.Capture[Published](s, writeTo(s, dir))
	transformtest.Performant(t, pl)
	must.Do(t, transformtest.RunOn("prism", pl))
	m := got.Elements()
	must.Hold(t, len(m) == 1 && m[0].Rows == 5000 && m[0].Files == 4, "manifests %+v", m)
	rows := published(t, dir)
	must.Hold(t, len(rows) == 5000, "%d rows published, want 5000", len(rows))
}

func TestPublishWantsEachShardOnce(t *testing.T) {
	whole := func(files ...FileRef) error {
		all, err := collect(iterate(files...), "")
		if err != nil {
			return err
		}
		return complete(all, 3)
	}
	for name, shards := range map[string][]int{"missing": {0, 2}, "last missing": {0, 1}, "twice": {0, 1, 1, 2}, "in place of another": {0, 1, 1}, "of another run": {0, 1, 3}, "too many": {0, 1, 2, 3}} {
		var files []FileRef
		for _, i := range shards {
			files = append(files, FileRef{Shard: i})
		}
		must.Fail(t, whole(files...), "", "%s: shards %v were accepted", name, shards)
	}
	must.Pass(t, whole(FileRef{Shard: 2}, FileRef{Shard: 0}, FileRef{Shard: 1}))
}

// A small table has fewer shards than it may have, in Write and in what Publish expects; the rows are the same.
func TestSmallTablesHaveFewShards(t *testing.T) {
	for n, want := range map[int64]int{0: 1, 1: 1, 99: 1, 199: 1, 200: 2, 799: 7, 800: 8, 1e9: 8} {
		must.Equal(t, (WriteParams{Shards: 8, MinRows: 100}).shards(n), want, "%d rows: shards", n)
	}
	for rows, want := range map[int64]int{150: 1, 250: 2, 5000: 4} {
		dir := t.TempDir()
		pl, s := beam.NewPipelineWithRoot()
		p := SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: "run", Store: StoreRef{Kind: "dir", Config: dir}}
		got := transformtest.Capture[Published](s, Write(s, Solve(s, stats(s, 300), p), WriteParams{Rows: rows, Shards: 4, MinRows: 100, Sink: SinkRef{"dir", dir}}))
		must.Do(t, transformtest.RunOn("direct", pl))
		m := got.Elements()
		must.Hold(t, len(m) == 1 && m[0].Rows == rows && m[0].Files == want, "%d rows: manifests %+v, want %d files", rows, m, want)
	}
}

// The whole pipeline with every worker in a process of its own, as on a cluster.
func TestWorkersInProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build and start Beam's programs; make integration runs it")
	}
	dir := t.TempDir()
	pl, s := beam.NewPipelineWithRoot()
	writeTo(s, dir)
	transformtest.RunInProcesses(t, pl)
	rows := published(t, dir)
	must.Hold(t, len(rows) == 5000, "%d rows published, want 5000", len(rows))
}
