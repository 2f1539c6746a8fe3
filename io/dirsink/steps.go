package dirsink

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/io/files"
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

// enter claims the directory and returns the names in it, which must be free of others' then: what was
// looked at before the claim may have changed.
func (d Dir) enter() ([]string, error) {
	names, err := d.names()
	if err == nil {
		err = d.checkNames(names)
	}
	if err != nil {
		return nil, err
	}
	if err = d.disk.mkdirOwn(d.staging()); err == nil {
		err = d.claim()
	}
	if err != nil {
		return nil, fmt.Errorf("sink: publishing to %s: %w", d.show(), err)
	}
	if names, err = d.names(); err == nil {
		err = d.checkNames(names)
	}
	if err != nil {
		d.disclaim()
	}
	return names, err
}

// begin leaves the mark that this run has found the directory free, by which a repetition knows that
// what lies there now is its own.
func (d Dir) begin() error {
	if d.began() {
		return nil
	}
	_, err := d.write(files.Join(d.staging(), markerName), func(io.Writer) error { return nil })
	if errors.Is(err, fs.ErrExist) {
		return nil // another attempt of this run has left it
	}
	return err
}

// clear removes what an earlier run left, its manifest first: from then on nothing here is taken for
// output. The manifest is kept in the staging, so that a repetition still knows the released files.
func (d Dir) clear(names []string, m *Manifest, settled map[string]bool) error {
	if !d.Overwrite {
		return nil
	}
	if slices.Contains(names, manifestName) {
		err := d.disk.replace(d.at(manifestName), files.Join(d.staging(), replacedName))
		if err == nil {
			err = d.disk.sync(d.Path)
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
		if err := d.disk.remove(d.at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
		if settled[d.partName(r.Shard)] {
			continue
		}
		if err := d.settlePart(r); err != nil && !d.isSettled(r, err) {
			return err
		}
	}
	return nil
}

func (d Dir) settlePart(r FileRef) error {
	size, err := d.disk.size(r.URI)
	if err != nil {
		return fmt.Errorf("shard %d: its staged part is gone: %w", r.Shard, err)
	}
	if size != r.Bytes {
		return fmt.Errorf("shard %d: its staged part has another size than was written", r.Shard)
	}
	name := d.partName(r.Shard)
	if err = d.disk.place(r.URI, d.at(name)); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s has appeared; another run writes here: %w", name, err)
	}
	return err
}

// isSettled reports whether a part that could not be moved is in place all the same: another attempt of
// this run, where nothing locks, has moved it meanwhile.
func (d Dir) isSettled(r FileRef, err error) bool {
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	got, err := d.describe(d.partName(r.Shard))
	return err == nil && got.Bytes == r.Bytes && got.CRC32C == hexCRC(r.CRC32C)
}

// release writes the released files, each under a temporary name first, and notes their sizes in m.
func (d Dir) release(list []Released, m *Manifest) error {
	for i, f := range list {
		temp := files.Join(d.staging(), attempt()+f.Name)
		sum, err := d.write(temp, f.Write)
		if err == nil {
			err = d.disk.replace(temp, d.at(f.Name))
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
	temp := files.Join(d.staging(), attempt()+manifestName)
	_, err = d.write(temp, Content("", append(b, '\n')).Write)
	if err == nil {
		err = d.disk.place(temp, d.at(manifestName))
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
	return d.disk.sync(d.Path)
}

// write creates a file and makes it durable.
func (d Dir) write(path string, content func(io.Writer) error) (File, error) {
	f, err := d.disk.create(path)
	if err != nil {
		return File{}, err
	}
	w := newCounter(f)
	if err = content(w); err == nil {
		err = w.err
	}
	return File{Bytes: w.n, CRC32C: hexCRC(w.crc)}, end(f, err)
}

// counter counts and sums what is written, and keeps the first error.
type counter struct {
	w    io.Writer
	n    int64
	crc  uint32
	hash hash.Hash
	err  error
}

func newCounter(w io.Writer) *counter { return &counter{w: w, hash: sha256.New()} }

// sum returns the SHA-256 of what has been written.
func (c *counter) sum() string { return hex.EncodeToString(c.hash.Sum(nil)) }

func (c *counter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.n, c.crc, c.err = c.n+int64(n), crc32.Update(c.crc, castagnoli, p[:n]), err
	c.hash.Write(p[:n]) // never fails
	return n, err
}

// cleanUp removes this run's staging as far as possible, and the common one where it is empty.
func (d Dir) cleanUp() {
	// Leftovers are harmless: no reader looks at them.
	d.disclaim()
	_ = d.disk.removeAll(d.staging())
	_ = d.disk.remove(d.at(tempName))
}
