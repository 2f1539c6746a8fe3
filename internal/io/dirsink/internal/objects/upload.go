package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// Publish publishes objects: parts, released files and the manifest last, each under the condition that nobody else
// has put it there.
func (d run) Publish(m *layout.Manifest, refs []layout.FileRef, files []layout.Released) (*layout.Manifest, error) {
	if done, err := d.Manifest(); err == nil && done.RunID == d.RunID {
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
		func() error { return d.WriteReleased(d.stage(), d.ReleaseDir(), files, m) },
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

// compare returns which parts are in place already, from an Attempt that was cut off. A part of that
// name with another content belongs to somebody else.
func (d run) compare(rows []string, m *layout.Manifest) (settled map[string]bool, err error) {
	settled = map[string]bool{}
	for _, want := range m.Parts {
		if !slices.Contains(rows, want.Name) {
			continue
		}
		n, crc, err := d.Disk.Sum(d.At(want.Name))
		if err != nil {
			return nil, fmt.Errorf("sink: %s: %w", layout.Show(d.Path), err)
		}
		settled[want.Name] = n == want.Bytes && layout.HexCRC(crc) == want.CRC32C
		if !settled[want.Name] && !d.Overwrite {
			return nil, fmt.Errorf("sink: %s holds another %s; another run writes here", layout.Show(d.Path), want.Name)
		}
	}
	return settled, nil
}

// enter claims the directories and returns the names in them, which must be free of others' then: what was
// looked at before the claim may have changed.
func (d run) enter() (rows, others []string, err error) {
	if rows, others, err = d.Names(); err == nil {
		err = d.checkNames(rows, others)
	}
	if err != nil {
		return nil, nil, err
	}
	if err = d.Disk.MkdirOwn(d.stage()); err == nil {
		err = d.Claim()
	}
	if err != nil {
		return nil, nil, err
	}
	if rows, others, err = d.Names(); err == nil {
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
func (d run) begin(m *layout.Manifest) error {
	if _, ok := d.began(); ok {
		return nil
	}
	b, err := json.Marshal(m.Parts)
	if err != nil {
		return err
	}
	path := files.Join(d.stage(), markerName)
	temp := files.Join(d.stage(), layout.Attempt()+"-"+markerName)
	if _, err = d.Write(temp, layout.Content("", b).Write); err == nil {
		err = d.Disk.Place(temp, path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // another layout.Attempt of this run has left it
	}
	return err
}

// clear removes what an earlier run left, its manifest first: from then on nothing here is taken for
// output. The manifest is kept in the staging, so that a repetition still knows the released files.
func (d run) clear(rows, others []string, m *layout.Manifest, settled map[string]bool) error {
	if !d.Overwrite {
		return nil
	}
	if slices.Contains(others, layout.ManifestName) {
		err := d.Disk.Replace(d.InRelease(layout.ManifestName), files.Join(d.stage(), replacedName))
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
		if layout.IsPart(name) && !settled[name] {
			paths = append(paths, d.At(name))
		}
	}
	for _, f := range old {
		isName := func(other layout.File) bool { return other.Name == f.Name }
		if slices.Contains(others, f.Name) && !slices.ContainsFunc(m.Released, isName) {
			paths = append(paths, d.InRelease(f.Name))
		}
	}
	return d.removeAll(paths)
}

// removeAll removes files; some may be gone already.
func (d run) removeAll(paths []string) error {
	for _, path := range paths {
		if err := d.Disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replaced returns the released files of the output that is being overwritten. A manifest that is
// damaged names none.
func (d run) replaced() ([]layout.File, error) {
	b, err := d.ReadFile(files.Join(d.stage(), replacedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if old, decodeErr := layout.Decode(b); decodeErr == nil {
		return old.Released, nil
	}
	return nil, nil
}

// settle moves the staged parts to their names.
func (d run) settle(refs []layout.FileRef, settled map[string]bool) error {
	for _, r := range refs {
		if settled[d.PartName(r.Shard)] {
			continue
		}
		if err := d.settlePart(r); err != nil && !d.isSettled(r, err) {
			return err
		}
	}
	return nil
}

func (d run) settlePart(r layout.FileRef) error {
	size, err := d.Disk.Size(r.URI)
	if err != nil {
		return fmt.Errorf("shard %d: its staged part is gone: %w", r.Shard, err)
	}
	if size != r.Bytes {
		return fmt.Errorf("shard %d: its staged part has another size than was written", r.Shard)
	}
	name := d.PartName(r.Shard)
	if err = d.Disk.Place(r.URI, d.At(name)); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s has appeared; another run writes here: %w", name, err)
	}
	return err
}

// isSettled reports whether a part that could not be moved is in place all the same: another Attempt of
// this run, where nothing locks, has moved it meanwhile.
func (d run) isSettled(r layout.FileRef, err error) bool {
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	n, crc, err := d.Disk.Sum(d.At(d.PartName(r.Shard)))
	return err == nil && n == r.Bytes && crc == r.CRC32C
}

// checkAlone makes sure that there is nothing among the rows but all parts of this run: runs with different
// directories for their released files meet here alone.
func (d run) checkAlone() error {
	if d.Path == "" {
		return nil
	}
	rows, err := d.Rows()
	if err != nil {
		return err
	}
	here := 0
	for _, name := range rows {
		if !d.OwnPart(name) {
			return fmt.Errorf("%q has appeared; another run writes here", name)
		}
		here++
	}
	if here != d.Shards {
		return errors.New("parts have disappeared; another run writes here")
	}
	return nil
}

// finish writes the manifest, unless this run's is there.
func (d run) finish(m *layout.Manifest) error {
	err := d.WriteManifest(d.stage(), m, d.InRelease(layout.ManifestName), d.Disk.Place)
	if errors.Is(err, fs.ErrExist) {
		if there, readErr := d.Manifest(); readErr != nil || there.RunID != d.RunID {
			return errors.New("another run has published here")
		}
		err = nil
	}
	return err
}

// cleanUp removes this run's staging as far as possible, and the common one if it is empty.
func (d run) cleanUp() {
	// Leftovers are harmless: no reader looks at them.
	d.disclaim()
	_ = d.Disk.RemoveAll(d.stage())
	_ = d.Disk.Remove(d.InRelease(layout.TempName))
}
