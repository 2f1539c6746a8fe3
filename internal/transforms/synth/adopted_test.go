package synth

import (
	"context"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// A run tells whether it has drawn its release or has found it: in the artifact, and as a counter.
func TestAdoptedIsTold(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	for i, want := range []string{"drawn", "adopted", "adopted"} {
		pl, s := beam.NewPipelineWithRoot()
		release := Solve(s, stats(s, 50), SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe", Store: store, RunID: "night"})
		got := transformtest.Capture[*Artifact](s, release.Artifacts(s))
		result := must.Value(beam.Run(context.Background(), "prism", pl))(t)
		a := got.Elements()
		must.Hold(t, len(a) == 1 && a[0].Adopted == (want == "adopted"), "run %d: %d artifacts, adopted %v, want %s", i, len(a), len(a) == 1 && a[0].Adopted, want)
		var counted []string
		for _, c := range result.Metrics().AllMetrics().Counters() {
			if c.Namespace() == "dapple.release" && c.Committed == 1 {
				counted = append(counted, c.Name())
			}
		}
		must.Hold(t, strings.Join(counted, " ") == want, "run %d: counters %q, want %s", i, counted, want)
	}
}

// What cannot work is refused when the pipeline is built, with the mend.
func TestPlacesAreChecked(t *testing.T) {
	p := Params{Domain: small(), Epsilon: 1, Delta: 1e-9, RunID: "run"}
	for name, c := range map[string]struct {
		change func(*Params)
		says   string
	}{
		"no runner": {func(p *Params) { p.Runner, p.NoStore, p.RunID = "fink", "a test", "" }, `runner "fink": unknown; want prism, direct, flink`},
		"this disk": {func(p *Params) { p.Runner, p.Store = "dataflow", StoreRef{Kind: "of this machine", Config: "x"} }, "each worker of Dataflow has a disk of its own"},
		"nobody's":  {func(p *Params) { p.Store = StoreRef{Kind: "nowhere", Config: "x"} }, `no store is called "nowhere"`},
	} {
		q := p
		c.change(&q)
		must.Fail(t, q.Validate(chunkType), c.says, "%s", name)
	}
	p.Runner, p.Store = "flink", StoreRef{Kind: "of this machine", Config: "x"}
	must.Pass(t, p.Validate(chunkType), "a shared disk of Flink")
}

// onDisk is a store that says that it is of this machine.
type onDisk struct{ dirStore }

func (onDisk) OnThisMachine() bool { return true }

func init() {
	RegisterStore("of this machine", func(dir string) (Store, error) { return onDisk{dirStore{dir}}, nil })
}
