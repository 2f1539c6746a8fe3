package dirsink

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// compare returns which parts are in place already, from an attempt that was cut off. A part of that
// name with another content belongs to somebody else.
func (d Dir) compare(names []string, m *Manifest) (settled map[string]bool, err error) {
	settled = map[string]bool{}
	for _, want := range m.Parts {
		if !slices.Contains(names, want.Name) {
			continue
		}
		got, err := d.describe(want.Name)
		if err != nil {
			return nil, fmt.Errorf("sink: %s: %w", d.show(), err)
		}
		settled[want.Name] = got.Bytes == want.Bytes && got.CRC32C == want.CRC32C
		if !settled[want.Name] && !d.Overwrite {
			return nil, fmt.Errorf("sink: %s holds another %s; another run writes here", d.show(), want.Name)
		}
	}
	return settled, nil
}

// begin leaves the mark that this run has found the directory free, by which a repetition knows that
// what lies there now is its own.
func (d Dir) begin() error {
	if err := d.files().mkdirAll(d.staging()); err != nil {
		return err
	}
	if d.began() {
		return nil
	}
	_, err := d.write(filepath.Join(d.staging(), markerName), func(io.Writer) error { return nil })
	return err
}

// clear removes what an earlier run left, its manifest first: from then on nothing here is taken for
// output. The manifest is kept in the staging, so that a repetition still knows the released files.
func (d Dir) clear(names []string, m *Manifest, settled map[string]bool) error {
	if !d.Overwrite {
		return nil
	}
	if slices.Contains(names, manifestName) {
		err := d.files().replace(d.at(manifestName), filepath.Join(d.staging(), replacedName))
		if err == nil {
			err = d.files().sync(d.Path)
		}
		if err != nil {
			return err
		}
	}
	old, err := d.replaced()
	if err != nil {
		return err
	}
	for _, name := range names {
		isName := func(f File) bool { return f.Name == name }
		foreign := strings.HasPrefix(name, "part-") && !settled[name]
		if !foreign && (!slices.ContainsFunc(old, isName) || slices.ContainsFunc(m.Released, isName)) {
			continue
		}
		if err := d.files().remove(d.at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replaced returns the released files of the output that is being overwritten. A manifest that is
// damaged names none.
func (d Dir) replaced() ([]File, error) {
	b, err := Dir{Path: d.staging(), disk: d.disk}.read(replacedName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var old Manifest
	if err != nil || json.Unmarshal(b, &old) != nil || old.validate() != nil {
		return nil, err
	}
	return old.Released, nil
}

// settle moves the staged parts to their names.
func (d Dir) settle(refs []FileRef, settled map[string]bool) error {
	for _, r := range refs {
		name := d.partName(r.Shard)
		if settled[name] {
			continue
		}
		size, err := d.files().size(r.URI)
		if err != nil {
			return fmt.Errorf("shard %d: its staged part is gone: %w", r.Shard, err)
		}
		if size != r.Bytes {
			return fmt.Errorf("shard %d: its staged part has another size than was written", r.Shard)
		}
		err = d.files().place(r.URI, d.at(name))
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s has appeared; another run writes here: %w", name, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// release writes the released files, each under a temporary name first, and notes their sizes in m.
func (d Dir) release(files []Released, m *Manifest) error {
	for i, f := range files {
		temp := filepath.Join(d.staging(), attempt()+f.Name)
		sum, err := d.write(temp, f.Write)
		if err == nil {
			err = d.files().replace(temp, d.at(f.Name))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
		m.Released[i] = File{Name: f.Name, Bytes: sum.Bytes, CRC32C: sum.CRC32C}
	}
	return nil
}

// finish writes the manifest, unless this run's is there.
func (d Dir) finish(m *Manifest) error {
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	temp := filepath.Join(d.staging(), attempt()+manifestName)
	_, err = d.write(temp, Content("", append(b, '\n')).Write)
	if err == nil {
		err = d.files().place(temp, d.at(manifestName))
	}
	if errors.Is(err, fs.ErrExist) {
		if there, readErr := d.manifest(); readErr != nil || there.RunID != d.RunID {
			return errors.New("another run has published here")
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return d.files().sync(d.Path)
}

// write creates a file and makes it durable.
func (d Dir) write(path string, content func(io.Writer) error) (File, error) {
	f, err := d.files().create(path)
	if err != nil {
		return File{}, err
	}
	w := &counter{w: f}
	if err = content(w); err == nil {
		err = w.err
	}
	if err == nil {
		err = f.Sync()
	}
	return File{Bytes: w.n, CRC32C: hexCRC(w.crc)}, errors.Join(err, f.Close())
}

// counter counts and sums what is written, and keeps the first error.
type counter struct {
	w   io.Writer
	n   int64
	crc uint32
	err error
}

func (c *counter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.n, c.crc, c.err = c.n+int64(n), crc32.Update(c.crc, castagnoli, p[:n]), err
	return n, err
}

// cleanUp removes this run's staging as far as possible, and the common one where it is empty.
func (d Dir) cleanUp() {
	// Leftovers are harmless: no reader looks at them.
	_ = d.files().removeAll(d.staging())
	_ = d.files().remove(d.at(tempName))
}
