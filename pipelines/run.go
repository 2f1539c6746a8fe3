package pipelines

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/io/dirsink"
	"github.com/dapple-dp/dapple/pipelines/report"
	"github.com/dapple-dp/dapple/transforms/synth"
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
	staging, err := os.MkdirTemp("", "dapple-")
	if err != nil {
		return nil, fmt.Errorf("pipelines: staging directory: %w", err)
	}
	// Until it is published, what the staging directory holds is private.
	defer os.RemoveAll(staging)
	l := launch{runID: rand.Text(), seed: sampleSeed(r.SampleSeed, r.HasSampleSeed), store: synth.StoreRef{Kind: localKind, Config: staging}}
	a, err := begin(r.sink(l.runID))
	if err != nil {
		return nil, err
	}
	defer a.end()
	p, s := beam.NewPipelineWithRoot()
	Build(s, r, l)
	if err := execute(ctx, p, r.Runner, newMeter(r.Progress, r.Terminal, r.Inputs)); err != nil && !a.published() {
		err = errors.Join(err, a.abandon())
		return nil, spent(staging, err)
	}
	return finished(r)
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

// spent adds to the error of a run whether its privacy budget is gone: it is once a release exists,
// even if nobody has seen it. Call it when no function of the run can release any more.
func spent(staging string, err error) error {
	if entries, readErr := os.ReadDir(staging); readErr == nil && len(entries) == 0 {
		return fmt.Errorf("%w\nnothing was written and no privacy budget was spent", err)
	}
	return fmt.Errorf("%w\na model had been released and is discarded: count the privacy budget of this run as spent", err)
}

// finished reads back what was published.
func finished(r *Request) (*Result, error) {
	b, err := os.ReadFile(filepath.Join(r.Release, privacyFile))
	if err != nil {
		return nil, fmt.Errorf("pipelines: %w", err)
	}
	privacy, err := readPrivacy(b)
	if err != nil {
		return nil, err
	}
	written, err := writtenIn(r.Output, r.Release, r.Format)
	return &Result{Privacy: privacy, Written: written}, err
}

func writtenIn(output, release, format string) (report.Written, error) {
	m, err := dirsink.ReadManifest(output)
	if err != nil {
		return report.Written{}, err
	}
	w := report.Written{Output: output, Release: release, Format: format, Files: len(m.Parts), Rows: m.Rows}
	for _, p := range m.Parts {
		w.Bytes += p.Bytes
	}
	return w, nil
}

// sampleSeed returns the seed asked for, or a random one. Privacy does not depend on it.
func sampleSeed(seed uint64, given bool) uint64 {
	if given {
		return seed
	}
	var b [8]byte
	rand.Read(b[:]) // it never returns an error: the program ends where there is no randomness
	return binary.LittleEndian.Uint64(b[:])
}
