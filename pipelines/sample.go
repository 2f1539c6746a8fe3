package pipelines

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/beamrun/progress"
	"github.com/dapple-dp/dapple/internal/model/condition"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/relation"
	"github.com/dapple-dp/dapple/internal/release/dry"
	"github.com/dapple-dp/dapple/internal/release/finished"
	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/internal/release/modelio"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/transforms/synth"
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
	MinCount      synth.MinCount
	SampleSeed    uint64
	HasSampleSeed bool
	Draws         int               // rows of so many draws of the model, in place of one table; 0: of the model itself
	Shards        int               // default: one, and up to 8 of large tables
	Tables        bool              // people and their rows as two tables, for a domain with events
	Overwrite     bool              // of directories
	Write         string            // of tables: empty (default), truncate or append
	Labels        map[string]string // of tables and jobs; launchers give some to every run
	Runner        string
	TempLocation  string // gs:// directory for the model while rows are drawn; default: next to a gs:// output, else of this machine
	Services      table.Options
	Progress      io.Writer
	Terminal      bool
	LogJSON       bool // progress is a JSON object a line
}

// SampleRequest is a SampleConfig without fault.
type SampleRequest struct {
	SampleConfig
	file    *modelio.File       // conditioned
	bytes   []byte              // of file, as they were read; nil if it was made or conditioned here
	coupled bool                // rows have to be records of the model
	whole   *modelio.File       // before it was conditioned
	errors  *interval.Intervals // of Draws
}

