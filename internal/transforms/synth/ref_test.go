package synth

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/solver"
)

// Whatever crosses a shuffle has a coder of its own: Java runners fail on the nil slices of Beam's row
// coder, which also drops unexported fields.
func TestElementsHaveTheirOwnCoders(t *testing.T) {
	for _, e := range []reflect.Type{
		reflect.TypeFor[*domain.Chunk](), reflect.TypeFor[*records.Batch](),
		reflect.TypeFor[*counts.Table](), reflect.TypeFor[mechanism.Seed](), reflect.TypeFor[ModelRef](),
		reflect.TypeFor[FileRef](), reflect.TypeFor[Published](),
	} {
		c := beam.NewCoder(typex.New(e)).String()
		must.Hold(t, strings.HasPrefix(c, e.String()), "%v is encoded by %s", e, c)
	}
}

func TestReadRefusesOtherContents(t *testing.T) {
	ref := refTo("", []byte("a release"), StoreRef{})
	b, err := ref.Read(context.Background(), StoreRef{})
	must.Hold(t, err == nil && string(b) == "a release", "read %q, error %v", b, err)
	ref.Inline = []byte("a Release")
	must.Fails(ref.Read(context.Background(), StoreRef{}))(t, "", "contents with another hash were read")
	missing := ModelRef{Path: "nothing", SHA256: ref.SHA256}
	_, err = missing.Read(context.Background(), StoreRef{Kind: "dir", Config: t.TempDir()})
	must.Hold(t, err != nil && strings.Contains(err.Error(), "not in the store"), "error %v, want that the release is missing", err)
	must.Fails(missing.Read(context.Background(), StoreRef{Kind: "nowhere", Config: ""}))(t, "", "a store that nobody registered was opened")
}

// A saved release gives the rows that the run itself gave.
func TestSavedReleaseRepeatsItsRows(t *testing.T) {
	dir := t.TempDir()
	p := SolveParams{RunID: "run", Store: StoreRef{Kind: "dir", Config: dir}}
	want := run(t, "prism", 100, p, SampleParams{Rows: 300})
	data, found, err := dirStore{dir}.Get(context.Background(), "run.release")
	must.Need(t, err == nil && found, "no release was kept (error %v)", err)
	pl, s := beam.NewPipelineWithRoot()
	saved := SavedIn(s, refTo("", data, StoreRef{}), visits(), StoreRef{})
	got := transformtest.Capture[*domain.Chunk](s, Sample(s, saved, SampleParams{Rows: 300}))
	transformtest.Run(t, pl)
	var rows []string
	for _, c := range got.Elements() {
		rows = append(rows, lines(c)...)
	}
	slices.Sort(rows)
	slices.Sort(want)
	must.Hold(t, slices.Equal(rows, want), "a saved release gives other rows")
}

func TestScheduleIsPlannedOnlyIfThePlanWasKept(t *testing.T) {
	plan := []solver.Access{{Stage: "total", Count: 1}, {Stage: "select", Count: 3}}
	one := func(stage string, count int) accountant.Event { return accountant.Event{Stage: stage, Count: count} }
	for name, c := range map[string]struct {
		events []accountant.Event
		want   accountant.Schedule
	}{
		"as planned": {[]accountant.Event{one("total", 1), one("select", 1), one("select", 2)}, accountant.Planned},
		"fewer":      {[]accountant.Event{one("total", 1), one("select", 2)}, accountant.Adaptive},
		"more":       {[]accountant.Event{one("total", 2), one("select", 3)}, accountant.Adaptive},
		"others":     {[]accountant.Event{one("total", 1), one("select", 3), one("extra", 1)}, accountant.Adaptive},
	} {
		must.Equal(t, schedule(plan, c.events), c.want, "%s", name)
	}
}

// Observers hear public figures: the stages of the solver, and rows up to the number asked for.
func TestObserve(t *testing.T) {
	var mu sync.Mutex
	last := map[string][2]int{}
	stop := Observe(func(stage string, done, total int) {
		mu.Lock()
		defer mu.Unlock()
		last[stage] = [2]int{max(done, last[stage][0]), total}
	})
	run(t, "prism", 50, SolveParams{}, SampleParams{Rows: 777})
	stop()
	run(t, "prism", 50, SolveParams{}, SampleParams{Rows: 10})
	want := map[string][2]int{"measure": {1, 1}, "drawing": {0, 0}, "writing": {777, 777}}
	must.Hold(t, reflect.DeepEqual(last, want), "heard %v, want %v", last, want)
}

func TestRegistriesRefuseASecondOfOneName(t *testing.T) {
	for name, register := range map[string]func(){
		"store": func() { RegisterStore("dir", func(string) (Store, error) { return nil, nil }) },
		"sink":  func() { RegisterSink("dir", func(string) (Sink, error) { return nil, nil }) },
	} {
		func() {
			defer func() {
				must.Hold(t, recover() != nil, "two of one name: %s", name)
			}()
			register()
		}()
	}
}
