package synth

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
)

// What a runner may do to a run: repeat its parts, at once or one after the other, start it again from the
// beginning with a new seed, and do so after its input has changed. Readers of the output must see one
// release of one table, or none; never the same noise on two tables.

// sameRelease reports whether references are to one release, whichever attempt has drawn it.
func sameRelease(a, b ModelRef) bool {
	a.Adopted, b.Adopted = false, false
	return reflect.DeepEqual(a, b)
}

// attempts calls ProcessElement as often as there are seeds, all at once.
func attempts(t *testing.T, store StoreRef, seeds []mechanism.Seed, tb *counts.Table) []ModelRef {
	t.Helper()
	refs, faults := make([]ModelRef, len(seeds)), make([]error, len(seeds))
	var wg sync.WaitGroup
	for i, s := range seeds {
		wg.Go(func() { refs[i], faults[i] = process(newSolveFn(store), []mechanism.Seed{s}, []*counts.Table{tb}) })
	}
	wg.Wait()
	must.Do(t, errors.Join(faults...))
	return refs
}

// Attempts that run at once release one model: with one seed the same bytes, with redrawn seeds the
// bytes of whoever came first to the store.
func TestAttemptsAtOnceReleaseOneModel(t *testing.T) {
	one, tb := testSeed(t, 1), table(t, 20)
	redrawn := []mechanism.Seed{one, testSeed(t, 2), testSeed(t, 3), testSeed(t, 4)}
	for name, c := range map[string]struct {
		store StoreRef
		seeds []mechanism.Seed
	}{
		"one seed, no store":    {StoreRef{}, slices.Repeat([]mechanism.Seed{one}, 4)},
		"one seed, a store":     {StoreRef{Kind: "dir", Config: t.TempDir()}, slices.Repeat([]mechanism.Seed{one}, 4)},
		"redrawn seeds, stored": {StoreRef{Kind: "dir", Config: t.TempDir()}, redrawn},
	} {
		refs := attempts(t, c.store, c.seeds, tb)
		for _, ref := range refs[1:] {
			must.Hold(t, sameRelease(ref, refs[0]), "%s: two models", name)
		}
		if c.store.Kind != "" {
			if files, err := os.ReadDir(c.store.Config); err != nil || len(files) != 3 { // the launch, the mark before the draw, and the release
				t.Errorf("%s: %d objects in the store (error %v)", name, len(files), err)
			}
		}
	}
	refs := attempts(t, StoreRef{}, redrawn[:2], tb)
	must.Hold(t, !reflect.DeepEqual(refs[0], refs[1]), "redrawn seeds give one model without a store: the test is blind")
}

// refusingStore loses the release that it is given, as where a worker dies on the way; the object lost is
// there for the test to look at.
type refusingStore struct{ dirStore }

func (s refusingStore) CreateIfAbsent(ctx context.Context, name string, data []byte) ([]byte, bool, error) {
	if !strings.HasSuffix(name, ReleaseSuffix) {
		return s.dirStore.CreateIfAbsent(ctx, name, data)
	}
	return nil, false, errors.Join(errors.New("the worker is gone"), os.WriteFile(filepath.Join(s.dir, "lost"), data, 0o644))
}

// brokenSink dies in the middle of publishing, after the first part, as long as its directory holds a file
// called "dying".
type brokenSink struct{ dirSink }

func (s brokenSink) Publish(ctx context.Context, files []FileRef, release *Artifact) (Published, error) {
	if _, err := os.Stat(filepath.Join(s.dir, "dying")); err == nil {
		return Published{}, errors.Join(errors.New("the worker is gone"), os.Rename(files[0].URI, filepath.Join(s.dir, "part-0")))
	}
	return s.dirSink.Publish(ctx, files, release)
}

func init() {
	RegisterStore("refusing", func(dir string) (Store, error) { return refusingStore{dirStore{dir}}, nil })
	RegisterSink("broken", func(dir string) (Sink, error) { return brokenSink{dirSink{dir}}, nil })
}

// A release that was drawn but not kept was seen by nobody. The retry repeats it on equal counts, and draws
// other noise on others: both releases on one noise would show the difference of the tables.
func TestCrashBeforeTheModelIsKept(t *testing.T) {
	dir, seeds := t.TempDir(), []mechanism.Seed{testSeed(t, 1)}
	before, after := table(t, 50), table(t, 51)
	_, err := process(newSolveFn(StoreRef{Kind: "refusing", Config: dir}), seeds, []*counts.Table{before})
	must.Need(t, err != nil, "the store lost a release and nobody was told")
	lost := must.Value(os.ReadFile(filepath.Join(dir, "lost")))(t)
	retry := func(tb *counts.Table) []byte {
		store := StoreRef{Kind: "dir", Config: t.TempDir()}
		ref := must.Value(process(newSolveFn(store), seeds, []*counts.Table{tb}))(t)
		data := must.Value(ref.Read(context.Background(), store))(t)
		return data
	}
	must.Hold(t, bytes.Equal(retry(before), lost), "the retry on equal counts released something else")
	same := 0
	was, is := noiseIn(t, lost, before), noiseIn(t, retry(after), after)
	for i := range was {
		if was[i] == is[i] {
			same++
		}
	}
	// noise is on whole counts: some agree by chance
	must.Hold(t, same <= len(was)/2, "%d of %d noisy cells have the same noise on changed input", same, len(was))
	// The same number of people, other ages: the total's noise is another all the same. The seed is fixed.
	must.Hold(t, totalIn(t, retry(shifted(t, 50, 20))) != totalIn(t, lost), "the total has the same noise on changed input")
}

