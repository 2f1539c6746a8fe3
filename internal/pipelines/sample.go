package pipelines

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/model/condition"
	"github.com/dapple-dp/dapple/internal/model/dry"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/request/progress"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// SampleConfig is a request for rows of a released model. Zero fields mean their defaults.
type SampleConfig struct {
	Model         string // a directory of a finished run, or its _model.arrow; required, unless Domain is given
	Domain        string // a domain file: dry rows, which are of no model and say nothing of anybody
	Output        string // directory or table of BigQuery; required
	Format        string // parquet (default) or csv
	Null          string // how CSV spells NULL; default: an empty cell
	Rows          int64  // default: the released number of units; dry rows have none
	NumPeople     int64  // of a model of people with their rows, in place of Rows; default: the released number
	Where         string // only rows that meet it; see synth.SampleParams
	SampleSeed    uint64
	HasSampleSeed bool
	Draws         int               // rows of so many draws of the model, in place of one table; 0: of the model itself
	Shards        int               // default: one, and up to 8 of large tables
	Tables        bool              // people and their rows as two tables, for a domain with events
	Overwrite     bool              // of directories
	Write         string            // of tables: empty (default), truncate or append
	Labels        map[string]string // of tables and jobs; launchers give some to every run
	Runner        string
	Store         string // directory for the model while rows are drawn; default: next to a remote output, else of this machine
	Services      table.Options
	Progress      io.Writer
	Terminal      bool
	LogJSON       bool // progress is a JSON object a line

	to place // of ValidateSample
}

// SampleRequest is a SampleConfig without fault.
type SampleRequest struct {
	SampleConfig
	file    *modelfile.File     // conditioned
	bytes   []byte              // of file, as they were read; nil if it was made or conditioned here
	coupled bool                // rows have to be records of the model
	whole   *modelfile.File     // before it was conditioned
	errors  *interval.Intervals // of Draws
}

// ValidateSample finds every fault of a request for rows.
func ValidateSample(ctx context.Context, c SampleConfig) (*SampleRequest, error) {
	c.Format = orDefault(c.Format, defaultFormat)
	c.Runner = orDefault(c.Runner, "prism")
	c.to = c.place()
	c.Shards = c.to.Shards
	var faults Faults
	r := &SampleRequest{SampleConfig: c}
	if c.Rows < 0 {
		faults.add("--rows", fmt.Sprintf("got %d; want at least 1", c.Rows), "")
	}
	checkFiles(c.Shards, c.Format, &faults)
	checkHere(c.Runner, &faults)
	if c.Draws == 0 {
		c.to.check(ctx, &faults)
	}
	checkStore(c.Store, &faults)
	if c.Domain != "" {
		if c.Draws != 0 {
			faults.add("--draws", "together with --domain", "leave it out: dry rows are of no model")
		}
		checkDry(ctx, r, &faults)
		return r, faults.Err()
	}
	switch file, data, err := contents.Model(ctx, c.Model); {
	case c.Model == "":
		faults.add("--model", "is required: what synth has written, or its _model.arrow; --domain=FILE gives dry rows, of no data", "")
	case err != nil:
		faults = append(faults, ErrorFaults("--model", err)...)
	default:
		whole := *file
		r.file, r.bytes, r.whole = file, data, &whole
		r.Tables = r.Tables || noRows(&file.Domain)
		checkLayout(ctx, c.to, &file.Domain, r.Tables, &faults)
		checkWhere(r, &faults)
		checkEvents(&file.Domain, r.Rows, "--people=N asks for a number of people", &faults)
		switch {
		case c.NumPeople < 0:
			faults.add("--people", fmt.Sprintf("got %d; want at least 1", c.NumPeople), "")
		case c.NumPeople > 0 && file.Domain.Events == nil:
			faults.add("--people", "is for models of people with many rows each", "ask for --rows")
		case c.NumPeople > 0:
			r.Rows = c.NumPeople
		}
	}
	if c.Draws != 0 {
		checkDraws(ctx, r, &faults)
	}
	return r, faults.Err()
}

// LearnedDomain returns the domain of a finished run with the bins that it learned, by the name of one of its
// directories, or nil if it cannot be read.
func LearnedDomain(ctx context.Context, name string) *domain.Domain {
	if name == "" {
		return nil
	}
	file, _, err := contents.Model(ctx, name)
	if err != nil || file == nil {
		return nil
	}
	return &file.Domain
}

func checkWhere(r *SampleRequest, f *Faults) {
	if r.Where == "" {
		return
	}
	cond, err := relation.ParseCondition(r.Where, &r.file.Domain)
	if err != nil {
		f.add("--where", err.Error(), "")
		return
	}
	if !checkPeople(cond, &r.file.Domain, f) {
		return
	}
	left, err := condition.Restrict(cond, &r.file.Domain, r.file.Model)
	if err != nil {
		f.add("--where", err.Error(), "")
		return
	}
	if left.Model.Total() == 0 {
		f.add("--where", "no row of the model meets "+r.Where, "weaken the condition")
		return
	}
	r.file.Model, r.coupled, r.file.Domain, r.bytes = left.Model, left.Coupled, *left.Domain, nil
	r.file.Units *= left.Share
}

// Sampled is the result of a finished sampling.
type Sampled struct {
	Rows    int64
	Dry     bool
	Written report.Written
}

// WriteText writes one line.
func (s *Sampled) WriteText(w io.Writer) error {
	return report.WriteSampled(w, s.Rows, s.Dry, s.Written)
}

