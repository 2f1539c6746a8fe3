package synth

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

func init() { register.DoFn2x1[context.Context, []byte, error](&failingFn{}) }

// notes has the note of the worker that ran failingFn.
var notes = make(chan *atomic.Bool, 1)

type failingFn struct{}

func (*failingFn) ProcessElement(ctx context.Context, _ []byte) error {
	note, _ := ctx.Value(failedKey{}).(*atomic.Bool)
	notes <- note
	return errors.New("as it should")
}

// A worker of prism knows that a bundle of it failed, and then nothing is drawn, and no mark says so.
func TestNothingIsDrawnAfterAFailedBundle(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	beam.ParDo0(s, &failingFn{}, beam.Impulse(s))
	if _, err := prism.Execute(t.Context(), p); err == nil {
		t.Fatal("the job did not fail")
	}
	note := <-notes
	if note == nil || !note.Load() {
		t.Fatal("the worker does not know that its bundle failed")
	}
	dir := t.TempDir()
	for _, c := range []struct {
		params SolveParams
		draws  bool
	}{
		{SolveParams{Store: StoreRef{Kind: "dir", Config: dir}, NoRetries: true}, false},
		{SolveParams{NoRetries: true}, false},
		{SolveParams{}, false},
		{SolveParams{Store: StoreRef{Kind: "dir", Config: dir}}, true}, // the last: it leaves a mark
	} {
		c.params.RunID = "r"
		err := (&solveFn{Params: c.params}).mark(context.WithValue(t.Context(), failedKey{}, note))
		files, _ := os.ReadDir(dir)
		if (err == nil) != c.draws || len(files) > 0 != c.draws {
			t.Errorf("store %q, no retries %t: error %v, marks %v", c.params.Store.Kind, c.params.NoRetries, err, files)
		}
	}
}
