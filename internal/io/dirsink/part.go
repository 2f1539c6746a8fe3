package dirsink

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"

	"github.com/dapple-dp/dapple/internal/io/files"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Part is a part being written. It is not safe for concurrent use.
type Part struct {
	dir    Dir
	parent string // a directory of its own
	f      file
	w      *counter
	ref    FileRef
	ended  bool
}

// Create begins a part: a new file for each attempt, so that a repeated shard never meets the remains
// of the one before. It ends with Commit or Abort.
func (d Dir) Create(ctx context.Context, shard int) (*Part, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if shard < 0 || shard >= d.Shards {
		return nil, fmt.Errorf("sink: shard %d: want 0 to %d", shard, d.Shards-1)
	}
	d = d.in(ctx)
	parent := files.Join(d.staging(), "parts", attempt())
	if d.remote() {
		parent = files.Join(d.staging(), attempt())
	}
	path := files.Join(parent, files.Base(d.partName(shard)))
	err := d.disk.mkdirOwn(d.staging())
	if err == nil {
		err = d.disk.mkdirAll(parent)
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	f, err := d.disk.create(path)
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	return &Part{dir: d, parent: parent, f: f, w: newCounter(f), ref: FileRef{Shard: shard, URI: path}}, nil
}

// Write appends to the part. After an error the part cannot be committed.
func (p *Part) Write(b []byte) (int, error) {
	if p.ended {
		return 0, errors.New("sink: write after the part has ended")
	}
	n, err := p.w.Write(b)
	if err != nil {
		return n, fmt.Errorf("sink: shard %d: %w", p.ref.Shard, err)
	}
	return n, nil
}

// Commit makes the part durable and returns what Publish needs of it. On an error the part is removed
// as far as possible.
func (p *Part) Commit(rows int64) (FileRef, error) {
	if p.ended {
		return FileRef{}, errors.New("sink: the part has ended before")
	}
	p.ended = true
	if err := end(p.f, p.w.err); err != nil {
		err = errors.Join(err, p.discard())
		return FileRef{}, fmt.Errorf("sink: shard %d: %w", p.ref.Shard, err)
	}
	p.ref.Rows, p.ref.Bytes, p.ref.CRC32C, p.ref.SHA256 = rows, p.w.n, p.w.crc, p.w.sum()
	return p.ref, nil
}

// Abort ends the part and removes it. It does nothing after Commit or Abort, so that it can be
// deferred.
func (p *Part) Abort() error {
	if p.ended {
		return nil
	}
	p.ended = true
	return errors.Join(p.f.Abort(), p.discard())
}

// discard removes what may be there of a part: of an object, mostly nothing.
func (p *Part) discard() (err error) {
	for _, path := range []string{p.ref.URI, p.parent} {
		if removeErr := p.dir.disk.remove(path); !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}

// end closes a file that has been written without an error, and gives any other up.
func end(f file, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}
