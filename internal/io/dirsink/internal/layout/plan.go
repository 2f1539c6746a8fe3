package layout

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/files"
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

// Plan checks the arguments and makes the manifest, all but the sizes of the released files.
func (d Dir) Plan(refs []FileRef, files []Released, schema any) (*Manifest, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if d.Path == "" && d.Shards > 0 {
		return nil, errors.New("sink: there is no directory for the parts")
	}
	m := &Manifest{Format: manifestFormat, Version: buildinfo.Version(), RunID: d.RunID, Directory: d.Recorded(), Note: d.Note, Parts: make([]File, d.Shards), Released: make([]File, len(files))}
	for _, r := range refs {
		if r.Shard < 0 || r.Shard >= d.Shards || m.Parts[r.Shard].Name != "" {
			return nil, fmt.Errorf("sink: shard %d of %d came twice or does not exist", r.Shard, d.Shards)
		}
		m.Parts[r.Shard] = File{Name: d.PartName(r.Shard), Rows: r.Rows, Bytes: r.Bytes, CRC32C: HexCRC(r.CRC32C), SHA256: r.SHA256}
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
		if !isReleased(f.Name) || slices.ContainsFunc(files[:i], func(o Released) bool { return o.Name == f.Name }) {
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

// WriteReleased writes the released files to a directory, each in the directory temp first, and describes them in m.
func (d Dir) WriteReleased(temp, dir string, list []Released, m *Manifest) error {
	before := slices.Clone(m.Parts)
	for i, f := range list {
		first := files.Join(temp, Attempt()+f.Name)
		written, err := d.Write(first, func(w io.Writer, _ []File) error { return f.Write(w, before) })
		if err == nil {
			err = d.Disk.Replace(first, files.Join(dir, f.Name))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		written.Name = f.Name
		m.Released[i] = written
		before = append(before, written)
	}
	return nil
}

// WriteManifest writes the manifest in the directory temp, and moves it to its place.
func (d Dir) WriteManifest(temp string, m *Manifest, to string, move func(from, to string) error) error {
	first := files.Join(temp, Attempt()+ManifestName)
	if _, err := d.Write(first, Content("", m.Encode()).Write); err != nil {
		return err
	}
	return move(first, to)
}

// FileRef is one shard that was written and is not published yet. It is plain data, which crosses any shuffle; so is Published.
type FileRef struct {
	Shard  int
	Rows   int64
	Bytes  int64
	CRC32C uint32 // of the whole file, polynomial of Castagnoli
	SHA256 string // of the whole file, in hexadecimal digits
	URI    string // where this Attempt is staged
	Model  string // SHA-256 of the release that the rows were sampled from; sinks leave it empty
}

// Published is what a run has made visible.
type Published struct {
	URI   string // directory or table
	Files int
	Rows  int64 // -1: not known
	Bytes int64

	People int64 // rows of a table of people beside them; 0: no such table

	Digest string // SHA-256 of the manifest; empty: no manifest
}
