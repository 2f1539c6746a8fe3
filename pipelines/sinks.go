package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/dirsink"
	"github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/io/store"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Names under which workers find what DoFns cannot carry.
const (
	directoryKind = "directory"
	localKind     = "local"
)

func init() {
	synth.RegisterSink(directoryKind, func(config string) (synth.Sink, error) {
		var d directory
		if err := json.Unmarshal([]byte(config), &d); err != nil {
			return nil, fmt.Errorf("pipelines: directory sink: %w", err)
		}
		return &d, nil
	})
	synth.RegisterStore(localKind, func(config string) (synth.Store, error) {
		return localStore{store.Local{Dir: config}}, nil
	})
}

// localStore keeps releases in a directory that every worker sees. A stopped run releases no more.
type localStore struct{ store.Local }

func (s localStore) CreateIfAbsent(ctx context.Context, name string, data []byte) ([]byte, bool, error) {
	leave, err := enter(strings.TrimSuffix(name, ".release"))
	if err != nil {
		return nil, false, err
	}
	defer leave()
	return s.Local.CreateIfAbsent(ctx, name, data)
}

func (s localStore) Read(ctx context.Context, name string) ([]byte, bool, error) {
	return s.Get(ctx, name)
}

// directory is a sink of rows, and of what was released with them, in local directories. It is plain
// data.
type directory struct {
	Rows      dirsink.Dir
	Release   dirsink.Dir // Path empty: the released files go with the rows
	Format    string
	Domain    domain.Domain
	Workload  query.Workload
	RowsAsked int64
	Describe  bool // write statement and model
}

// ref returns the form in which a DoFn carries the sink.
func (d *directory) ref() synth.SinkRef {
	b, err := json.Marshal(d)
	if err != nil {
		panic("pipelines: a directory is plain data and always marshals")
	}
	return synth.SinkRef{Kind: directoryKind, Config: string(b)}
}

// rowWriter is a file format.
type rowWriter interface {
	Write(*domain.Chunk) error
	Close() error
}

func (d *directory) Create(_ context.Context, shard, _ int) (synth.ShardWriter, error) {
	leave, err := enter(d.Rows.RunID)
	if err != nil {
		return nil, err
	}
	defer leave()
	part, err := d.Rows.Create(shard)
	if err != nil {
		return nil, err
	}
	w, err := newRowWriter(part, d.Format, &d.Domain)
	if err != nil {
		return nil, errors.Join(err, part.Abort())
	}
	return &shardWriter{part: part, rows: w}, nil
}

func newRowWriter(w io.Writer, format string, d *domain.Domain) (rowWriter, error) {
	if format == "csv" {
		return csvio.NewWriter(w, d)
	}
	p, err := parquetio.NewWriter(w, d, parquetio.Options{})
	return parquetWriter{p}, err
}

type parquetWriter struct{ *parquetio.Writer }

func (w parquetWriter) Close() error {
	_, err := w.Writer.Close()
	return err
}

// shardWriter counts the rows of one part.
type shardWriter struct {
	part *dirsink.Part
	rows rowWriter
	n    int64
}

func (w *shardWriter) Write(c *domain.Chunk) error {
	w.n += int64(c.Rows)
	return w.rows.Write(c)
}

func (w *shardWriter) Commit() (synth.FileRef, error) {
	if err := w.rows.Close(); err != nil {
		return synth.FileRef{}, errors.Join(err, w.part.Abort())
	}
	ref, err := w.part.Commit(w.n)
	return synth.FileRef(ref), err
}

// Abort's own failure leaves a temporary file that no reader looks at; the failure that led to it is
// the one to report.
func (w *shardWriter) Abort() { _ = w.part.Abort() }

func (d *directory) Publish(_ context.Context, files []synth.FileRef, a *synth.Artifact) (synth.Manifest, error) {
	leave, err := enter(d.Rows.RunID)
	if err != nil {
		return synth.Manifest{}, err
	}
	defer leave()
	refs := make([]dirsink.FileRef, len(files))
	rows := int64(0)
	for i, f := range files {
		refs[i] = dirsink.FileRef(f)
		rows += f.Rows
	}
	var released []dirsink.Released
	if d.Describe {
		if released, err = describe(d, a, rows); err != nil {
			return synth.Manifest{}, err
		}
	}
	if d.Release.Path != "" {
		if _, err := d.Release.Publish(nil, released, nil); err != nil {
			return synth.Manifest{}, err
		}
		released = nil
	}
	m, err := d.Rows.Publish(refs, released, columnTypes(&d.Domain))
	if err != nil {
		return synth.Manifest{}, err
	}
	out := synth.Manifest{URI: d.Rows.Path, Files: len(m.Parts), Rows: m.Rows}
	for _, p := range m.Parts {
		out.Bytes += p.Bytes
	}
	return out, nil
}

// columnTypes describes the parts in the manifest.
func columnTypes(d *domain.Domain) []map[string]string {
	columns := make([]map[string]string, d.Len())
	for i := range d.Attributes {
		columns[i] = map[string]string{"name": d.Attributes[i].Name, "type": d.Attributes[i].Type.String()}
	}
	return columns
}
