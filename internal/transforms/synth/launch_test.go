package synth

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// released builds a pipeline that releases n people under a run ID, and returns what runs it.
func released(runner string, n int, store StoreRef, run string) func() (*Artifact, error) {
	p, s := beam.NewPipelineWithRoot()
	model := Solve(s, stats(s, n), SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: run, Store: store})
	got := transformtest.Capture[*Artifact](s, model.Artifacts(s))
	return func() (*Artifact, error) {
		before := len(got.Elements())
		if err := transformtest.RunOn(runner, p); err != nil {
			return nil, err
		}
		return got.Elements()[before], nil
	}
}

// sameArtifact reports whether artifacts belong to one release, whichever run has drawn it.
func sameArtifact(a, b *Artifact) bool {
	one, other := *a, *b
	one.Adopted, other.Adopted = false, false
	return reflect.DeepEqual(one, other)
}

// A pipeline that is launched again releases nothing, however many people there are then. One that is built anew adopts
// under the same run ID, and draws under another.
func TestPipelineIsLaunchedOnce(t *testing.T) {
	for _, runner := range []string{"prism", "direct"} {
		store := StoreRef{Kind: "dir", Config: t.TempDir()}
		first := released(runner, 40, store, "monday")
		a := must.Value(first())(t)
		must.Fails(first())(t, `run ID "monday" names the release of that launch`, "%s: launched again", runner)
		again := released(runner, 40, store, "monday")
		b, err := again()
		must.Hold(t, err == nil && b.Adopted && !a.Adopted && sameArtifact(a, b),
			"%s: a program that is started again does not adopt the release (error %v)", runner, err)
		must.Fails(again())(t, "", "%s: a pipeline that adopted is launched again without an error", runner)
		next, err := released(runner, 40, store, "tuesday")()
		must.Hold(t, err == nil && !bytes.Equal(next.Model, a.Model), "%s: another run ID has the same model (error %v)", runner, err)
	}
}

// Without a store nothing is kept: each launch draws.
func TestLaunchesWithoutAStore(t *testing.T) {
	twice := released("prism", 40, StoreRef{}, "")
	a := must.Value(twice())(t)
	b, err := twice()
	must.Hold(t, err == nil && !bytes.Equal(a.Model, b.Model), "without a store the second launch did not draw anew (error %v)", err)
}

// What a runner restarts has the launch that was submitted; what is submitted again has another.
func TestLaunchTravels(t *testing.T) {
	write := func(f *solveFn) []byte {
		b := must.Value(json.Marshal(f))(t)
		return b
	}
	read := func(b []byte) (f solveFn) {
		must.Do(t, json.Unmarshal(b, &f))
		return f
	}
	f := newSolveFn(StoreRef{})
	submitted := write(f)
	if a, b := read(submitted), read(submitted); a.Launch != b.Launch || a.Launch.ID == "" || a.Launch.Pipeline != f.Launch.Pipeline {
		t.Errorf("workers of one job have the launches %v and %v", a.Launch, b.Launch)
	}
	if a, b := read(submitted), read(write(f)); a.Launch.ID == b.Launch.ID {
		t.Error("two jobs have one launch")
	}
	if a, b := read(submitted), read(write(f)); a.config() != b.config() {
		t.Error("the launch is part of the configuration, so that no program adopts")
	}
}

func TestTwoReleasesOfOneName(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	_, s := beam.NewPipelineWithRoot()
	p := SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", RunID: "run", Store: store}
	Solve(s, stats(s, 3), p)
	defer func() {
		r, _ := recover().(string)
		must.Hold(t, strings.Contains(r, `two releases of this pipeline have run ID "run"`), "a second release of the same name: %v", r)
	}()
	Solve(s, stats(s, 4), p)
}

func TestRunIDs(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	for run, want := range map[string]string{"": "RunID is required with a Store", "a/b": "run ID", "../up": "run ID", "orders-2026-11-24": ""} {
		err := SolveParams{Epsilon: 1, Delta: 1e-9, Store: store, RunID: run}.Validate()
		must.Hold(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "run ID %q: %v", run, err)
	}
	a, b := Params{RunID: "monday"}.withDefaults(), Params{RunID: "monday"}.withDefaults()
	must.Hold(t, a.SampleSeed == b.SampleSeed && a.SampleSeed != (Params{RunID: "tuesday"}).withDefaults().SampleSeed,
		"the sampling seed does not follow the run ID, so that no program adopts")
}
