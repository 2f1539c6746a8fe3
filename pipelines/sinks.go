package pipelines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// directoryKind is the name under which workers find the sink: DoFns cannot carry it.
const directoryKind = "directory"

func init() {
	synth.RegisterSink(directoryKind, func(config string) (synth.Sink, error) {
		var d directory
		if err := json.Unmarshal([]byte(config), &d); err != nil {
			return nil, fmt.Errorf("pipelines: directory sink: %w", err)
		}
		return &d, nil
	})
}

// directory is a sink of rows in one directory, and of what was released with them in another, of this
// machine or of Cloud Storage. Its exported fields are plain data.
type directory struct {
	Dir    dirsink.Dir
	Format string
	Null   string // how CSV spells NULL
	description

	made []string // directories that were not there before
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

func (d *directory) Create(ctx context.Context, shard, shards int) (synth.ShardWriter, error) {
	done, err := mayPublish(ctx, d.Dir.RunID, d.Gate)
	if err != nil {
		return nil, err
	}
	defer done()
	part, err := d.ofShards(shards).Create(ctx, shard)
	if err != nil {
		return nil, err
	}
	w, err := newRowWriter(part, d.Format, d.Null, d.Public.Domain.Written())
	if err != nil {
		return nil, errors.Join(err, part.Abort())
	}
	return &shardWriter{may: func() (func(), error) { return mayPublish(ctx, d.Dir.RunID, d.Gate) }, part: part, rows: w}, nil
}

// ofShards returns the directory for so many shards: the number can follow from the released number of rows.
func (d *directory) ofShards(n int) dirsink.Dir {
	dir := d.Dir
	dir.Shards = n
	return dir
}

// fileCells is how many cells, rows times columns, are worth a file of their own: about 15 MB of Parquet.
const fileCells = 1 << 22

// shardsOf returns how many files are written: as many as were asked for, or one, and up to DefaultShards of
// at least minRows rows.
func shardsOf(asked int, d *domain.Domain) (shards int, minRows int64) {
	if asked > 0 {
		return asked, 0
	}
	return DefaultShards, int64(max(1, fileCells/d.Written().Len()))
}

func newRowWriter(w io.Writer, format, null string, d *domain.Domain) (rowWriter, error) {
	if format == "csv" {
		return csvio.NewWriter(w, d, null)
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
	may  func() (done func(), err error) // whether a part may be made
	part *dirsink.Part
	rows rowWriter
	n    int64
}

func (w *shardWriter) Write(c *domain.Chunk) error {
	w.n += int64(c.Rows)
	return w.rows.Write(c)
}

// Commit makes the part, unless the run has been stopped: nobody would remove it any more.
func (w *shardWriter) Commit() (synth.FileRef, error) {
	done, err := w.may()
	if err != nil {
		return synth.FileRef{}, errors.Join(err, w.part.Abort())
	}
	defer done()
	if err := w.rows.Close(); err != nil {
		return synth.FileRef{}, errors.Join(err, w.part.Abort())
	}
	return w.part.Commit(w.n)
}

// Abort's own failure leaves a temporary file that no reader looks at; the failure that led to it is
// the one to report.
func (w *shardWriter) Abort() { _ = w.part.Abort() }

func (d *directory) Publish(ctx context.Context, files []synth.FileRef, a *synth.Artifact) (synth.Published, error) {
	done, err := beginPublication(ctx, d.Dir.RunID, d.Gate)
	if err != nil {
		return synth.Published{}, err
	}
	defer done()
	rows := rowsOf(files)
	var released []dirsink.Released
	if d.Describe {
		if released, err = describe(&d.description, a, rows); err != nil {
			return synth.Published{}, err
		}
	}
	m, err := d.ofShards(len(files)).Publish(ctx, files, released, columnTypes(d.Public.Domain.Written(), d.Null))
	if err != nil {
		return synth.Published{}, err
	}
	out := synth.Published{URI: d.Dir.Path, Files: len(m.Parts), Rows: m.Rows}
	for _, p := range m.Parts {
		out.Bytes += p.Bytes
	}
	return out, nil
}

// rowsOf returns the number of rows of all shards.
func rowsOf(files []synth.FileRef) (rows int64) {
	for _, f := range files {
		rows += f.Rows
	}
	return rows
}

// columnTypes describes the parts in the manifest.
func columnTypes(d *domain.Domain, null string) []map[string]string {
	columns := make([]map[string]string, d.Len())
	for i := range d.Attributes {
		columns[i] = map[string]string{"name": d.Attributes[i].Name, "type": d.Attributes[i].Type.String()}
		if null != "" {
			columns[i][table.NullText] = null
		}
	}
	return columns
}
