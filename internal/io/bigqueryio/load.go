package bigqueryio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"cloud.google.com/go/bigquery"
)

const (
	loadAttempts = 3 // jobs that may fail for the service's own reasons
	lookups      = 6 // failures in a row to learn whether a job exists: about a minute
)

// loading is one load of staged files.
type loading struct {
	sink     Sink
	client   *bigquery.Client
	location string          // of the dataset, and so of the job
	schema   bigquery.Schema // of the table to load into
	name     string          // of the job, without its attempt
	rows     int64           // that are staged
	uris     []string        // gs:// files; none: there is media
	media    func(context.Context) (io.ReadCloser, error)
	sleep    func(context.Context, time.Duration) error
}

var (
	errDeadline = errors.New("the deadline has passed")
	errFull     = errors.New("the table is not empty")
)

// run returns the ID of the job that has loaded the rows, once it has.
func (l *loading) run(ctx context.Context) (string, error) {
	var id string
	var failure error
	for attempt := range loadAttempts {
		id = jobID(l.name, attempt)
		job, err := l.obtain(ctx, id)
		if err != nil {
			return "", l.explain(ctx, id, err)
		}
		status, err := l.await(ctx, job)
		if err != nil {
			return "", l.explain(ctx, id, err)
		}
		if failure = status.Err(); failure == nil {
			return id, l.verify(ctx, id, status)
		}
		if !passing(failure) {
			return "", l.explain(ctx, id, l.refused(ctx, failure))
		}
		if err := l.pause(ctx, attempt); err != nil {
			return "", l.explain(ctx, id, err)
		}
	}
	return "", fmt.Errorf("bigquery: load job %s: %w after %d attempts", id, l.because(failure), loadAttempts)
}

// obtain inserts the job, or finds it if it has been inserted before: by another attempt at
// publishing, or by a request whose answer was lost.
func (l *loading) obtain(ctx context.Context, id string) (*bigquery.Job, error) {
	unknown := 0
	for try := 0; ; try++ {
		job, err := l.insert(ctx, id)
		if err == nil {
			return job, nil
		}
		found, lookErr := l.client.JobFromIDLocation(ctx, id, l.location)
		switch {
		case lookErr == nil:
			return found, nil
		case missing(lookErr) && !passing(err):
			return nil, l.refused(ctx, err)
		case missing(lookErr):
			unknown = 0
		case !passing(lookErr) || unknown == lookups:
			return nil, fmt.Errorf("%w; and whether the job exists cannot be known: %w", l.because(err), l.because(lookErr))
		default:
			unknown++
		}
		if err := l.pause(ctx, try); err != nil {
			return nil, err
		}
	}
}

// insert asks for the job. Media are opened anew for each request.
func (l *loading) insert(ctx context.Context, id string) (*bigquery.Job, error) {
	source, err := l.source(ctx)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	loader := l.sink.in(l.client).LoaderFrom(source)
	loader.JobID, loader.Location = id, l.location
	loader.Labels = l.sink.labels()
	loader.CreateDisposition = bigquery.CreateIfNeeded
	loader.WriteDisposition = l.sink.Write.disposition()
	if flexible(l.schema) {
		loader.ColumnNameCharacterMap = bigquery.StrictColumnNameCharacterMap
	}
	return loader.Run(ctx)
}

// source is what a job loads.
type source struct {
	bigquery.LoadSource
	io.Closer
}

func (l *loading) source(ctx context.Context) (source, error) {
	if l.media == nil {
		s := bigquery.NewGCSReference(l.uris...)
		s.SourceFormat, s.Schema = bigquery.Parquet, l.schema
		return source{s, io.NopCloser(nil)}, nil
	}
	file, err := l.media(ctx)
	if err != nil {
		return source{}, err
	}
	s := bigquery.NewReaderSource(file)
	s.SourceFormat, s.Schema = bigquery.Parquet, l.schema
	return source{s, file}, nil
}

// await returns the status of the job once it is done.
func (l *loading) await(ctx context.Context, job *bigquery.Job) (*bigquery.JobStatus, error) {
	for try := 0; ; try++ {
		status, err := job.Wait(ctx)
		if err == nil || !passing(err) || try == lookups {
			return status, err
		}
		if err := l.pause(ctx, try); err != nil {
			return nil, err
		}
	}
}

// verify compares the number of rows loaded with the number staged.
func (l *loading) verify(ctx context.Context, id string, status *bigquery.JobStatus) error {
	rows := int64(0)
	switch stats, known := loaded(status); {
	case known:
		rows = stats.OutputRows
	case l.sink.Write == WriteAppend: // the table's rows are not this load's
		return nil
	default:
		var err error
		if rows, err = l.count(ctx); err != nil {
			return l.explain(ctx, id, fmt.Errorf("it is done, but its rows cannot be counted: %w", l.because(err)))
		}
	}
	if rows != l.rows {
		return fmt.Errorf("bigquery: load job %s: %s has another number of rows from it than were staged", id, l.sink.Table)
	}
	return nil
}

func loaded(status *bigquery.JobStatus) (*bigquery.LoadStatistics, bool) {
	if status.Statistics == nil {
		return nil, false
	}
	s, ok := status.Statistics.Details.(*bigquery.LoadStatistics)
	return s, ok
}

// count asks the table how many rows it has.
func (l *loading) count(ctx context.Context) (int64, error) {
	q := l.client.Query("SELECT COUNT(*) FROM `" + l.sink.Table.String() + "`")
	q.Location = l.location
	it, err := q.Read(ctx)
	if err != nil {
		return 0, err
	}
	var row []bigquery.Value
	if err := it.Next(&row); err != nil {
		return 0, err
	}
	n, ok := row[0].(int64)
	if !ok {
		return 0, errors.New("a count is not an INT64")
	}
	return n, nil
}

// explain returns the error of a failed load.
func (l *loading) explain(ctx context.Context, id string, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), errDeadline):
		return fmt.Errorf("bigquery: load job %s is not known to have ended within %v; it may end yet: look at it before the next run: %w",
			id, l.sink.deadline(), context.DeadlineExceeded)
	case ctx.Err() != nil:
		return fmt.Errorf("bigquery: load job %s may end yet, though this run was stopped: %w", id, ctx.Err())
	case errors.Is(err, errFull):
		return l.sink.notEmpty()
	}
	return fmt.Errorf("bigquery: load job %s: %w", id, l.because(err))
}

// refused returns why a load was refused: errFull if the table holds rows and should not, whatever
// the service said, since a load that failed wrote none.
func (l *loading) refused(ctx context.Context, err error) error {
	if l.sink.Write != WriteEmpty {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if table, lookErr := l.sink.in(l.client).Metadata(ctx); lookErr == nil && holdsRows(table) {
		return errFull
	}
	return err
}

// pause waits longer after each failure in a row, 1 s to 32 s, less up to a half, so that several
// publishers do not ask in step.
func (l *loading) pause(ctx context.Context, failures int) error {
	d := time.Second << min(failures, 5)
	return l.sleep(ctx, d-rand.N(d/2))
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
