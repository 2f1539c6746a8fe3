package pipelines

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dapple-dp/dapple/pipelines/internal/run"
)

// waitForPublication is how long a stopped run waits for a publication that has begun. That of directories ends with all
// files or with none, and soon unless the disk does not answer; a load of a table ends with all rows or with none.
const waitForPublication = time.Minute

// execution is one run of a graph in this process, from the preparation of its output to its publication.
type execution struct {
	out    *output
	gate   *run.Gate
	unhold func() // ends the mark that the run is at work
}

// startExecution prepares the output, so that a run whose output cannot be written fails before any budget is
// spent.
func startExecution(ctx context.Context, out *output) (*execution, error) {
	e := &execution{out: out, gate: run.NewGate(out.run()), unhold: func() {}}
	if err := out.prepare(ctx); err != nil {
		defer e.finish()
		_, _, abandonErr := e.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	release, err := out.Sink.Hold()
	if err != nil {
		defer e.finish()
		_, _, abandonErr := e.abandon(ctx)
		return nil, errors.Join(fmt.Errorf("pipelines: %w", err), abandonErr)
	}
	e.unhold = release
	return e, nil
}

// published reports whether the rows are there to be read.
func (e *execution) published(ctx context.Context) bool {
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	return e.out.published(ctx)
}

// abandon ends an execution that has failed: nothing is published any more, and nothing that a reader
// could take for output stays behind. It says what is kept on purpose. A publication that has begun is waited for:
// published reports that it has ended well.
func (e *execution) abandon(ctx context.Context) (kept string, published bool, err error) {
	if !e.gate.Shut(waitForPublication) {
		return e.out.Sink.Unfinished(), false, nil
	}
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	if e.out.published(ctx) {
		return "", true, nil
	}
	kept, err = e.out.abandon(ctx)
	return kept, false, err
}

// finish forgets the run.
func (e *execution) finish() {
	e.unhold()
	e.gate.Forget()
}
