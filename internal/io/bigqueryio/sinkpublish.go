package bigqueryio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"cloud.google.com/go/bigquery"
)

// Loaded is the result of Publish.
type Loaded struct {
	Job   string // ID of the load job
	Rows  int64  // that it loaded
	Bytes int64  // of the staged parts

	// Left joins what failed once the rows were in the table: setting its labels, deleting the staged files. nil if
	// nothing did.
	Left error
}

// Publish loads the staged parts into the table by one job, and deletes them. It may be called again with the same
// parts, or with other copies of the same rows, also concurrently by several workers, and after a failure: the job's
// ID is derived from run, model, table, shards and columns, and each row is loaded once. A load that succeeds has
// loaded every row, one that does not has loaded none.
//
// After an error the staged files are kept, and the error says so. If the context ends, the job continues: other
// workers may be waiting for it.
func (s Sink) Publish(ctx context.Context, staged Staged) (Loaded, error) {
	out, err := s.publish(ctx, staged)
	if err != nil {
		return Loaded{}, fmt.Errorf("%w; staged files kept", err)
	}
	return out, nil
}

func (s Sink) publish(ctx context.Context, staged Staged) (out Loaded, err error) {
	if err := s.Validate(); err != nil {
		return out, err
	}
	parts, err := s.ordered(staged.Parts)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.deadline(), errDeadline)
	defer cancel()
	client, err := s.Client.Open(ctx)
	if err != nil {
		return out, err
	}
	defer func() { _ = client.Close() }() // nothing is lost if closing a connection fails
	l := &loading{sink: s, client: client, name: s.jobName(staged.Model), sleep: s.sleeper()}
	if err := l.prepare(ctx); err != nil {
		return out, err
	}
	for _, p := range parts {
		out.Rows += p.Rows
		out.Bytes += p.Bytes
		l.uris = append(l.uris, p.URI)
	}
	l.rows = out.Rows
	file := &merged{sink: s, parts: parts}
	if !isRemote(parts[0]) {
		l.media, l.uris = file.open, nil
	}
	out.Job, err = l.run(ctx)
	if removeErr := file.remove(); !errors.Is(removeErr, fs.ErrNotExist) {
		out.Left = removeErr
	}
	if err != nil {
		return out, errors.Join(err, out.Left)
	}
	out.Left = errors.Join(out.Left, l.label(ctx), staged.remove(ctx))
	return out, nil
}

// prepare finds out where the job must run, and with which columns.
func (l *loading) prepare(ctx context.Context) error {
	var err error
	if l.location, err = l.sink.locate(ctx, l.client); err != nil {
		return l.explainLook(ctx, err)
	}
	l.schema = columns(&l.sink.Domain)
	if l.sink.Write == WriteTruncate {
		return nil
	}
	table, err := l.sink.in(l.client).Metadata(ctx)
	if err != nil && !missing(err) {
		return l.explainLook(ctx, fmt.Errorf("bigquery: %s: %w", l.sink.Table, l.because(err)))
	}
	// A load adds no column and loosens none: the table's own schema is the one that fits. If the
	// rows do not fit, the job says so.
	if err == nil && len(mismatches(&l.sink.Domain, table.Schema)) == 0 {
		l.schema = table.Schema
	}
	return nil
}

func (l *loading) explainLook(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errDeadline) {
		return fmt.Errorf("%w; nothing was loaded within %v", err, l.sink.deadline())
	}
	return err
}

// label sets the labels of the table, which a load job cannot.
func (l *loading) label(ctx context.Context) error {
	var change bigquery.TableMetadataToUpdate
	for key, value := range l.sink.labels() {
		change.SetLabel(key, value)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if _, err := l.sink.in(l.client).Update(ctx, change, ""); err != nil {
		return fmt.Errorf("bigquery: %s: its labels are not set: %w", l.sink.Table, l.because(err))
	}
	return nil
}

func (s Staged) remove(ctx context.Context) error {
	if s.Remove == nil {
		return nil
	}
	if err := s.Remove(ctx); err != nil {
		return fmt.Errorf("bigquery: staged files are left: %w", err)
	}
	return nil
}
