package dirsink

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// compare returns which parts are in place already, from an attempt that was cut off. A part of that
// name with another content belongs to somebody else.
func (d Dir) compare(rows []string, m *Manifest) (settled map[string]bool, err error) {
	settled = map[string]bool{}
	for _, want := range m.Parts {
		if !slices.Contains(rows, want.Name) {
			continue
		}
		n, crc, err := d.disk.sum(d.at(want.Name))
		if err != nil {
			return nil, fmt.Errorf("sink: %s: %w", show(d.Path), err)
		}
		settled[want.Name] = n == want.Bytes && hexCRC(crc) == want.CRC32C
		if !settled[want.Name] && !d.Overwrite {
			return nil, fmt.Errorf("sink: %s holds another %s; another run writes here", show(d.Path), want.Name)
		}
	}
	return settled, nil
}

// enter claims the directories and returns the names in them, which must be free of others' then: what was
// looked at before the claim may have changed.
func (d Dir) enter() (rows, others []string, err error) {
	if rows, others, err = d.names(); err == nil {
		err = d.checkNames(rows, others)
	}
	if err != nil {
		return nil, nil, err
	}
	if err = d.disk.mkdirOwn(d.staging()); err == nil {
		err = d.claim()
	}
	if err != nil {
		return nil, nil, err
	}
	if rows, others, err = d.names(); err == nil {
		err = d.checkNames(rows, others)
	}
	if err != nil {
		d.disclaim()
	}
	return rows, others, err
}

// begin leaves the mark that this run has found the directories free, by which a repetition knows that
// what lies there now is its own. It lists the parts, so that a run that is abandoned knows them from those
// of a run that meets it here.
func (d Dir) begin(m *Manifest) error {
	if _, ok := d.began(); ok {
		return nil
	}
	b, err := json.Marshal(m.Parts)
	if err != nil {
		return err
	}
	path := files.Join(d.staging(), markerName)
	temp := files.Join(d.staging(), attempt()+"-"+markerName)
	if _, err = d.write(temp, Content("", b).Write); err == nil {
		err = d.disk.place(temp, path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // another attempt of this run has left it
	}
	return err
}

// clear removes what an earlier run left, its manifest first: from then on nothing here is taken for
// output. The manifest is kept in the staging, so that a repetition still knows the released files.
func (d Dir) clear(rows, others []string, m *Manifest, settled map[string]bool) error {
	if !d.Overwrite {
		return nil
	}
	if slices.Contains(others, manifestName) {
		err := d.disk.replace(d.beside(manifestName), files.Join(d.staging(), replacedName))
		if err != nil {
			return err
		}
	}
	old, err := d.replaced()
	if err != nil {
		return err
	}
	var paths []string
	for _, name := range rows {
		if IsPart(name) && !settled[name] {
			paths = append(paths, d.at(name))
		}
	}
	for _, f := range old {
		isName := func(other File) bool { return other.Name == f.Name }
		if slices.Contains(others, f.Name) && !slices.ContainsFunc(m.Released, isName) {
			paths = append(paths, d.beside(f.Name))
		}
	}
	return d.removeAll(paths)
}

// removeAll removes files; some may be gone already.
func (d Dir) removeAll(paths []string) error {
	for _, path := range paths {
		if err := d.disk.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replaced returns the released files of the output that is being overwritten. A manifest that is
// damaged names none.
func (d Dir) replaced() ([]File, error) {
	b, err := d.readFile(files.Join(d.staging(), replacedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if old, decodeErr := decode(b); decodeErr == nil {
		return old.Released, nil
	}
	return nil, nil
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
	n, crc, err := d.disk.sum(d.at(d.partName(r.Shard)))
	return err == nil && n == r.Bytes && crc == r.CRC32C
}

// checkAlone makes sure that there is nothing among the rows but all parts of this run: runs with different
// directories for their released files meet here alone.
func (d Dir) checkAlone() error {
	if d.Path == "" {
		return nil
	}
	rows, err := d.rows()
	if err != nil {
		return err
	}
	here := 0
	for _, name := range rows {
		if !d.ownPart(name) {
			return fmt.Errorf("%q has appeared; another run writes here", name)
		}
		here++
	}
	if here != d.Shards {
		return errors.New("parts have disappeared; another run writes here")
	}
	return nil
}

// writeReleased writes the released files to a directory, each under a temporary name first, and describes them in m.
func (d Dir) writeReleased(dir string, list []Released, m *Manifest) error {
	before := slices.Clone(m.Parts)
	for i, f := range list {
		temp := files.Join(d.tempOf(dir), attempt()+f.Name)
		written, err := d.write(temp, func(w io.Writer, _ []File) error { return f.Write(w, before) })
		if err == nil {
			err = d.disk.replace(temp, files.Join(dir, f.Name))
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

// writeManifest writes the manifest, and moves it to its place.
func (d Dir) writeManifest(m *Manifest, to string, move func(from, to string) error) error {
	temp := files.Join(d.tempOf(files.Dir(to)), attempt()+manifestName)
	if _, err := d.write(temp, Content("", m.Encode()).Write); err != nil {
		return err
	}
	return move(temp, to)
}

// tempOf is where files for a directory are written first.
func (d Dir) tempOf(dir string) string {
	if d.remote() {
		return d.staging()
	}
	return files.Dir(dir)
}

// finish writes the manifest, unless this run's is there.
func (d Dir) finish(m *Manifest) error {
	err := d.writeManifest(m, d.beside(manifestName), d.disk.place)
	if errors.Is(err, fs.ErrExist) {
		if there, readErr := d.manifest(); readErr != nil || there.RunID != d.RunID {
			return errors.New("another run has published here")
		}
		err = nil
	}
	return err
}

// cleanUp removes this run's staging as far as possible, and the common one if it is empty.
func (d Dir) cleanUp() {
	// Leftovers are harmless: no reader looks at them.
	d.disclaim()
	_ = d.disk.removeAll(d.staging())
	_ = d.disk.remove(d.beside(tempName))
}