// Unprinted is the error of a result whose text could not be written.
func (s *Sampled) Unprinted(err error) error {
	return fmt.Errorf("%w\nall rows are published in %s all the same: `dapple verify %s` looks at them", err, s.Written.Output, cmp.Or(s.Written.Release, s.Written.Output))
}

// JSON returns the same for programs.
func (s *Sampled) JSON() ([]byte, error) {
	return report.JSON(report.Sampled(s.Dry, s.Written))
}

// RunSample writes rows of a released model. It touches nothing private and costs nothing.
func RunSample(ctx context.Context, r *SampleRequest) (*Sampled, error) {
	runID := rand.Text()
	st, err := r.to.area.Stage(ctx, runID)
	if err != nil {
		return nil, asFault(err)
	}
	defer st.Remove(ctx)
	out := r.output(runID, st)
	end, err := out.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ref, err := r.keep(ctx, st)
	if err != nil {
		_, _, abandonErr := out.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	p, s := beam.NewPipelineWithRoot()
	release := synth.SavedIn(s, ref, &r.file.Domain, st.Ref())
	shards, minRows := publish.Shards(r.Shards, &r.file.Domain)
	params := synth.WriteParams{
		Rows: r.Rows, Shards: shards, MinRows: minRows, Branches: runnerNamed(r.Runner).Branches(), Sink: out.ref(),
		Seed: sampleSeed(r.SampleSeed, r.HasSampleSeed), Rounding: r.rounding(), Tables: r.Tables,
	}
	synth.Write(s, release, params)
	if err := execute(ctx, p, r.Runner, progress.New(0, progress.Form{Progress: r.Progress, Terminal: r.Terminal, LogJSON: r.LogJSON})); err != nil && !out.published(ctx) {
		kept, published, abandonErr := out.abandon(ctx)
		switch err = errors.Join(err, abandonErr); {
		case kept != "":
			return nil, fmt.Errorf("%w\n%s; sampling costs no privacy", err, kept)
		case !published:
			return nil, fmt.Errorf("%w\nnothing was written; sampling costs no privacy", err)
		}
	}
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	written, err := out.written(ctx)
	if err != nil {
		return nil, err
	}
	written.Notes = append(written.Notes, relation.RunOut(&r.file.Domain, written.Rows)...)
	return &Sampled{Rows: written.Rows, Dry: r.Domain != "", Written: written}, nil
}

// rounding returns the way to make rows of the model: a local search for rows that fit its tables could violate a
// condition that links columns, and dry rows have no tables.
func (r *SampleRequest) rounding() synth.Rounding {
	if r.coupled || r.Domain != "" {
		return synth.Systematic
	}
	return synth.Refined
}

// keep stores the conditioned model for the run's functions.
func (r *SampleRequest) keep(ctx context.Context, st run.Staging) (synth.ModelRef, error) {
	model, err := r.bytes, error(nil)
	if model == nil {
		model, err = r.file.Encode()
	}
	if err != nil {
		return synth.ModelRef{}, err
	}
	return keepModel(ctx, st, model)
}

// checkDry finds the faults of a request for dry rows.
func checkDry(ctx context.Context, r *SampleRequest, faults *Faults) {
	if r.Model != "" {
		faults.add("--domain", "together with --model", "keep one: the model has a domain of its own, and --domain alone gives dry rows")
	}
	if r.Rows == 0 {
		faults.add("--rows", "is required for dry rows, which stand for nobody", "")
	}
	file, err := schema.ReadFile(r.Domain)
	if err != nil {
		*faults = append(*faults, ErrorFaults("--domain", err)...)
		return
	}
	if file.Domain.Events != nil {
		faults.add("--domain", "declares events, and dry rows stand for no people", "leave events out, and name the privacy ID among generate, for rows without a model")
		return
	}
	checkLayout(ctx, r.to, file.Domain, r.Tables, faults)
	if r.Rows <= 0 {
		return
	}
	r.file = dry.File(file.Domain, r.Rows, sampleSeed(r.SampleSeed, r.HasSampleSeed))
	checkWhere(r, faults)
}

// MostDraws is the most draws of one request.
const MostDraws = 1000

// drawn returns the request for the rows of draw k, which go beside the others' rows.
func (c SampleConfig) drawn(k int) SampleConfig {
	c.Output = files.Clean(c.Output) + fmt.Sprintf("_%02d", k+1)
	c.Draws = 0
	c.SampleSeed, c.HasSampleSeed = c.SampleSeed+uint64(k), true // rows of all draws are not rounded alike
	c.to = c.place()
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
		c.to.check(ctx, faults)
	}
	if r.file == nil {
		return // a fault that is said
	}
	release, err := contents.Open(ctx, r.Model)
	switch {
	case err != nil:
		faults.add("--draws", r.Model+" "+errtext.Text(err), "")
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
		out.Draws = append(out.Draws, report.Sampled(false, s.Written))
	}
	return report.JSON(out)
}

// RunDraws writes rows of draws from an approximate posterior of the model: tables that the private one may be. It touches nothing
// private and costs nothing.
func RunDraws(ctx context.Context, r *SampleRequest) (*Drawn, error) {
	d := &Drawn{}
	r.SampleSeed, r.HasSampleSeed = sampleSeed(r.SampleSeed, r.HasSampleSeed), true
	x := interval.NewDrift(&r.whole.Domain, r.whole.Model)
	for m := range r.errors.Draws(r.whole.Model, r.SampleSeed, r.Draws) {
		x.Add(m)
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
	d.Draws[0].Written.Notes = append(d.Draws[0].Written.Notes, x.Note(&r.whole.Domain)...)
	return d, nil
}
