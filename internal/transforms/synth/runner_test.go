package synth

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

func small() *domain.Domain {
	return &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 10, 20}, Resolution: 1, HasFallback: true}}}
}

// A runner that can start a job again is refused without a store, whether the parameter or Beam's flag names it, unless
// somebody says why. The parameter has the last word.
func TestRestartingRunnersNeedAStore(t *testing.T) {
	old := *runners.Runner
	defer func() { *runners.Runner = old }()
	for _, tt := range []struct {
		flag, runner, why string
		stored, fails     bool
	}{
		{"", "flink", "", false, true},
		{"", "DataflowRunner", "", false, true},
		{"spark", "", "", false, true},
		{"prism", "universal", "", false, true},
		{"universal", "prism", "", false, false},
		{"", "flink", "a rehearsal with made-up records", false, false},
		{"", "flink", "", true, false},
		{"", "flink", "both", true, true},
		{"", "", "", false, false},
		{"PrismRunner", "", "", false, false},
		{"direct", "", "", false, false},
	} {
		*runners.Runner = tt.flag
		p := Params{Domain: small(), Epsilon: 1, Delta: 1e-9, Runner: tt.runner, NoStore: tt.why}
		if tt.stored {
			p.Store, p.RunID = StoreRef{Kind: "dir", Config: t.TempDir()}, "run"
		}
		err := p.Validate(reflect.TypeFor[learner]())
		must.Hold(t, (err != nil) == tt.fails && (err == nil || strings.Contains(err.Error(), "NoStore")), "%+v: %v", tt, err)
	}
}

// Without a store no worker of another process draws, and no second attempt.
func TestNoSecondDrawWithoutAStore(t *testing.T) {
	built.Store("here", true)
	for _, tt := range []struct {
		launch launch
		p      SolveParams
		want   string
	}{
		{launch{"here", "one"}, SolveParams{RunID: "a"}, ""},
		{launch{"here", "one"}, SolveParams{RunID: "b"}, ""},
		{launch{"here", "one"}, SolveParams{RunID: "a"}, "a second one would be drawn"},
		{launch{"here", "one"}, SolveParams{RunID: "a", NoStore: "a test"}, ""},
		{launch{"here", ""}, SolveParams{RunID: "a"}, ""},
		{launch{"here", ""}, SolveParams{RunID: "a"}, ""},
		{launch{"elsewhere", "two"}, SolveParams{RunID: "a"}, "not of the process that built the pipeline"},
		{launch{"elsewhere", "two"}, SolveParams{RunID: "a", Runner: "prism"}, ""},
		{launch{"elsewhere", "two"}, SolveParams{RunID: "a", Runner: "prism"}, "a second one would be drawn"},
		{launch{"elsewhere", "two"}, SolveParams{RunID: "a", Store: StoreRef{Kind: "dir"}}, ""},
	} {
		f := &solveFn{Params: tt.p, Launch: tt.launch}
		if err := f.once(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v, %+v: %v, want %q", tt.launch, tt.p, err, tt.want)
		}
	}
}

// shape returns what the transforms of a pipeline are, with their parameters.
func shape(t *testing.T, p *beam.Pipeline) (list []string) {
	t.Helper()
	edges, _, err := p.Build()
	must.Do(t, err)
	for _, e := range edges {
		text := string(e.Op)
		if e.DoFn != nil {
			text += " " + e.DoFn.Name()
			if fn, ok := e.DoFn.Recv.(*solveFn); ok {
				text += fmt.Sprintf(" %x", fn.config())
			}
		}
		list = append(list, text)
	}
	return list
}

// The five steps, with the parameters that Steps returns, are the stage that Synthesize adds: the same transforms on every
// runner, in one branch.
func TestStepsAreTheStage(t *testing.T) {
	store := StoreRef{Kind: "dir", Config: t.TempDir()}
	sizes := map[string]int{}
	for _, p := range []Params{
		{Runner: "prism"},
		{Runner: "direct"},
		{Runner: "flink", NoStore: "a test"},
		{Runner: "flink", Store: store, RunID: "run"},
		{Runner: "dataflow", Store: store, RunID: "run"},
	} {
		p.Domain, p.Epsilon, p.Delta, p.SampleSeed = small(), 1, 1e-9, 7
		if p.RunID == "" {
			p.RunID = "run" // whose name the configuration has
		}
		whole, s := beam.NewPipelineWithRoot()
		Synthesize(s, beam.CreateList(s, []learner{{1, 1}}), p)
		steps, s := beam.NewPipelineWithRoot()
		col := beam.CreateList(s, []learner{{1, 1}})
		st := p.Steps(reflect.TypeFor[learner]())
		units := private.Bound(s, private.Encode(s, col, p.Domain, private.EncodeParams{}), st.Bound)
		Sample(s, Solve(s, counts.Count(s, units, st.Workload, st.Count), st.Solve), st.Sample)
		a, b := shape(t, whole), shape(t, steps)
		must.Hold(t, reflect.DeepEqual(a, b),
			"%s, store %q: Synthesize has\n%s\nand the steps\n%s", p.Runner, p.Store.Kind, strings.Join(a, "\n"), strings.Join(b, "\n"))
		sizes[p.Runner] = len(a)
	}
	must.Hold(t, sizes["prism"] <= 45 && sizes["flink"] <= 45, "transforms by runner: %v; structs take one branch", sizes)
}

// Chunks of a reader go in, and structs or chunks come out.
func TestSynthesizeTakesChunks(t *testing.T) {
	for _, as := range []reflect.Type{nil, reflect.TypeFor[learner]()} {
		p, s := beam.NewPipelineWithRoot()
		chunk := &domain.Chunk{Rows: 2, ID: domain.Column{Form: domain.Ints, Ints: []int64{1, 2}}, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{3, 14}}}}
		rows, _ := Synthesize(s, beam.CreateList(s, []*domain.Chunk{chunk}), Params{Domain: small(), Epsilon: 1, Delta: 1e-9, Rows: 100, As: as})
		want := chunkType
		if as != nil {
			want = as
		}
		must.Equal(t, rows.Type().Type(), want, "rows")
		must.Value(beam.Run(t.Context(), "prism", p))(t)
	}
}

// A zero value of a step's result says in one line what makes one.
func TestZeroValuesAreExplained(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	for want, call := range map[string]func(){
		"Encode makes one":              func() { private.Bound(s, private.Coded{}, private.BoundParams{}) },
		"private.Bound makes one":       func() { counts.Count(s, private.Units{}, workload(), counts.Params{}) },
		"counts.Count makes one":        func() { Solve(s, counts.Stats{}, SolveParams{Epsilon: 1}) },
		"Solve, Synthesize and Saved":   func() { Sample(s, Release{}, SampleParams{}) },
		"Synthesize and Saved make one": func() { Release{}.Artifacts(s) },
		"the zero Release":              func() { SamplePeople(s, Release{}, nil, SampleParams{}) },
	} {
		func() {
			defer func() {
				text, _ := recover().(string)
				must.Hold(t, strings.Contains(text, want) && !strings.Contains(text, "\n"), "said %q, want %q", text, want)
			}()
			call()
		}()
	}
}