// totalIn returns the noisy number of units of a release.
func totalIn(t *testing.T, release []byte) float64 {
	t.Helper()
	a := must.Value(DecodeArtifact(release))(t)
	return a.Result.Total.Units
}

// noiseIn returns the noise of the first table of a release.
func noiseIn(t *testing.T, release []byte, tb *counts.Table) []float64 {
	t.Helper()
	a := must.Value(DecodeArtifact(release))(t)
	m := a.Result.Measurements[0]
	for i, n := range tb.Marginal(m.Clique) {
		m.Values[i] -= float64(n)
	}
	return m.Values
}

// Once a release is kept, whatever the input has become, it is the release of this run: nothing is drawn.
func TestInputChangedAfterTheModelWasKept(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	first := must.Value(process(newSolveFn(store), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 20)}))(t)
	for name, tb := range map[string][]*counts.Table{"one more": {table(t, 21)}, "nobody": nil} {
		again, err := process(newSolveFn(store), []mechanism.Seed{testSeed(t, 2)}, tb)
		must.Hold(t, err == nil && again.Adopted && sameRelease(again, first), "%s: a second release beside the first (error %v)", name, err)
	}
}

// graph writes the rows of n people through the sink of the given kind, as one launch of a job does.
func graph(n int, store, dir, sink string) error {
	pl, s := beam.NewPipelineWithRoot()
	model := Solve(s, stats(s, n), SolveParams{Epsilon: 5, Delta: 1e-6, Method: "universe", RunID: "run", Store: StoreRef{Kind: "dir", Config: store}})
	Write(s, model, WriteParams{Rows: 400, Shards: 3, Sink: SinkRef{sink, dir}})
	return transformtest.RunOn("prism", pl)
}

// A job that dies between model and manifest, half of its output visible, and is started again from its
// sources publishes the model that the first attempt kept: also where the input has one person more by then.
// A release of its own has the rows of the first only where all of its 24 cells and its total have the same
// noise, since their hash orders the rows: by chance with probability 1e-15.
func TestCrashBetweenModelAndManifest(t *testing.T) {
	for name, people := range map[string]int{"the same input": 60, "changed input": 61} {
		store, dir := t.TempDir(), t.TempDir()
		dying := filepath.Join(dir, "dying")
		must.Do(t, os.WriteFile(dying, nil, 0o644))
		must.Need(t, graph(60, store, dir, "broken") != nil, "a worker died and the job did not fail")
		kept, found, err := dirStore{store}.Get(context.Background(), "run.release")
		must.Need(t, err == nil && found, "no release was kept (error %v)", err)
		must.Do(t, os.Remove(dying))
		must.Do(t, graph(people, store, dir, "broken"))
		again, _, err := dirStore{store}.Get(context.Background(), "run.release")
		must.Hold(t, err == nil && bytes.Equal(again, kept), "%s: the release was replaced (error %v)", name, err)
		whole, other := t.TempDir(), t.TempDir()
		must.Do(t, graph(60, store, whole, "dir"))       // the rows of the kept release
		must.Do(t, graph(60, t.TempDir(), other, "dir")) // and of a release of its own
		got, want := partsOf(t, dir), partsOf(t, whole)
		must.Hold(t, got == want && got != partsOf(t, other), "%s: the rows are not those of the one release", name)
	}
}

// partsOf returns the published parts of a directory, in order.
func partsOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"part-0", "part-1", "part-2"} {
		b := must.Value(os.ReadFile(filepath.Join(dir, name)))(t)
		all.Write(b)
	}
	return all.String()
}

// A shard that is sampled twice, one attempt after the other, in another process, and several at once, has the
// same rows each time, under names of its own; whichever set is published, the rows are the same.
func TestSamplingTwiceRepeatsTheRows(t *testing.T) {
	ref := must.Value(process(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 60)}))(t)
	dir := t.TempDir()
	f := &filesFn{newSampleFn(Release{domain: visits()}, WriteParams{Rows: 300, Shards: 2, Sink: SinkRef{"dir", dir}}.withDefaults())}
	sample := func(shard int) (file FileRef) {
		must.Pass(t, f.ProcessElement(context.Background(), shard, iterate(ref), func(r FileRef) { file = r }))
		return file
	}
	for shard := range 2 {
		files := make([]FileRef, 5)
		files[0] = sample(shard)
		sources.Clear() // another process begins without them
		var wg sync.WaitGroup
		for i := range files[1:] {
			wg.Go(func() { files[1+i] = sample(shard) })
		}
		wg.Wait()
		names := map[string]bool{}
		for _, file := range files {
			names[file.URI] = true
			must.Hold(t, file.Rows == files[0].Rows && file.CRC32C == files[0].CRC32C && file.Bytes == files[0].Bytes && file.Rows == 150,
				"shard %d: an attempt has other rows", shard)
		}
		must.Hold(t, len(names) == len(files), "shard %d: attempts share a file", shard)
	}
}
