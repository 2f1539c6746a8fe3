package pipelines

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/release/finished"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// MostDraws is the most draws of one request.
const MostDraws = 1000

// drawn returns the request for the rows of draw k, which go beside those of the others.
func (c SampleConfig) drawn(k int) SampleConfig {
	c.Output = files.Clean(c.Output) + fmt.Sprintf("_%02d", k+1)
	c.Draws = 0
	c.SampleSeed, c.HasSampleSeed = c.SampleSeed+uint64(k), true // rows of all draws are not rounded alike
	return c
}

// checkDraws finds the faults of a request for draws, and reads what is known of the model's errors.
func checkDraws(ctx context.Context, r *SampleRequest, faults *Faults) {
	if r.Draws < synth.FewestDraws || r.Draws > MostDraws {
		faults.add("--draws", fmt.Sprintf("got %d; want %d to %d", r.Draws, synth.FewestDraws, MostDraws), "")
		return
	}
	for k, n := 0, len(*faults); k < r.Draws && len(*faults) == n; k++ { // the first that cannot be written says enough
		c := r.drawn(k)
		c.target().check(ctx, faults)
	}
	if r.file == nil {
		return // a fault that is said
	}
	release, err := finished.Open(ctx, r.Model)
	switch {
	case err != nil:
		faults.add("--draws", r.Model+" "+cause.Text(err), "")
	case !release.Errors.Known():
		faults.add("--draws", "the method of this release says nothing of its errors", "use another method")
	default:
		r.errors = release.Errors
	}
}

// Drawn is the result of a finished sampling of draws.
type Drawn struct{ Draws []*Sampled }

// WriteText writes a line for each draw.
func (d *Drawn) WriteText(w io.Writer) error {
	for _, s := range d.Draws {
		if err := s.WriteText(w); err != nil {
			return err
		}
	}
	return nil
}

// Unprinted is the error of a result whose text could not be written.
func (d *Drawn) Unprinted(err error) error {
	return fmt.Errorf("%w\nall rows are published all the same, in %s and so on", err, d.Draws[0].Written.Output)
}

// JSON returns the same for programs.
func (d *Drawn) JSON() ([]byte, error) {
	out := report.DrawsResult{Format: 1, Draws: []report.SampleResult{}}
	for _, s := range d.Draws {
		out.Draws = append(out.Draws, report.Sampled(false, s.Merged, s.Written))
	}
	return report.JSON(out)
}

// RunDraws writes rows of draws from an approximate posterior of the model: tables that the private one may be. It touches nothing
// private and costs nothing.
func RunDraws(ctx context.Context, r *SampleRequest) (*Drawn, error) {
	d := &Drawn{}
	r.SampleSeed, r.HasSampleSeed = sampleSeed(r.SampleSeed, r.HasSampleSeed), true
	for m := range r.errors.Draws(r.whole.Model, r.SampleSeed, r.Draws) {
		one, file := *r, *r.whole
		file.Model = m
		one.SampleConfig, one.file, one.bytes = r.drawn(len(d.Draws)), &file, nil
		var faults Faults
		checkWhere(&one, &faults)
		err := faults.Err()
		if err == nil {
			var s *Sampled
			if s, err = RunSample(ctx, &one); err == nil {
				d.Draws = append(d.Draws, s)
			}
		}
		if err != nil {
			return nil, errors.Join(err, fmt.Errorf("%d of %d draws are written, in %s and so on; sampling costs no privacy", len(d.Draws), r.Draws, r.drawn(0).Output))
		}
	}
	return d, nil
}
