package dirsink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// Part is a part being written. It is not safe for concurrent use.
type Part struct {
	dir    layout.Dir
	parent string // a directory of its own
	f      layout.Handle
	w      *layout.Counter
	ref    FileRef
	ended  bool
}

// Create begins a part: a new file for each Attempt, so that a repeated shard never meets the remains
// of the one before. It ends with Commit or Abort.
func (d Dir) Create(ctx context.Context, shard int) (*Part, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if shard < 0 || shard >= d.Shards {
		return nil, fmt.Errorf("sink: shard %d: want 0 to %d", shard, d.Shards-1)
	}
	own := d.in(ctx)
	stages := protocolOf(own).Stages()
	stage := stages[len(stages)-1]
	parent := files.Join(stage, "parts", layout.Attempt())
	path := files.Join(parent, files.Base(own.PartName(shard)))
	err := own.Disk.MkdirOwn(stage)
	if err == nil {
		err = own.Disk.MkdirAll(parent)
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	f, err := own.Disk.Create(path)
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	return &Part{dir: own, parent: parent, f: f, w: layout.NewCounter(f), ref: FileRef{Shard: shard, URI: path}}, nil
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
	if err := layout.End(p.f, p.w.Err); err != nil {
		err = errors.Join(err, p.discard())
		return FileRef{}, fmt.Errorf("sink: shard %d: %w", p.ref.Shard, err)
	}
	p.ref.Rows, p.ref.Bytes, p.ref.CRC32C, p.ref.SHA256 = rows, p.w.Bytes, p.w.CRC32C, p.w.SHA256()
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
		if removeErr := p.dir.Disk.Remove(path); !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}
