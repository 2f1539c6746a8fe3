package tables

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// sinkKind is the name under which workers find the sink of Write.
const sinkKind = "table"

func init() {
	synth.RegisterSink(sinkKind, func(config string) (synth.Sink, error) { return publish.Decode(config) })
	dofn.Register[statementFn](dofn.Method3x1("ProcessElement", (*statementFn).ProcessElement))
	register.Emitter1[synth.Published]()
}

// Write writes rows to a directory of files, or to a table of a place such as bq://project.dataset.table. from says which:
// a Sample of a release, or Structs of other steps. It returns a PCollection of synth.Published, one for each directory or table.
//
// A manifest comes last: a reader that waits for it sees everything or nothing. It is in to.Release, by default the directory of
// the rows with ".release" behind its name. Format is parquet by default.
//
// Write looks at the target while the pipeline is built, before anything is spent. It panics if the target is not free or
// cannot be written, with all faults at once.
func Write(s beam.Scope, from Rows, to table.Target) beam.PCollection {
	if from == nil {
		panic("tables: Write: there are no rows; give a Sample or Structs")
	}
	written, err := from.write(s, to)
	if err != nil {
		panic(fmt.Sprintf("tables: Write:\n%v", err))
	}
	return written
}

// Rows are what Write writes: a Sample or Structs.
type Rows interface {
	write(s beam.Scope, to table.Target) (beam.PCollection, error)
}

// Sample is rows that are drawn from a release. Statement, model, marginals and report go beside them, unless the release was
// saved, and so stated already. Zero fields mean what they mean in synth.SampleParams.
//
// A table needs a target's Release, and its Stage for rows that are yet to be loaded. Zero fields of the target: RunID is the
// release's, Shards one, and up to 8 for large tables. Domain and People follow from the release.
type Sample struct {
	Release  synth.Release // required
	Rows     int64         // how many, with events how many people
	Branches int
	Seed     uint64
	Rounding synth.Rounding
	Where    string
	Tables   bool // people and their rows as two tables, for a domain with events
}

func (from Sample) write(s beam.Scope, to table.Target) (beam.PCollection, error) {
	r := from.Release
	p := synth.WriteParams{Rows: from.Rows, Branches: from.Branches, Seed: from.Seed, Rounding: from.Rounding, Where: from.Where, Tables: from.Tables}
	to, err := targetOf(r, to, &p)
	if err == nil {
		err = ready(to)
	}
	if err != nil {
		return beam.PCollection{}, err
	}
	o := outputOf(r, to)
	o.RowsAsked, o.Tables = p.Rows, p.Tables
	o.RowsAt, o.RowsFormat = publish.RowsAt(to.Output, to.Format)
	p.Sink = synth.SinkRef{Kind: sinkKind, Config: publish.Encode(o, &o.Target)}
	return synth.Write(s, r, p), nil
}

// outputOf returns the output for a target, with the description of a release that says what was asked for.
func outputOf(r synth.Release, to table.Target) *publish.Output {
	return &publish.Output{Target: to, Description: publish.Description{
		Public:   query.Frame{Domain: *r.Domain(), Workload: r.Workload()},
		Describe: r.Workload().Sizes != nil, Told: report.Told{Began: time.Now().UTC().Format(time.RFC3339)},
	}}
}

// targetOf completes a target, and the parameters of the rows that go there.
func targetOf(r synth.Release, to table.Target, p *synth.WriteParams) (table.Target, error) {
	if r.Domain() == nil {
		return to, errors.New("the release is the zero Release; synth.Synthesize returns one")
	}
	if p.Tables && r.Domain().Events == nil {
		return to, errors.New("the field Tables is set: two tables are of people and their rows, and the domain has no events")
	}
	placed := isPlaced(to)
	switch {
	case to.Output == "":
		return to, errors.New("the field Output is empty; name a directory or a table, or call WriteStatement if there are no rows")
	case placed && to.Stage == "":
		return to, errors.New("the field Stage is empty; name a directory where rows wait until they are loaded, such as gs://bucket/path")
	case placed && to.Release == "" && r.Workload().Sizes != nil:
		return to, errors.New("the field Release is empty; name the directory for statement and model")
	}
	if to.Shards > 0 {
		p.Shards = to.Shards
	}
	if to.Format == "" {
		to.Format = "parquet"
	}
	if p.Shards == 0 && placed {
		p.Shards = publish.DefaultShards
	}
	if p.Shards == 0 {
		p.Shards, p.MinRows = publish.Shards(0, r.Domain())
	}
	if placed {
		to.Shards = p.Shards
	}
	if to.RunID == "" {
		to.RunID = runOf(r.RunID())
	}
	to.Domain, to.People = publish.Tables(r.Domain(), p.Tables)
	return to, nil
}

