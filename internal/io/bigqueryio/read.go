package bigqueryio

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"cloud.google.com/go/bigquery"
	storage "cloud.google.com/go/bigquery/storage/apiv1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"google.golang.org/api/iterator"

	"github.com/dapple-dp/dapple/dp/domain"
)

func init() {
	register.Emitter1[*domain.Chunk]()
	beam.RegisterType(reflect.TypeFor[Source]())
	// One call: a wrapper that saves microseconds would add 6 MB to the binary.
	beam.RegisterDoFn(reflect.TypeFor[readFn]())
}

// Read returns the records of a table as *domain.Chunk: STRING as Text, FLOAT64 as Floats, all others as
// Ints in the native unit. Numbers finer than the native unit are rounded down. If one is beyond its type, the column
// comes as Text, and the number as one that the type cannot use. The table is one element of work, so that a step that is repeated cannot mix
// two readings. It panics if src does not come from Check.
func Read(s beam.Scope, src Source) beam.PCollection {
	s = s.Scope("bigqueryio.Read")
	if len(src.Columns) == 0 || src.Key == "" {
		panic("bigqueryio: Read takes a source that Check returned")
	}
	return beam.ParDo(s, &readFn{Source: src}, beam.Impulse(s))
}

// readFn reads a table.
type readFn struct {
	Source Source

	reader *reader
}

func (f *readFn) Setup(ctx context.Context) (err error) {
	f.reader, err = f.Source.open(context.WithoutCancel(ctx))
	return err
}

func (f *readFn) ProcessElement(ctx context.Context, _ []byte, emit func(*domain.Chunk)) error {
	return f.reader.each(ctx, func(c *domain.Chunk) error {
		emit(c)
		return ctx.Err()
	})
}

func (f *readFn) Teardown() error {
	if f.reader == nil {
		return nil
	}
	return f.reader.close()
}

// Each passes the records of a table to yield, in chunks that yield may keep, without a pipeline. It stops at the
// first error.
func Each(ctx context.Context, src Source, yield func(*domain.Chunk) error) (err error) {
	r, err := src.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	return r.each(ctx, yield)
}

// reader holds the connections that a source is read by.
type reader struct {
	*Source
	client  *bigquery.Client
	storage *storage.BigQueryReadClient // ViaStorage
}

func (s *Source) open(ctx context.Context) (*reader, error) {
	client, err := s.Client.Open(ctx)
	if err != nil {
		return nil, err
	}
	r := &reader{Source: s, client: client}
	if s.Via == ViaStorage {
		if r.storage, err = s.Client.openStorage(ctx); err != nil {
			return nil, errors.Join(err, client.Close())
		}
	}
	return r, nil
}

func (r *reader) close() error {
	if r.storage == nil {
		return r.client.Close()
	}
	return errors.Join(r.storage.Close(), r.client.Close())
}

// each reads the source within its time.
func (r *reader) each(ctx context.Context, yield func(*domain.Chunk) error) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	if r.Via == ViaStorage && r.Snapshot != 0 {
		return r.table(ctx, yield)
	}
	job, err := r.query(ctx, r.SQL())
	if err != nil {
		return err
	}
	it, err := job.Read(ctx)
	if err != nil {
		return r.shown(err)
	}
	if err := r.unchanged(it.Schema); err != nil {
		return err
	}
	if r.Via == ViaStorage {
		return r.result(ctx, job, it.TotalRows, yield)
	}
	return r.pages(it, yield)
}

// pages reads the result of a query. The client's errors can hold cells and are not passed on as they are.
func (r *reader) pages(it *bigquery.RowIterator, yield func(*domain.Chunk) error) error {
	want, got, rows := it.TotalRows, uint64(0), newRows(r.Source)
	for {
		err := it.Next(rows)
		if errors.Is(err, iterator.Done) {
			break
		}
		if errors.Is(err, errForm) {
			return fmt.Errorf("bigquery: %s: %w", r.Table, errForm)
		} else if err != nil {
			return r.shown(err)
		}
		if got++; rows.full() {
			if err := yield(rows.settled()); err != nil {
				return err
			}
			rows.next()
		}
	}
	if got != want {
		return r.miscounted()
	}
	if rows.chunk.Rows == 0 {
		return nil
	}
	return yield(rows.settled())
}

func (s *Source) miscounted() error {
	return fmt.Errorf("bigquery: %s: fewer or more rows arrived than the service reports", s.Table)
}

// shown is an error of the service about the table.
func (s *Source) shown(err error) error { return shown(s.Table.String(), err) }