// ValidateSample finds every fault of a request for rows.
func ValidateSample(ctx context.Context, c SampleConfig) (*SampleRequest, error) {
	c.Format = orDefault(c.Format, defaultFormat)
	if isTable(c.Output) {
		c.Shards = orDefault(c.Shards, DefaultShards)
	}
	c.Runner = orDefault(c.Runner, "prism")
	var faults Faults
	r := &SampleRequest{SampleConfig: c}
	if c.Rows < 0 {
		faults.add("--rows", fmt.Sprintf("got %d; want at least 1", c.Rows), "")
	}
	if c.Shards < 0 || c.Shards > MaxShards {
		faults.add("--shards", fmt.Sprintf("got %d; want 1 to %d", c.Shards, MaxShards), "")
	}
	checkFormatName(c.Format, &faults)
	checkHere(c.Runner, &faults)
	if c.Draws == 0 {
		c.target().check(ctx, &faults)
	}
	checkTemp(c.TempLocation, Engine{}, &faults)
	if c.Domain != "" {
		if c.Draws != 0 {
			faults.add("--draws", "together with --domain", "leave it out: dry rows are of no model")
		}
		checkDry(ctx, r, &faults)
		return r, faults.Err()
	}
	switch file, data, err := finished.Model(ctx, c.Model); {
	case c.Model == "":
		faults.add("--model", "is required: what synth has written, or its _model.arrow; --domain=FILE gives dry rows, of no data", "")
	case err != nil:
		faults = append(faults, ErrorFaults("--model", err)...)
	default:
		whole := *file
		r.file, r.bytes, r.whole = file, data, &whole
		r.Tables = r.Tables || noRows(&file.Domain)
		checkLayout(ctx, c.target(), &file.Domain, r.Tables, &faults)
		checkWhere(r, &faults)
		checkMinCount(r.MinCount, r.Rows, 0, &file.Domain, &faults)
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
// directories, or nil if there is none that can be read.
func LearnedDomain(ctx context.Context, name string) *domain.Domain {
	if name == "" {
		return nil
	}
	file, _, err := finished.Model(ctx, name)
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
	Merged  report.MinCount // zero: not asked for
	Written report.Written
}

// WriteText writes one line.
func (s *Sampled) WriteText(w io.Writer) error {
	return report.WriteSampled(w, s.Rows, s.Dry, s.Merged, s.Written)
}

// Unprinted is the error of a result whose text could not be written.
func (s *Sampled) Unprinted(err error) error {
	return fmt.Errorf("%w\nall rows are published in %s all the same: `dapple verify %s` looks at them", err, s.Written.Output, cmp.Or(s.Written.Release, s.Written.Output))
}

// JSON returns the same for programs.
func (s *Sampled) JSON() ([]byte, error) {
	return report.JSON(report.Sampled(s.Dry, s.Merged, s.Written))
}

// RunSample writes rows of a released model. It touches nothing private and costs nothing.
func RunSample(ctx context.Context, r *SampleRequest) (*Sampled, error) {
	runID := rand.Text()
	st, err := run.AreaOf(r.TempLocation, r.target().beside(), os.TempDir()).Stage(ctx, runID)
	if err != nil {
		return nil, asFault(err)
	}
	defer st.Remove(ctx)
	out := r.output(runID, st)
	a, err := startExecution(ctx, out)
	if err != nil {
		return nil, err
	}
	defer a.finish()
	ref, err := r.keep(ctx, st)
	if err != nil {
		_, _, abandonErr := a.abandon(ctx)
		return nil, errors.Join(err, abandonErr)
	}
	p, s := beam.NewPipelineWithRoot()
	release := synth.SavedIn(s, ref, &r.file.Domain, st.Ref())
	shards, minRows := publish.Shards(r.Shards, &r.file.Domain)
	params := synth.WriteParams{
		Rows: r.Rows, Shards: shards, MinRows: minRows, Branches: runnerNamed(r.Runner).Branches(), Sink: out.ref(),
		Seed: sampleSeed(r.SampleSeed, r.HasSampleSeed), Rounding: r.rounding(), MinCount: r.MinCount, Tables: r.Tables,
	}
	synth.Write(s, release, params)
	if err := execute(ctx, p, r.Runner, progress.New(0, progress.Form{Progress: r.Progress, Terminal: r.Terminal, LogJSON: r.LogJSON})); err != nil && !a.published(ctx) {
		kept, published, abandonErr := a.abandon(ctx)
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
	res := &Sampled{Rows: written.Rows, Dry: r.Domain != "", Written: written}
	if r.MinCount.Rows > 0 {
		merged, err := release.Merged(ctx, ref, params)
		if err != nil {
			return nil, err
		}
		res.Merged = publish.MinCountOf(r.MinCount, &r.file.Domain, written.Rows, merged)
	}
	return res, nil
}

// rounding returns the way to make rows of the model: a local search for rows that fit its tables could violate a
// condition that links columns, and dry rows have no tables.
func (r *SampleRequest) rounding() synth.Rounding {
	if r.coupled || r.Domain != "" {
		return synth.Systematic
	}
	return synth.Refined
}

// keep stores the conditioned model for the run's functions: in the pipeline itself it would be copied for every
// branch.
func (r *SampleRequest) keep(ctx context.Context, st run.Staging) (synth.ModelRef, error) {
	const name = "model"
	model, err := r.bytes, error(nil)
	if model == nil {
		model, err = r.file.Encode()
	}
	if err != nil {
		return synth.ModelRef{}, err
	}
	artifact, err := synth.ModelArtifact(model)
	if err != nil {
		return synth.ModelRef{}, err
	}
	ref, err := artifact.Ref()
	if err != nil {
		return synth.ModelRef{}, err
	}
	if _, _, err := keep.Open(st.Dir).CreateIfAbsent(ctx, name, ref.Inline); err != nil {
		return synth.ModelRef{}, err
	}
	ref.Path, ref.Inline = name, nil
	return ref, nil
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
	checkLayout(ctx, r.target(), file.Domain, r.Tables, faults)
	if r.Rows <= 0 {
		return
	}
	r.file = dry.File(file.Domain, r.Rows, sampleSeed(r.SampleSeed, r.HasSampleSeed))
	checkWhere(r, faults)
	checkMinCount(r.MinCount, r.Rows, 0, &r.file.Domain, faults)
}

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
