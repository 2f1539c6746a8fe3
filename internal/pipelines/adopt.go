package pipelines

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/contents"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/request/progress"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// A run that has finished is adopted by its ID, if the request is the one that it had. The state of the input is not compared: a
// release is not drawn again because records have changed.

// checkFinished refuses a request that differs from the request of a finished run, and says in what.
func (r *Request) checkFinished(p report.Privacy) error {
	var differs []string
	add := func(same bool, format string, args ...any) {
		if !same {
			differs = append(differs, fmt.Sprintf(format, args...))
		}
	}
	add(p.Epsilon == float64(r.Epsilon), "ε = %g, and --epsilon=%g", p.Epsilon, float64(r.Epsilon))
	add(p.Delta == float64(r.Delta), "δ = %g, and --delta=%g", p.Delta, float64(r.Delta))
	add(p.Neighbouring == r.Neighbouring.String(), "the relation %s, and --neighbouring=%s", p.Neighbouring, r.Neighbouring.Flag())
	table := r.tableHash()
	add(table == "" || p.Hashes.Table == "" || p.Hashes.Table == table, "another table than %s", strings.TrimSpace(r.Input+" "+r.People))
	fingerprint, workload := r.File.Domain.Fingerprint(), r.Problem.Workload.Fingerprint()
	if sameDomain := p.Hashes.Domain == hex.EncodeToString(fingerprint[:]) && p.Hashes.Asked == r.asked; sameDomain {
		add(p.Hashes.Workload == hex.EncodeToString(workload[:]), "another workload: --marginals, --max_cells")
		add(p.Method == r.Chosen.Name, "method %s, and this request %s", p.Method, r.Chosen.Name)
	} else {
		add(false, "another domain than --domain and --privacy_id say")
		add(r.Method == "auto" || p.Method == r.Chosen.Name, "method %s, and --method=%s", p.Method, r.Method)
	}
	if len(differs) == 0 {
		return nil
	}
	return Faults{{Where: "--run_id", What: fmt.Sprintf("run %s has finished, with %s", r.RunID, strings.Join(differs, "; with ")), Fix: "ask as that run was asked, or name another run"}}
}

// tableHash names the private tables of a request, in a statement that others read; empty: the table has no name of its own.
func (r *Request) tableHash() string {
	if Workspace(filepath.Dir(absolute(r.Input))).Is() {
		return ""
	}
	return wire.Hash(wire.JSON(struct{ Input, People string }{absolute(r.Input), absolute(r.People)}))
}

// declared names what a request declares whose domain is found.
func (r *FindRequest) declared() string {
	var d *domain.Domain
	if r.parsed != nil {
		d = r.parsed.file.Domain
	}
	return wire.Hash(wire.JSON(struct {
		PrivacyID string
		Share     dp.Share
		Open      *schema.Open
		Domain    *domain.Domain
	}{r.PrivacyID, r.params.Share, r.open(), d}))
}

// rowsGone reports whether parts of the rows of a finished run are not there any more, as it wrote them. Tables are asked by others.
func (r *Request) rowsGone(ctx context.Context) (bool, error) {
	if r.to.table {
		return false, nil
	}
	o, err := dirsink.Open(ctx, r.to.beside)
	if err != nil {
		return false, err
	}
	return o.Gone(ctx)
}

// remake makes the rows of a finished run again, from its model, in an output of the same release. It costs nothing.
func (r *Request) remake(ctx context.Context, p report.Privacy) (*Result, error) {
	_, model, err := contents.Model(ctx, r.to.beside)
	if err != nil {
		return nil, err
	}
	publisher := run.Again(r.RunID)
	st, err := run.Area{Dir: r.to.scratch, Prefix: run.Prefix}.Stage(ctx, publisher)
	if err != nil {
		return nil, asFault(err)
	}
	defer st.Remove(ctx)
	again := *r
	again.to.Overwrite = true
	out := again.output(publisher, st, time.Time{})
	out.Description, out.Again = publish.Description{Public: out.Public, Tables: out.Tables}, true
	ref, err := keepModel(ctx, st, model)
	if err != nil {
		return nil, err
	}
	end, err := out.opened().begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	pipe, s := beam.NewPipelineWithRoot()
	again.Rows = p.Rows
	if r.File.Domain.Events != nil {
		again.Rows = 0 // of as many people as the model stands for
	}
	write(s, &again, launch{runID: publisher, seed: sampleSeed(r.SampleSeed, r.HasSampleSeed), store: st.Ref(), output: out}, synth.SavedIn(s, ref, r.File.Domain, st.Ref()))
	runner := r.Runner
	if r.Engine.runner.Service { // what is public needs no service
		runner = "prism"
	}
	if err := execute(ctx, pipe, runner, progress.New(0, progress.Form{Progress: r.Progress, Terminal: r.Terminal, LogJSON: r.LogJSON})); err != nil && !out.published(ctx) {
		_, published, abandonErr := out.abandon(ctx)
		if !published {
			return nil, fmt.Errorf("%w\nthe rows of run %s are not made again; they cost no privacy: the same command tries once more", errors.Join(err, abandonErr), r.RunID)
		}
	}
	return resultOf(ctx, r, out)
}

// keepModel stores a model for the functions of a run: in the pipeline itself it would be copied for every branch.
func keepModel(ctx context.Context, st run.Staging, model []byte) (synth.ModelRef, error) {
	const name = "model"
	artifact, err := synth.ModelArtifact(model)
	if err != nil {
		return synth.ModelRef{}, err
	}
	ref, err := artifact.Ref()
	if err != nil {
		return synth.ModelRef{}, err
	}
	if err := files.Create(ctx, files.Join(st.Dir, name), ref.Inline); err != nil {
		return synth.ModelRef{}, err
	}
	ref.Path, ref.Inline = name, nil
	return ref, nil
}
