package dirsink

import (
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
)

// FileRef names one finished part. It is plain data, small enough for any shuffle.
type FileRef struct {
	Shard  int
	Rows   int64
	Bytes  int64
	CRC32C uint32 // of the whole file, polynomial of Castagnoli
	URI    string // where the part is staged
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Part is a part being written. It is not safe for concurrent use.
type Part struct {
	dir   Dir
	f     file
	w     counter
	ref   FileRef
	ended bool
}

// Create begins a part: a new file for each attempt, so that a repeated shard never meets the remains
// of the one before. It ends with Commit or Abort.
func (d Dir) Create(shard int) (*Part, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if shard < 0 || shard >= d.Shards {
		return nil, fmt.Errorf("sink: shard %d: want 0 to %d", shard, d.Shards-1)
	}
	path := filepath.Join(d.staging(), attempt(), d.partName(shard))
	err := d.files().mkdirAll(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	f, err := d.files().create(path)
	if err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	return &Part{dir: d, f: f, w: counter{w: f}, ref: FileRef{Shard: shard, URI: path}}, nil
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
	err := p.w.err
	if err == nil {
		err = p.f.Sync()
	}
	if err = errors.Join(err, p.f.Close()); err != nil {
		err = errors.Join(err, p.discard())
		return FileRef{}, fmt.Errorf("sink: shard %d: %w", p.ref.Shard, err)
	}
	p.ref.Rows, p.ref.Bytes, p.ref.CRC32C = rows, p.w.n, p.w.crc
	return p.ref, nil
}

// Abort ends the part and removes it. It does nothing after Commit or Abort, so that it can be
// deferred.
func (p *Part) Abort() error {
	if p.ended {
		return nil
	}
	p.ended = true
	return errors.Join(p.f.Close(), p.discard())
}

func (p *Part) discard() error {
	err := p.dir.files().remove(p.ref.URI)
	return errors.Join(err, p.dir.files().remove(filepath.Dir(p.ref.URI)))
}