// plainRuns are the run IDs that are names of directories everywhere.
var plainRuns = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// runOf returns a run ID that is a name of a directory.
func runOf(id string) string {
	if plainRuns.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

func isPlaced(to table.Target) bool {
	_, ok := table.PlaceOf(to.Output)
	return ok
}

// patience is how long a target is waited for while the pipeline is built.
const patience = time.Minute

// ready makes sure, before anything is spent, that rows can be written to a target. It joins all faults.
func ready(to table.Target) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var errs []error
	if place, ok := table.PlaceOf(to.Output); ok {
		for _, f := range place.Target(to) {
			errs = append(errs, fmt.Errorf("%s: %w", f.Field, f))
		}
	} else {
		errs = append(errs, formatFault(to, to.Domain))
		if to.People != nil {
			errs = append(errs, formatFault(to, to.People))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	sink := table.OpenSink(to)
	if published, found, err := sink.Find(ctx, ""); err == nil && found && !isPlaced(to) && published.URI == to.Output {
		return nil // an earlier attempt of this very run
	}
	if err := sink.Check(ctx); err != nil {
		return err
	}
	return sink.Prepare(ctx)
}

// formatFault is why columns cannot be written in the format; nil: they can.
func formatFault(to table.Target, d *domain.Domain) error {
	if why := table.NotWritten(to.Format); why != "" {
		return errors.New("the field Format: " + why)
	}
	format, known := table.FormatOf(to.Format)
	if !known {
		return fmt.Errorf("the field Format: got %q; want one of %q, or import the package of another", to.Format, table.Writable("parquet"))
	}
	if format.CheckOutput == nil {
		return nil
	}
	return format.CheckOutput(d, to.Null)
}

// WriteStatement writes statement, model, marginals and report of a release to a directory, for those whose rows go elsewhere.
// A manifest comes last. rows is how many rows were made of the release; 0: the released number. It returns a PCollection of
// one synth.Published. It panics as Write does, and on a release that was saved: that has been stated already.
func WriteStatement(s beam.Scope, r synth.Release, dir string, rows int64) beam.PCollection {
	err := errors.New("the release is the zero Release, or a saved one, which has been stated already")
	if r.Domain() != nil && r.Workload().Sizes != nil {
		d := dirsink.Dir{Release: dir, RunID: runOf(r.RunID())}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if o, openErr := dirsink.Open(ctx, dir); openErr == nil && o.RunID == d.RunID {
			err = nil // an earlier attempt of this very run
		} else if err = d.Check(ctx); err == nil {
			err = d.Prepare(ctx)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("tables: WriteStatement:\n%v", err))
	}
	s = s.Scope("tables.WriteStatement")
	o := outputOf(r, table.Target{Release: dir, RunID: runOf(r.RunID())})
	o.RowsAsked = rows
	return beam.ParDo(s, &statementFn{publish.Encode(o, &o.Target)}, r.Artifacts(s))
}

// statementFn publishes what was released, without rows.
type statementFn struct{ Config string }

func (f *statementFn) ProcessElement(ctx context.Context, a *synth.Artifact, emit func(synth.Published)) error {
	o, err := publish.Decode(f.Config)
	if err != nil {
		return err
	}
	rows := o.RowsAsked
	if rows == 0 {
		rows = int64(max(0, a.Result.Total.Units))
	}
	list, err := o.Files(a, rows)
	if err != nil {
		return err
	}
	dir := dirsink.Dir{Release: o.Target.Release, RunID: o.Target.RunID}
	if _, err := dir.Publish(ctx, nil, list, nil); err != nil {
		return fmt.Errorf("tables: publishing the statement: %w", err)
	}
	emit(synth.Published{URI: files.Clean(o.Target.Release), Files: len(list)})
	return nil
}

// Store returns the store of releases in a directory of this machine, which all workers have to see under this name, or of a
// registered place, such as "gs://bucket/path". The directory is made if need be.
//
// A value of it is there as a whole or not at all, also after a crash, and nothing removes or changes one: a second start
// with the same RunID finds the release of the first. Its content is private until it is published.
func Store(dir string) synth.StoreRef { return archive.In(dir) }
