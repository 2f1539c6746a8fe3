package bigqueryio

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/parquetio"
	tables "github.com/dapple-dp/dapple/io/table"
)

// loadedRows is a sink of rows in a table: they are staged as files, and one job loads them all. What was released
// with them goes to a directory, before the rows.
type loadedRows struct {
	Sink
	target  tables.Target
	stage   dirsink.Dir
	release dirsink.Dir // of no rows; Release empty: nothing is released
}

// targetFaults returns the faults in the name of a table and in the way to write it.
func targetFaults(t tables.Target) (faults []*tables.FieldError) {
	if _, err := ParseTable(t.Output); err != nil {
		faults = append(faults, &tables.FieldError{Field: "Output", Err: err})
	}
	if _, err := ParseWrite(writeMode(t)); err != nil {
		faults = append(faults, &tables.FieldError{Field: "Write", Err: fmt.Errorf("got %q; want empty, truncate or append", t.Write)})
	}
	if from := files.Scheme(t.Stage); from != "" && from != "gs" {
		faults = append(faults, &tables.FieldError{Field: "Stage", Err: fmt.Errorf("BigQuery loads files of gs:// and of this machine, and not of %s://", from),
			Fix: "name a directory of gs:// by --temp_location, or keep --release on this machine"})
	}
	return faults
}

func writeMode(t tables.Target) string { return cmp.Or(t.Write, WriteEmpty.String()) }

// openLoaded returns the sink of a target that has no faults.
func openLoaded(t tables.Target) tables.Sink {
	name, _ := ParseTable(t.Output)
	write, _ := ParseWrite(writeMode(t))
	var o Options
	_ = t.Services.Get(scheme, &o) // the settings were read at launch
	o.Project = cmp.Or(o.Project, name.Project)
	s := &loadedRows{
		Sink:    Sink{Client: o.Client, Table: name, RunID: t.RunID, Shards: t.Shards, Write: write, Labels: t.Labels},
		target:  t,
		stage:   dirsink.Dir{Release: t.Stage, RunID: t.RunID, Shards: t.Shards, Extension: "parquet"},
		release: dirsink.Dir{Release: t.Release, RunID: t.RunID, Overwrite: t.Overwrite},
	}
	if t.Domain != nil {
		s.Domain = *t.Domain
	}
	return s
}

func (s *loadedRows) name() string { return Scheme + s.Table.String() }

func (s *loadedRows) Create(ctx context.Context, shard, _ int) (tables.Shard, error) {
	part, err := s.stage.Create(ctx, shard)
	if err != nil {
		return nil, err
	}
	w, err := s.NewWriter(part)
	if err != nil {
		return nil, errors.Join(err, part.Abort())
	}
	return tables.NewShard(part, parquetio.RowWriter(w)), nil
}

func (s *loadedRows) Publish(ctx context.Context, refs []tables.FileRef, r tables.Release) (tables.Published, error) {
	if s.release.Release != "" {
		if _, err := s.release.Publish(ctx, nil, r.Files, nil); err != nil {
			return tables.Published{}, err
		}
	}
	out, err := s.Sink.Publish(ctx, Staged{
		Model: r.Model, Parts: refs,
		Remove: func(ctx context.Context) error { return s.stage.Abandon(ctx) },
	})
	if err != nil {
		return tables.Published{}, err
	}
	if out.Left != nil { // the rows are there
		log.Warnf(ctx, "%v", out.Left)
	}
	return tables.Published{URI: s.name(), Files: len(refs), Rows: s.target.Rows(refs), Bytes: out.Bytes}, nil
}

func (s *loadedRows) Prepare(ctx context.Context) error {
	if err := s.Check(ctx); err != nil {
		return &tables.FieldError{Field: "Output", Err: err}
	}
	if s.release.Release != "" {
		if err := s.release.Prepare(ctx); err != nil {
			return &tables.FieldError{Field: "Release", Err: err}
		}
	}
	if err := s.stage.Prepare(ctx); err != nil {
		return &tables.FieldError{Field: "Stage", Err: err}
	}
	return nil
}

func (s *loadedRows) Hold() (release func(), err error) {
	stage, err := s.stage.Hold()
	if err != nil || s.release.Release == "" {
		return stage, err
	}
	other, err := s.release.Hold()
	if err != nil {
		stage()
		return nil, err
	}
	return func() { stage(); other() }, nil
}

// Find returns the job that has loaded this run's rows. Its result names table and release even if there is none.
func (s *loadedRows) Find(ctx context.Context, model string) (tables.Written, bool, error) {
	w := tables.Written{Published: tables.Published{URI: s.name(), Rows: -1}, Release: s.release.Release}
	if w.Release != "" {
		o, err := dirsink.Open(ctx, w.Release)
		if err != nil || o.RunID != s.RunID {
			return w, false, err // rows come after it
		}
		w.Digest = o.SHA256
	}
	job, found, err := s.Sink.Find(ctx, model)
	if found {
		w.Job, w.Rows, w.Bytes = job.Job, job.Rows, job.Bytes
	}
	return w, found, err
}

func (s *loadedRows) Abandon(ctx context.Context, released ...string) error {
	err := s.stage.Abandon(ctx)
	if s.release.Release != "" {
		err = errors.Join(err, s.release.Abandon(ctx, released...))
	}
	return err
}

func (s *loadedRows) Unfinished() string {
	return fmt.Sprintf("the rows were being loaded: a job whose name begins with dapple_ may end yet; look at %s before the next run\n"+
		"staged files are in %s until you remove them", s.name(), s.target.Stage)
}

// Note describes how the rows get into the table.
func (s *loadedRows) Note() string {
	from := "one file from this machine, since neither --temp_location nor --release is on gs://"
	if files.Scheme(s.target.Stage) == "gs" {
		from = fmt.Sprintf("%d files staged on gs://", s.Shards)
	}
	return fmt.Sprintf("%s, write=%s; one load job of %s", s.target.Output, writeMode(s.target), from)
}
