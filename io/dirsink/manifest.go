package dirsink

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"strings"
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
func ReadManifest(dir string) (*Manifest, error) { return Dir{Path: dir}.manifest() }

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

// Files returns the paths of the parts in order, after making sure that each is there with its size.
func (m *Manifest) Files(dir string) ([]string, error) {
	d := Dir{Path: dir}
	paths := make([]string, len(m.Parts))
	for i, f := range m.Parts {
		paths[i] = d.at(f.Name)
		size, err := d.files().size(paths[i])
		if err != nil {
			return nil, fmt.Errorf("sink: %s: %w", d.show(), err)
		}
		if size != f.Bytes {
			return nil, fmt.Errorf("sink: %s: %s has another size than its manifest states", d.show(), f.Name)
		}
	}
	return paths, nil
}

// Verify reads every file that the manifest names and compares its checksum.
func (m *Manifest) Verify(dir string) error {
	d := Dir{Path: dir}
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
	f, err := d.files().open(d.at(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// describe reads a file of the directory and returns its size and checksum.
func (d Dir) describe(name string) (File, error) {
	f, err := d.files().open(d.at(name))
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	n, err := io.Copy(h, f)
	return File{Name: name, Bytes: n, CRC32C: hexCRC(h.Sum32())}, err
}

func hexCRC(c uint32) string { return fmt.Sprintf("%08x", c) }
