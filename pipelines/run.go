package pipelines

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/report"
)

// Result is what a finished run leaves to say.
type Result struct {
	Privacy report.Privacy
	Written report.Written
}

// WriteText writes the four last lines.
func (r *Result) WriteText(w io.Writer) error { return report.WriteClosing(w, r.Privacy, r.Written) }

// Run executes a request: it reads the private table, spends the privacy budget once, and publishes
// rows, statement and model, or nothing. When ctx ends it stops; the error says what was spent.
func Run(ctx context.Context, r *Request) (*Result, error) {
	l := launch{runID: rand.Text(), seed: sampleSeed(r.SampleSeed, r.HasSampleSeed)}
	st, err := stage(ctx, r.TempLocation, r.target().beside(), l.runID)
	if err != nil {
		return nil, err
	}
	keep := false
	defer func() {
		if !keep {
			st.remove(ctx)
		}
	}()
	l.store, l.output = st.ref(), r.output(l.runID, st)
	a, err := begin(ctx, l.output)
	if err != nil {
		return nil, err
	}
	defer a.end()
	p, s := beam.NewPipelineWithRoot()
	build(s, r, l)
	if err := execute(ctx, p, r.Runner, newMeter(r.Progress, r.Terminal, r.source.Bytes())); err != nil && !a.published(ctx) {
		kept, abandonErr := a.abandon(ctx)
		if err = errors.Join(err, abandonErr); kept != "" {
			keep = true
			return nil, fmt.Errorf("%w\n%s", err, kept)
		}
		return nil, st.spent(ctx, err)
	}
	return finished(ctx, r, l.output)
}

// execute runs a pipeline on a runner, with progress.
func execute(ctx context.Context, p *beam.Pipeline, runner string, m *meter) error {
	stop := m.start()
	defer stop()
	_, err := beam.Run(ctx, runner, p)
	if ctx.Err() != nil {
		return errors.New("interrupted") // whatever else the runner says follows from it
	}
	return rootCause(err)
}

// finished reads back what was published.
func finished(ctx context.Context, r *Request, out output) (*Result, error) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	privacy, err := released(ctx, r.Release)
	if err != nil {
		return nil, err
	}
	written, err := out.written(ctx)
	return &Result{Privacy: privacy, Written: written}, err
}

// released reads the statement of a released directory.
func released(ctx context.Context, dir string) (report.Privacy, error) {
	b, err := files.ReadAll(ctx, files.Join(dir, privacyFile), maxPublicFile)
	if err != nil {
		return report.Privacy{}, fmt.Errorf("pipelines: %w", err)
	}
	return readPrivacy(b)
}

// maxPublicFile is the largest statement or domain file that is read, in bytes.
const maxPublicFile = 256 << 20

// sampleSeed returns the seed asked for, or a random one. Privacy does not depend on it.
func sampleSeed(seed uint64, given bool) uint64 {
	if given {
		return seed
	}
	var b [8]byte
	rand.Read(b[:]) // it never returns an error: the program ends where there is no randomness
	return binary.LittleEndian.Uint64(b[:])
}
