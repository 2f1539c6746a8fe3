package bigqueryio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	tables "github.com/dapple-dp/dapple/internal/io/table"
)

// loadedRows is a sink of rows in a table, or of people and their rows in two: they are staged as files, and one job loads
// all of a table. What was released with them goes to a directory, before the rows. BigQuery has no load of two tables
// at once: people come first, so that all is there if their rows are.
type loadedRows struct {
	to      []Sink // as many parts of each
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
			Fix: "name a directory of gs:// by --store, or keep --release on this machine"})
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
	one := Sink{Client: o.Client, Table: name, RunID: t.RunID, Shards: t.Shards, Write: write, Labels: t.Labels}
	if t.Domain != nil {
		one.Domain = *t.Domain
	}
	to := []Sink{one}
	if t.People != nil {
		to = []Sink{one, one}
		to[0].Domain = *t.People
		for i, name := range tables.TwoNames(t.Output) {
			to[i].Table, _ = ParseTable(name)
		}
	}
	return &loadedRows{
		to:      to,
		target:  t,
		stage:   dirsink.Dir{Release: t.Stage, RunID: t.RunID, Shards: len(to) * t.Shards, Extension: "parquet"},
		release: dirsink.Dir{Release: t.Release, RunID: t.RunID, Overwrite: t.Overwrite},
	}
}

// names returns the names of the tables, for messages.
func (s *loadedRows) names() string {
	var list []string
	for _, to := range s.to {
		list = append(list, Scheme+to.Table.String())
	}
	return strings.Join(list, " and ")
}

func (s *loadedRows) Check(ctx context.Context) error {
	var errs []error
	for _, to := range s.to {
		errs = append(errs, to.Check(ctx))
	}
	return errors.Join(errs...)
}

func (s *loadedRows) Create(ctx context.Context, shard, _ int) (tables.Shard, error) {
	part, err := s.stage.Create(ctx, shard)
	if err != nil {
		return nil, err
	}
	w, err := s.to[shard/s.target.Shards].NewWriter(part)
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
	if err := s.fit(ctx, r.Model); err != nil {
		return tables.Published{}, err
	}
	out := tables.Published{URI: s.target.Output, Files: len(refs), Rows: s.target.Rows(refs)}
	for i, to := range s.to {
		staged := Staged{Model: r.Model, Parts: s.partsOf(i, refs)}
		if i == len(s.to)-1 {
			staged.Remove = func(ctx context.Context) error { return s.stage.Abandon(ctx) }
		}
		loaded, err := to.Publish(ctx, staged)
		if err != nil {
			if i > 0 {
				err = fmt.Errorf("%w; %s is loaded, and %s is not", err, s.to[0].Table, to.Table)
			}
			return tables.Published{}, err
		}
		if loaded.Left != nil { // the rows are there
			log.Warnf(ctx, "%v", loaded.Left)
		}
		out.Bytes += loaded.Bytes
		if i < len(s.to)-1 {
			out.People = loaded.Rows
		}
	}
	return out, nil
}

// fit looks again, before the first of two tables is loaded, whether the second can be.
func (s *loadedRows) fit(ctx context.Context, model string) error {
	for _, to := range s.to[1:] {
		if _, done, err := to.Find(ctx, model); err != nil || done {
			return err
		}
		if err := to.Check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// partsOf returns the parts of a table, numbered from 0.
func (s *loadedRows) partsOf(table int, refs []tables.FileRef) (own []tables.FileRef) {
	for _, r := range refs {
		if r.Shard/s.target.Shards == table {
			r.Shard %= s.target.Shards
			own = append(own, r)
		}
	}
	return own
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

// Find returns the job that has loaded this run's rows, or both. Its result names table and release even without a job,
// and the job that has loaded people if only they are there.
func (s *loadedRows) Find(ctx context.Context, model string) (tables.Written, bool, error) {
	w := tables.Written{Published: tables.Published{URI: s.target.Output, Rows: -1}, Release: s.release.Release}
	if w.Release != "" {
		o, err := dirsink.Open(ctx, w.Release)
		if err != nil || o.RunID != s.target.RunID {
			return w, false, err // rows come after it
		}
		w.Digest = o.SHA256
	}
	for i, to := range s.to {
		job, found, err := to.Find(ctx, model)
		if err != nil || !found {
			return w, false, err
		}
		w.Bytes += job.Bytes
		if i == len(s.to)-1 {
			w.Rows = job.Rows
		} else {
			w.People = job.Rows
		}
		w.Job = strings.TrimPrefix(w.Job+" and "+job.Job, " and ")
	}
	return w, true, nil
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
		"staged files are in %s until you remove them", s.names(), s.target.Stage)
}

// Note describes how the rows get into the table.
func (s *loadedRows) Note() string {
	from := "one file from this machine, since neither --store nor --release is on gs://"
	if files.Scheme(s.target.Stage) == "gs" {
		from = fmt.Sprintf("%d files staged on gs://", s.target.Shards)
	}
	each := ""
	if len(s.to) > 1 {
		each = " for each"
	}
	return fmt.Sprintf("%s, write=%s; one load job%s of %s", s.names(), writeMode(s.target), each, from)
}
