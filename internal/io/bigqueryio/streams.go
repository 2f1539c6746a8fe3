package bigqueryio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/googleapis/gax-go/v2"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dapple-dp/dapple/dp/domain"
)

// maxMessage is beyond the 128 MB that a message of the service may have.
const maxMessage = 129 << 20

// table reads a table as of the snapshot by the Storage Read API, without a query: it reads only the needed columns.
// The number of rows is requested separately, since a session's is an estimate.
func (r *reader) table(ctx context.Context, yield func(*domain.Chunk) error) error {
	want, err := r.count(ctx)
	if err != nil {
		return err
	}
	session := &storagepb.ReadSession{
		Table:          resource(r.Table.Project, r.Table.Dataset, r.Table.Name),
		ReadOptions:    &storagepb.ReadSession_TableReadOptions{},
		TableModifiers: &storagepb.ReadSession_TableModifiers{SnapshotTime: timestamppb.New(r.asOf())},
	}
	for _, c := range r.Columns {
		session.ReadOptions.SelectedFields = append(session.ReadOptions.SelectedFields, c.Name)
	}
	return r.streams(ctx, session, want, yield)
}

// result reads the result of a query by the Storage Read API.
func (r *reader) result(ctx context.Context, job *bigquery.Job, rows uint64, yield func(*domain.Chunk) error) error {
	config, err := job.Config()
	if err != nil {
		return r.shown(err)
	}
	q, ok := config.(*bigquery.QueryConfig)
	if !ok || q.Dst == nil {
		return fmt.Errorf("bigquery: %s: the service names no table that holds the query's result; read it without the Storage Read API", r.Table)
	}
	session := &storagepb.ReadSession{Table: resource(q.Dst.ProjectID, q.Dst.DatasetID, q.Dst.TableID)}
	return r.streams(ctx, session, rows, yield)
}

func resource(project, dataset, table string) string {
	return "projects/" + project + "/datasets/" + dataset + "/tables/" + table
}

// count returns the number of rows as of the snapshot.
func (r *reader) count(ctx context.Context) (uint64, error) {
	job, err := r.query(ctx, r.countSQL())
	if err != nil {
		return 0, err
	}
	it, err := job.Read(ctx)
	if err != nil {
		return 0, r.shown(err)
	}
	var row []bigquery.Value
	if err := it.Next(&row); err != nil {
		return 0, r.shown(err)
	}
	if len(row) == 1 {
		if n, ok := row[0].(int64); ok {
			return uint64(n), nil
		}
	}
	return 0, fmt.Errorf("bigquery: %s: %w", r.Table, errForm)
}

// delivery is an element of a stream: a chunk, or its end.
type delivery struct {
	chunk *domain.Chunk
	err   error // of the end
}

// streams reads all streams of a session concurrently, and yields in the calling goroutine.
func (r *reader) streams(ctx context.Context, s *storagepb.ReadSession, want uint64, yield func(*domain.Chunk) error) error {
	s.DataFormat = storagepb.DataFormat_ARROW
	session, err := r.storage.CreateReadSession(ctx, &storagepb.CreateReadSessionRequest{
		Parent: "projects/" + r.Client.Project, ReadSession: s, MaxStreamCount: int32(runtime.GOMAXPROCS(0)),
	}, gax.WithGRPCOptions(grpc.MaxCallRecvMsgSize(maxMessage)))
	if err != nil {
		return r.shown(err)
	}
	if len(session.Streams) == 0 {
		if want != 0 {
			return r.miscounted()
		}
		return nil
	}
	d, err := newArrowDecoder(r.Source, session.GetArrowSchema().GetSerializedSchema())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arrived := make(chan delivery, 2*len(session.Streams))
	for _, stream := range session.Streams {
		go func() { arrived <- delivery{err: r.stream(ctx, stream.Name, d, arrived)} }()
	}
	got := uint64(0)
	for open := len(session.Streams); open > 0; { // until the last goroutine has ended
		switch next := <-arrived; {
		case next.chunk == nil:
			open--
			if next.err != nil && err == nil {
				err = next.err
				cancel()
			}
		case err == nil:
			got += uint64(next.chunk.Rows)
			if err = yield(next.chunk); err != nil {
				cancel()
			}
		}
	}
	if err == nil && got != want {
		err = r.miscounted()
	}
	return err
}

// stream reads one stream. After a temporary failure it continues at the row that it had reached.
func (r *reader) stream(ctx context.Context, name string, d *arrowDecoder, out chan<- delivery) error {
	offset, failures := int64(0), 0
	for {
		read, err := r.batches(ctx, name, offset, d, out)
		offset += read
		if err == nil || errors.Is(err, errForm) {
			return err
		}
		if read > 0 {
			failures = 0
		}
		if f, ok := refusalOf(err); !ok || !f.transient() || failures == attempts {
			return r.shown(err)
		}
		failures++
		if err := sleep(ctx, time.Duration(failures)*time.Second); err != nil {
			return r.shown(err)
		}
	}
}

// batches reads a stream from a row on, and returns how many rows it delivered.
func (r *reader) batches(ctx context.Context, name string, offset int64, d *arrowDecoder, out chan<- delivery) (read int64, err error) {
	rows, err := r.storage.ReadRows(ctx, &storagepb.ReadRowsRequest{ReadStream: name, Offset: offset},
		gax.WithGRPCOptions(grpc.MaxCallRecvMsgSize(maxMessage)))
	if err != nil {
		return 0, err
	}
	for {
		batch, err := rows.Recv()
		if errors.Is(err, io.EOF) {
			return read, nil
		} else if err != nil {
			return read, err
		}
		if batch.RowCount == 0 {
			continue
		}
		chunks, err := d.decode(batch.GetArrowRecordBatch().GetSerializedRecordBatch(), batch.RowCount)
		if err != nil {
			return read, err
		}
		for _, c := range chunks {
			select {
			case out <- delivery{chunk: c}:
			case <-ctx.Done():
				return read, ctx.Err()
			}
		}
		read += batch.RowCount
	}
}
