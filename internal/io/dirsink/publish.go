package dirsink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
)

// Released is a file that goes with the rows, such as the report. Its name begins with "_". Write is called
// at most once by each Publish and should write the same bytes each time. It is told what has been written
// before, parts first, so that a file can say what it goes with.
type Released struct {
	Name  string
	Write func(w io.Writer, before []File) error
}

// Content is a Released that holds its bytes.
func Content(name string, content []byte) Released {
	return Released{name, func(w io.Writer, _ []File) error { _, err := w.Write(content); return err }}
}

// Publish makes the parts and the released files the content of the directories. refs holds each shard
// once, in any order. schema describes the parts in the manifest: anything that JSON can hold, or nil.
//
// If there is this run's manifest already, Publish returns it and changes nothing. After an error
// Publish may be called again, with the same parts.
func (d Dir) Publish(ctx context.Context, refs []FileRef, files []Released, schema any) (*Manifest, error) {
	m, err := d.plan(refs, files, schema)
	if err != nil {
		return nil, err
	}
	d = d.in(ctx)
	publish := d.rename
	if d.remote() {
		publish = d.upload
	}
	done, err := publish(m, refs, files)
	if _, refused := errors.AsType[*NotFree](err); err != nil && !refused && !strings.HasPrefix(err.Error(), "sink: ") {
		err = fmt.Errorf("sink: publishing to %s: %w", show(d.dirs()[0]), err)
	}
	if err != nil {
		return nil, err
	}
	return done, nil
}

// upload publishes objects: parts, released files and the manifest last, each under the condition that nobody else
// has put it there.
func (d Dir) upload(m *Manifest, refs []FileRef, files []Released) (*Manifest, error) {
	if done, err := d.manifest(); err == nil && done.RunID == d.RunID {
		d.cleanUp()
		return done, nil
	}
	rows, others, err := d.enter()
	if err != nil {
		return nil, err
	}
	settled, err := d.compare(rows, m)
	if err != nil {
		return nil, err
	}
	steps := []func() error{
		func() error { return d.begin(m) },
		func() error { return d.clear(rows, others, m, settled) },
		func() error { return d.settle(refs, settled) },
		d.checkAlone,
		func() error { return d.writeReleased(d.release(), files, m) },
		func() error { return d.finish(m) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	d.cleanUp()
	return m, nil
}

// plan checks the arguments and makes the manifest, all but the sizes of the released files.
func (d Dir) plan(refs []FileRef, files []Released, schema any) (*Manifest, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if d.Path == "" && d.Shards > 0 {
		return nil, errors.New("sink: there is no directory for the parts")
	}
	m := &Manifest{Format: manifestFormat, Version: buildinfo.Version(), RunID: d.RunID, Directory: d.recorded(), Note: d.Note, Parts: make([]File, d.Shards), Released: make([]File, len(files))}
	for _, r := range refs {
		if r.Shard < 0 || r.Shard >= d.Shards || m.Parts[r.Shard].Name != "" {
			return nil, fmt.Errorf("sink: shard %d of %d came twice or does not exist", r.Shard, d.Shards)
		}
		m.Parts[r.Shard] = File{Name: d.partName(r.Shard), Rows: r.Rows, Bytes: r.Bytes, CRC32C: hexCRC(r.CRC32C), SHA256: r.SHA256}
		if ofPeople(m.Parts[r.Shard].Name) {
			m.People += r.Rows
		} else {
			m.Rows += r.Rows
		}
	}
	if len(refs) != d.Shards {
		return nil, fmt.Errorf("sink: %d of %d shards came", len(refs), d.Shards)
	}
	for i, f := range files {
		if !released(f.Name) || slices.ContainsFunc(files[:i], func(o Released) bool { return o.Name == f.Name }) {
			return nil, fmt.Errorf("sink: released file %q: want different names that begin with _", f.Name)
		}
		m.Released[i].Name = f.Name
	}
	if schema != nil {
		var err error
		if m.Schema, err = json.Marshal(schema); err != nil {
			return nil, fmt.Errorf("sink: the schema: %w", err)
		}
	}
	return m, m.check()
}

func (m *Manifest) check() error {
	for _, f := range m.Parts {
		if !f.plausible() {
			return fmt.Errorf("sink: %s has a size or a checksum that no file has", f.Name)
		}
	}
	return nil
}
