package dirsink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/dapple-dp/dapple/io/files"
)

// manifestFormat is the version of _manifest.json.
const manifestFormat = 1

// Manifest is _manifest.json: what a finished directory holds.
type Manifest struct {
	Format   int             `json:"format"`
	RunID    string          `json:"run_id"`
	Rows     int64           `json:"rows"`  // of all parts together
	Parts    []File          `json:"parts"` // in order of their shards
	Released []File          `json:"released"`
	Schema   json.RawMessage `json:"schema,omitempty"` // of the parts, in the words of their writer
}

// File is one file of a finished directory.
type File struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows,omitempty"`
	Bytes  int64  `json:"bytes"`
	CRC32C string `json:"crc32c"` // eight hexadecimal digits
}

// ReadManifest reads the manifest of a directory. fs.ErrNotExist is in the error of a directory that
// has none: it is not finished output.
func ReadManifest(ctx context.Context, dir string) (*Manifest, error) {
	return Dir{Path: dir}.in(ctx).manifest()
}

func (d Dir) manifest() (*Manifest, error) {
	b, err := d.read(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("sink: %s has no manifest: it is not the output of a finished run: %w", d.show(), fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s: the manifest cannot be read: %w", d.show(), err)
	}
	var m Manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("sink: %s: the manifest is not JSON of the expected form", d.show())
	}
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("sink: %s: the manifest %w", d.show(), err)
	}
	return &m, nil
}

// validate makes sure that nothing outside the directory is named, and that the sums are right.
func (m *Manifest) validate() error {
	if m.Format != manifestFormat {
		return fmt.Errorf("has format %d; this version reads %d", m.Format, manifestFormat)
	}
	rows := int64(0)
	for _, f := range m.Parts {
		if !strings.HasPrefix(f.Name, "part-") || strings.Trim(f.Name, letters+"-.") != "" || !f.plausible() || f.Rows > math.MaxInt64-rows {
			return errors.New("names a part that no run can have written")
		}
		rows += f.Rows
	}
	for _, f := range m.Released {
		if !released(f.Name) || !f.plausible() {
			return errors.New("names a released file that no run can have written")
		}
	}
	if rows != m.Rows {
		return errors.New("has another number of rows than its parts")
	}
	return nil
}

func (f *File) plausible() bool { return f.Rows >= 0 && f.Bytes >= 0 && len(f.CRC32C) == 8 }

// Files returns the parts in order, after making sure that each is there with its size.
func (m *Manifest) Files(ctx context.Context, dir string) ([]files.Info, error) {
	d := Dir{Path: dir}
	out := make([]files.Info, len(m.Parts))
	for i, f := range m.Parts {
		var err error
		if out[i], err = files.Stat(ctx, d.at(f.Name)); err != nil {
			return nil, fmt.Errorf("sink: %s: %w", d.show(), err)
		}
		if out[i].Size != f.Bytes {
			return nil, fmt.Errorf("sink: %s: %s has another size than its manifest states", d.show(), f.Name)
		}
	}
	return out, nil
}

// Verify compares the checksum of every file that the manifest names: computed from a local file, the
// service's own of an object.
func (m *Manifest) Verify(ctx context.Context, dir string) error {
	return m.verify(Dir{Path: dir}.in(ctx))
}

func (m *Manifest) verify(d Dir) error {
	for _, f := range append(m.Parts[:len(m.Parts):len(m.Parts)], m.Released...) {
		got, err := d.describe(f.Name)
		if err != nil {
			return fmt.Errorf("sink: %s: %w", d.show(), err)
		}
		if got.Bytes != f.Bytes || got.CRC32C != f.CRC32C {
			return fmt.Errorf("sink: %s: %s has changed since it was written", d.show(), f.Name)
		}
	}
	return nil
}

func (d Dir) read(name string) ([]byte, error) {
	f, err := d.disk.open(d.at(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// describe returns size and checksum of a file of the directory.
func (d Dir) describe(name string) (File, error) {
	n, crc, err := d.disk.sum(d.at(name))
	return File{Name: name, Bytes: n, CRC32C: hexCRC(crc)}, err
}

func hexCRC(c uint32) string { return fmt.Sprintf("%08x", c) }
