package bigqueryio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
)

// Staged is one complete set of written parts.
type Staged struct {
	Model string            // names the model that the rows were drawn from, such as its hash
	Parts []dirsink.FileRef // each shard once, in any order; all on gs:// or all on this machine

	// Remove deletes whatever the run has staged. It is called once the rows are in the table, and succeeds for files
	// that are gone already. nil removes nothing.
	Remove func(context.Context) error
}

// ordered returns the parts by shard, after making sure that the set is complete and in one place.
func (s Sink) ordered(parts []dirsink.FileRef) ([]dirsink.FileRef, error) {
	out := slices.Clone(parts)
	slices.SortFunc(out, func(a, b dirsink.FileRef) int { return a.Shard - b.Shard })
	for i, p := range out {
		if p.Shard < 0 || p.Shard >= s.Shards || i > 0 && out[i-1].Shard == p.Shard {
			return nil, fmt.Errorf("bigquery: shard %d of %d came twice or does not exist", p.Shard, s.Shards)
		}
		if p.Rows < 0 || p.URI == "" || strings.Contains(p.URI, "*") && isRemote(p) {
			return nil, fmt.Errorf("bigquery: shard %d is not a staged file", p.Shard)
		}
		if isRemote(p) != isRemote(out[0]) {
			return nil, errors.New("bigquery: some parts are staged on gs:// and some are not")
		}
	}
	if len(out) != s.Shards {
		return nil, fmt.Errorf("bigquery: %d of %d shards came", len(out), s.Shards)
	}
	return out, nil
}

func isRemote(p dirsink.FileRef) bool { return files.Scheme(p.URI) == "gs" }

// merged is a local file of all parts' rows, made when it is first opened. A load accepts one file from a machine,
// and the parts are too many or too long to hold in memory.
type merged struct {
	sink  Sink
	parts []dirsink.FileRef // by shard
	path  string            // empty: not made yet
}

// open returns the file from its beginning.
func (m *merged) open(ctx context.Context) (io.ReadCloser, error) {
	if m.path == "" {
		if err := m.make(ctx); err != nil {
			return nil, fileFault{err}
		}
	}
	f, err := os.Open(m.path)
	if err != nil {
		return nil, fileFault{m.missing(err)}
	}
	return f, nil
}

// missing wraps the error of a missing file: most likely it is on another machine.
func (m *merged) missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a staged part is not on this machine; stage on gs://: %w", err)
	}
	return err
}

// make writes the file next to the first part, one row group of one part in memory at a time.
func (m *merged) make(ctx context.Context) (err error) {
	f, err := os.CreateTemp(filepath.Dir(m.parts[0].URI), "merged-*.parquet")
	if err != nil {
		return m.missing(err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w, err := m.sink.NewWriter(f)
	if err != nil {
		return err
	}
	for _, p := range m.parts {
		if err := m.add(ctx, w, p); err != nil {
			return err
		}
	}
	if _, err = w.Close(); err == nil {
		m.path = f.Name()
	}
	return err
}

// add appends the rows of one part.
func (m *merged) add(ctx context.Context, w *parquetio.Writer, p dirsink.FileRef) error {
	d := m.sink.Domain
	d.PrivacyID = "" // parts have none
	r, err := parquetio.OpenFile(p.URI, &d, parquetio.ReadOptions{Size: p.Bytes})
	if err != nil {
		return m.missing(err)
	}
	defer func() { _ = r.Close() }() // it was only read
	if r.Rows() != p.Rows {
		return fmt.Errorf("shard %d: its staged part has another number of rows than was written", p.Shard)
	}
	for c, err := range r.Chunks() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := w.Write(c); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes the file.
func (m *merged) remove() error {
	if m.path == "" {
		return nil
	}
	return os.Remove(m.path)
}
