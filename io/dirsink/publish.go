package dirsink

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Released is a file that goes with the parts, such as the report. Its name begins with "_", which
// readers of tables skip. Write is called at most once by each Publish and should write the same bytes
// each time.
type Released struct {
	Name  string
	Write func(io.Writer) error
}

// Content is a Released that holds its bytes.
func Content(name string, content []byte) Released {
	return Released{name, func(w io.Writer) error { _, err := w.Write(content); return err }}
}

// Publish makes the parts and the released files the content of the directory. refs holds each shard
// once, in any order. schema describes the parts in the manifest: anything that JSON can hold, or nil.
//
// Where the directory holds this run's manifest already, Publish returns it and changes nothing. After
// an error Publish may be called again, with the same parts.
func (d Dir) Publish(ctx context.Context, refs []FileRef, files []Released, schema any) (*Manifest, error) {
	m, err := d.plan(refs, files, schema)
	if err != nil {
		return nil, err
	}
	d = d.in(ctx)
	if err := d.disk.mkdirAll(d.Path); err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	unlock, alone, err := d.disk.lock(d.Path)
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be locked: %w", d.show(), err)
	}
	defer unlock()
	d.alone = alone
	if done, err := d.manifest(); err == nil && done.RunID == d.RunID {
		d.cleanUp()
		return done, nil
	}
	return d.publish(m, refs, files)
}

// publish does the work under the lock.
func (d Dir) publish(m *Manifest, refs []FileRef, files []Released) (*Manifest, error) {
	names, err := d.enter()
	if err != nil {
		return nil, err
	}
	settled, err := d.compare(names, m)
	if err != nil {
		return nil, err
	}
	steps := []func() error{
		d.begin,
		func() error { return d.clear(names, m, settled) },
		func() error { return d.settle(refs, settled) },
		func() error { return d.release(files, m) },
		func() error { return d.disk.sync(d.Path) },
		func() error { return d.finish(m) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, fmt.Errorf("sink: publishing to %s: %w", d.show(), err)
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
	m := &Manifest{Format: manifestFormat, RunID: d.RunID, Parts: make([]File, d.Shards), Released: make([]File, len(files))}
	for _, r := range refs {
		if r.Shard < 0 || r.Shard >= d.Shards || m.Parts[r.Shard].Name != "" {
			return nil, fmt.Errorf("sink: shard %d of %d came twice or does not exist", r.Shard, d.Shards)
		}
		m.Parts[r.Shard] = File{Name: d.partName(r.Shard), Rows: r.Rows, Bytes: r.Bytes, CRC32C: hexCRC(r.CRC32C)}
		m.Rows += r.Rows
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
			return fmt.Errorf("sink: %s has a negative size", f.Name)
		}
	}
	return nil
}
