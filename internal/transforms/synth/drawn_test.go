package synth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/solver"
)

// failing are methods that end with an error, before or after they have drawn.
func failing(name string, draws bool) solver.Method {
	return solver.Method{
		Name:       name,
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.ZCDP },
		Accesses: func(solver.Problem) ([]solver.Access, error) {
			return []solver.Access{{Stage: "total", Kind: dp.DiscreteGaussian, Count: 1, Share: dp.ShareOf(1, 1)}}, nil
		},
		Solve: func(_ context.Context, _ solver.Problem, c solver.Curator) (*solver.Result, error) {
			if draws {
				if _, err := c.Total("total", dp.ShareOf(1, 1)); err != nil {
					return nil, err
				}
			}
			return nil, errors.New("no model")
		},
	}
}

// unmarkableStore takes no mark: its disk is full by then.
type unmarkableStore struct{ dirStore }

func (s unmarkableStore) CreateIfAbsent(ctx context.Context, name string, data []byte) ([]byte, bool, error) {
	if strings.HasSuffix(name, DrawnSuffix) {
		return nil, false, errors.New("no space")
	}
	return s.dirStore.CreateIfAbsent(ctx, name, data)
}

// explode panics with a value that no error may hold.
func explode(value float64, err error) error {
	if err == nil {
		panic(fmt.Sprint("a value: ", value))
	}
	return err
}

func init() {
	solver.Register(failing("fails early", false))
	solver.Register(failing("fails late", true))
	nothing, panics := failing("returns nil", true), failing("panics", true)
	nothing.Solve = func(_ context.Context, _ solver.Problem, c solver.Curator) (*solver.Result, error) {
		_, err := c.Total("total", dp.ShareOf(1, 1))
		return nil, err
	}
	panics.Solve = func(_ context.Context, _ solver.Problem, c solver.Curator) (*solver.Result, error) {
		total, err := c.Total("total", dp.ShareOf(1, 1))
		return nil, explode(total.Units, err)
	}
	solver.Register(nothing)
	solver.Register(panics)
	RegisterStore("unmarkable", func(dir string) (Store, error) { return unmarkableStore{dirStore{dir}}, nil })
}

// A solver that fails after it has drawn leaves a mark, or says that the budget is spent; one that fails before
// does neither. Where the mark cannot be left, nothing is drawn.
func TestFailureAfterADraw(t *testing.T) {
	tb, seeds := table(t, 20), []mechanism.Seed{testSeed(t, 1)}
	for _, tt := range []struct {
		method, store string
		marked        bool
		says          string
	}{
		{"fails early", "dir", false, "no model"},
		{"fails late", "dir", true, "no model"},
		{"fails early", "", false, "no model; no noise had been drawn, so nothing of the privacy budget is spent"},
		{"returns nil", "", false, "method returns nil: it returned no model and no error; noise had been drawn: count the privacy budget of the run as spent"},
		{"panics", "", false, "; noise had been drawn: count the privacy budget of the run as spent"},
		{"panics", "dir", true, "method panics: it panicked at github.com/dapple-dp/dapple/internal/transforms/synth.explode, line 54"},
		{"fails late", "", false, "no model; noise had been drawn: count the privacy budget of the run as spent"},
		{"fails late", "unmarkable", false, "before the first noise: synth: marking the run as spent: no space"},
	} {
		f := newSolveFn(StoreRef{})
		dir := t.TempDir()
		if tt.store != "" {
			f.Params.Store = StoreRef{Kind: tt.store, Config: dir}
		}
		f.Params.Method = tt.method
		_, err := process(f, seeds, []*counts.Table{tb})
		must.Hold(t, err != nil && strings.HasSuffix(err.Error(), tt.says), "%s, store %q: error %v", tt.method, tt.store, err)
		_, err = os.Stat(filepath.Join(dir, "run"+DrawnSuffix))
		must.Hold(t, (err == nil) == tt.marked, "%s, store %q: a mark is there: %t", tt.method, tt.store, err == nil)
	}
}

// Rows of two models are never published together, nor with the statement of a third.
func TestPublishRefusesTwoModels(t *testing.T) {
	f := &publishFn{Params: WriteParams{Shards: 2}}
	for name, tt := range map[string]struct {
		shards []string
		refs   []ModelRef
	}{
		"two shards":        {[]string{"a", "b"}, []ModelRef{{SHA256: "a"}}},
		"another statement": {[]string{"b", "b"}, []ModelRef{{SHA256: "a"}}},
		"two statements":    {[]string{"a", "a"}, []ModelRef{{SHA256: "a"}, {SHA256: "b"}}},
		"a shard of none":   {[]string{"a", ""}, []ModelRef{{SHA256: "a"}}},
	} {
		files := []FileRef{{Shard: 0, Model: tt.shards[0]}, {Shard: 1, Model: tt.shards[1]}}
		err := f.ProcessElement(context.Background(), 0, iterate(files...), iterate(tt.refs...), nil)
		must.Hold(t, errors.Is(err, errTwoModels), "%s: %v", name, err)
	}
}

// What Write and Sample hand on names the model that it was sampled from.
func TestRowsNameTheirModel(t *testing.T) {
	ref, err := process(newSolveFn(StoreRef{}), []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 20)})
	must.Do(t, err)
	maker := newSampleFn(Release{domain: visits()}, WriteParams{Rows: 10, Shards: 1, Sink: SinkRef{"dir", t.TempDir()}})
	ctx := context.Background()
	chunks, rows := &chunksFn{Sample: maker}, 0
	err = chunks.ProcessElement(ctx, 0, iterate(ref), func(c *domain.Chunk) {
		rows += c.Rows
		must.Hold(t, c.Source == sourcePrefix+ref.SHA256, "a chunk of source %q", c.Source)
	})
	must.Hold(t, err == nil && rows == 10, "%d rows, error %v", rows, err)
	files := &filesFn{maker}
	err = files.ProcessElement(ctx, 0, iterate(ref), func(f FileRef) {
		back, err := decodeFileRef(encodeFileRef(f))
		must.Hold(t, err == nil && back.Model == ref.SHA256, "a file of model %q, error %v", back.Model, err)
	})
	must.Pass(t, err)
}

// The same records pay for one release: a second one would state its own loss as the run's.
func TestSecondSolveIsRefused(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	p := SolveParams{Epsilon: 1, Delta: 1e-9, Method: "universe"}
	one := stats(s, 5)
	Solve(s, one, p)
	defer func() {
		said, ok := recover().(string)
		must.Hold(t, ok && strings.Contains(said, "losses add"), "a second Solve of the same records: %v", said)
	}()
	Solve(s, one, p)
}
