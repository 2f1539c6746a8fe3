package synth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/transforms/internal/pipeline"
)

// launchesSuffix is of the directory, behind a run ID, in which each pipeline that names the run notes its launch.
const launchesSuffix = ".launches"

// launch says whose attempt a solve is. Beam writes a pipeline's functions down when it submits the pipeline, and a runner
// that starts the job again reads the same text again. So attempts of one launch have one ID, and two launches have two.
type launch struct {
	Pipeline string // random, drawn when the pipeline was built
	ID       string // random, drawn when it is submitted; empty on the direct runner, which submits nothing and retries nothing
}

// MarshalJSON draws the ID.
func (l launch) MarshalJSON() ([]byte, error) {
	type plain launch
	return json.Marshal(plain{l.Pipeline, rand.Text()})
}

// claim notes the launch in the store. It fails if the same pipeline was launched before with the same run ID: that launch
// may have read other records. No record decides this.
func (f *solveFn) claim(ctx context.Context) error {
	if f.Params.Store.Kind == "" {
		return nil
	}
	store, err := f.Params.Store.Open()
	if err != nil {
		return err
	}
	id := f.Launch.ID
	if id == "" {
		id = rand.Text()
	}
	current, _, err := store.CreateIfAbsent(ctx, f.Params.RunID+launchesSuffix+"/"+f.Launch.Pipeline, []byte(id))
	if err != nil {
		return fmt.Errorf("synth: noting the launch of run %s: %w", f.Params.RunID, err)
	}
	if string(current) != id {
		return fmt.Errorf("synth: this pipeline has been launched before, and run ID %q names the release of that launch; "+
			"build the pipeline anew: with another RunID to release again, which spends again, or with the same one to adopt that release", f.Params.RunID)
	}
	return nil
}

// launched is what is known of a pipeline while it is built.
type launched struct {
	id   string
	mu   sync.Mutex
	runs map[runKey]bool
}

// runKey names a release in a store.
type runKey struct {
	store StoreRef
	run   string
}

// pipelines has one *launched for each *graph.Graph with a release in a store, as sensitive has one for each collection.
var pipelines sync.Map

// launchedOf returns what is known of a pipeline that this process builds.
func launchedOf(s beam.Scope) *launched {
	v, _ := pipelines.LoadOrStore(pipeline.Graph(s), &launched{id: rand.Text(), runs: map[runKey]bool{}})
	l := v.(*launched)
	built.Store(l.id, true)
	return l
}

// launchOf returns the launch of a pipeline. It panics if another release of the pipeline has the same name in the store.
func launchOf(s beam.Scope, p SolveParams) launch {
	l := launchedOf(s)
	l.mu.Lock()
	defer l.mu.Unlock()
	key := runKey{p.Store, p.RunID}
	if l.runs[key] {
		panic(fmt.Sprintf("synth: two releases of this pipeline have run ID %q in one Store: the second would be taken for the first; give each a RunID of its own", p.RunID))
	}
	l.runs[key] = p.Store.Kind != ""
	return launch{Pipeline: l.id}
}

// runIDs are the run IDs that are names in every store.
var runIDs = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$`)

// runFault is why a run ID does not name a release in the store; nil: it does.
func runFault(store StoreRef, run string) error {
	if store.Kind != "" && run == "" {
		return errors.New(`synth: RunID is required with a Store, where it names the release: the same for every attempt at one release, another for the next, such as "orders-2026-11-24"`)
	}
	if run != "" && !runIDs.MatchString(run) {
		return fmt.Errorf("synth: run ID %q: want 1 to 100 letters, digits, _, - and ., without a . at the beginning", run)
	}
	return nil
}

// seedOf returns the sampling seed of a run that has none: every attempt at one release has the same.
func seedOf(run string) uint64 {
	sum := sha256.Sum256([]byte("dapple sampling seed\n" + run))
	return max(1, binary.LittleEndian.Uint64(sum[:]))
}

// templateFault is why a pipeline that is kept as a template has no release in a store; nil: it has, or is no template.
func templateFault(store StoreRef) error {
	if f := flag.Lookup("template_location"); f != nil && f.Value.String() != "" && store.Kind != "" {
		return errors.New("synth: Params.Store with --template_location: each job of a template would adopt the release of the first one, also of other records; " +
			"start this program for each release, as a flex template does, with another RunID")
	}
	return nil
}
