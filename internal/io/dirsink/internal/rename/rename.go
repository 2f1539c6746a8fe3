package rename

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// A directory of this machine is published by rename. A run has a directory of its own beside the output:
//
//	dapple-<run>.tmp/parts/<Attempt>/  parts as they are written
//	dapple-<run>.tmp/new/<name>/       what becomes the directory <name>
//	dapple-<run>.tmp/old/<name>/       what was there before
//
// All files are written and synced in new. Then the older release is moved to old and the new one to its place: from
// this rename on the output is the new one. The rows follow in the same way. A process that ends between two of these
// renames leaves a state that tells how to go on, and whoever looks at the output next does so: without a release,
// the one in new replaces the one in old; and rows in new belong to the manifest that names their run.

// place is one directory of an output of this machine.
type place struct {
	at    string // absolute, without a link at its end
	stage string // the directory of the run beside it
}

func (p place) next() string { return filepath.Join(p.stage, "new", filepath.Base(p.at)) }

func (p place) old() string { return filepath.Join(p.stage, "old", filepath.Base(p.at)) }

const (
	stagePrefix = "dapple-"
	stageSuffix = ".tmp"
)

// placeOf returns the place of a directory, which need not be there.
func (d run) placeOf(dir string) place {
	at := filepath.Clean(dir)
	if to, err := filepath.EvalSymlinks(at); err == nil {
		at = to
	}
	if abs, err := filepath.Abs(at); err == nil {
		at = abs
	}
	return place{at, filepath.Join(filepath.Dir(at), stagePrefix+d.RunID+stageSuffix)}
}

// places returns the directories that are renamed, the release's first.
func (d run) places() []place {
	list := []place{d.placeOf(d.ReleaseDir())}
	if d.Path != "" && !layout.Within(d.ReleaseDir(), d.Path) {
		list = append(list, d.placeOf(d.Path))
	}
	return list
}

// Stages returns the directories of this run beside its output: one, if rows and release are neighbours. The last one is beside
// the rows, so that a rename moves them.
func (d run) Stages() (list []string) {
	for _, p := range d.places() {
		if !slices.Contains(list, p.stage) {
			list = append(list, p.stage)
		}
	}
	return list
}

// nextRows is where the rows are put together.
func (d run) nextRows() string {
	ps := d.places()
	if len(ps) > 1 {
		return ps[1].next()
	}
	rel, err := filepath.Rel(files.Clean(d.ReleaseDir()), files.Clean(d.Path))
	if d.Path == "" || err != nil {
		return ""
	}
	return filepath.Join(ps[0].next(), rel)
}

// Publish publishes by renames what is put together first.
func (d run) Publish(m *layout.Manifest, refs []layout.FileRef, list []layout.Released) (*layout.Manifest, error) {
	if done, err := d.done(); done != nil || err != nil {
		return done, err
	}
	unlock, err := d.enterStage()
	if err == nil {
		defer unlock()
	}
	// Another layout.Attempt of this run had the lock, or removed what was to be locked.
	if done, doneErr := d.done(); done != nil || doneErr != nil {
		return done, doneErr
	} else if err != nil {
		return nil, err
	}
	release := d.places()[0].next()
	steps := []func() error{
		func() error { return d.eachNext(d.Disk.MkdirAll) },
		func() error { return d.gather(refs) },
		func() error { return d.WriteReleased(filepath.Dir(release), release, list, m) },
		func() error {
			return d.WriteManifest(filepath.Dir(release), m, filepath.Join(release, layout.ManifestName), d.Disk.Replace)
		},
		func() error { return d.eachNext(d.Disk.Sync) },
		d.commit,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	d.removeStages()
	return m, nil
}

// done returns the manifest of this run if it has published. It makes the names durable, and finishes the rest.
func (d run) done() (*layout.Manifest, error) {
	if m, err := d.Manifest(); err != nil || m.RunID != d.RunID {
		return nil, nil
	}
	err := d.complete()
	for _, p := range d.places() {
		err = errors.Join(err, d.Disk.Sync(filepath.Dir(p.at)))
	}
	if err != nil {
		return nil, err
	}
	d.removeStages()
	return d.Manifest()
}

// enterStage makes the directories of this run, and keeps its other attempts from them.
func (d run) enterStage() (unlock func(), err error) {
	for _, p := range d.places() {
		if err := d.Disk.MkdirOwn(p.stage); err != nil {
			return nil, err
		}
	}
	dir := filepath.Dir(d.places()[0].next())
	if err := d.Disk.MkdirAll(dir); err != nil {
		return nil, err
	}
	unlock, err = files.Lock(dir)
	if err != nil && !files.WithoutLocks(err) {
		return nil, fmt.Errorf("%s cannot be locked: %w", layout.Show(dir), err)
	}
	return unlock, nil
}

// eachNext does something with every directory that is put together, and with those around them.
func (d run) eachNext(do func(dir string) error) error {
	var dirs []string
	for _, p := range d.places() {
		dirs = append(dirs, p.next(), filepath.Dir(p.next()))
	}
	if rows := d.nextRows(); rows != "" {
		dirs = append(dirs, rows)
		for _, name := range layout.TableNames {
			if d.Tables {
				dirs = append(dirs, filepath.Join(rows, name))
			}
		}
	}
	for _, dir := range dirs {
		if err := do(dir); err != nil {
			return err
		}
	}
	return nil
}

// gather moves the parts to where they are put together.
func (d run) gather(refs []layout.FileRef) error {
	for _, r := range refs {
		to := filepath.Join(d.nextRows(), d.PartName(r.Shard))
		size, err := d.Disk.Size(r.URI)
		if errors.Is(err, fs.ErrNotExist) {
			if n, crc, sumErr := d.Disk.Sum(to); sumErr == nil && n == r.Bytes && crc == r.CRC32C {
				continue // an layout.Attempt that was cut off has moved it
			}
		}
		switch {
		case err != nil:
			return fmt.Errorf("shard %d: its staged part is gone: %w", r.Shard, err)
		case size != r.Bytes:
			return fmt.Errorf("shard %d: its staged part has another size than was written", r.Shard)
		}
		if err := d.Disk.Replace(r.URI, to); err != nil {
			return err
		}
	}
	return nil
}

// commit makes the new directories the output, if the places are free. After an error all is as before.
func (d run) commit() error {
	unlock, err := d.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.completeLocked(); err != nil {
		return err
	}
	if m, err := d.Manifest(); err == nil && m.RunID == d.RunID {
		return nil // an layout.Attempt that was cut off had got so far
	}
	if err := d.checkFree(); err != nil {
		return err
	}
	ps := d.places()
	for _, p := range ps {
		if err := d.Disk.MkdirAll(filepath.Dir(p.old())); err != nil {
			return err
		}
		openTo(p)
	}
	for i, p := range ps {
		err := d.put(p)
		if err == nil {
			err = d.Disk.Sync(filepath.Dir(p.at))
		}
		if err != nil {
			for _, p := range slices.Backward(ps[:i+1]) {
				err = errors.Join(err, d.takeBack(p))
			}
			return err
		}
	}
	return nil
}

// openTo gives the new directory the mode of the one that it replaces. What is about to be published may be read by
// all who could read it in its place, also if the process ends in between.
func openTo(p place) {
	mode := fs.FileMode(0)
	if s, err := os.Stat(filepath.Dir(p.next())); err == nil {
		mode = s.Mode().Perm()
		_ = os.Chmod(p.stage, mode)
	}
	if s, err := os.Stat(p.at); err == nil {
		_ = os.Chmod(p.next(), s.Mode().Perm()|s.Mode()&(fs.ModeSetgid|fs.ModeSticky))
	}
}

// put moves away what is in a place, and the new directory there.
func (d run) put(p place) error {
	err := d.Disk.Replace(p.at, p.old())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return d.Disk.Place(p.next(), p.at)
}

// takeBack undoes put, which may have failed half-way.
func (d run) takeBack(p place) (err error) {
	if !exists(p.next()) {
		err = d.Disk.Place(p.at, p.next())
	}
	if err == nil && exists(p.old()) {
		err = d.Disk.Place(p.old(), p.at)
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// lock keeps other runs from renaming beside the output. A file system without locks is used without: no directory
// takes the place of one that is not empty.
func (d run) lock() (unlock func(), err error) {
	var parents []string
	for _, p := range d.places() {
		parents = append(parents, filepath.Dir(p.at))
	}
	slices.Sort(parents) // in one order, so that no two runs wait for each other
	var held []func()
	unlock = func() {
		for _, leave := range held {
			leave()
		}
	}
	for _, dir := range slices.Compact(parents) {
		leave, err := files.Lock(dir)
		if err != nil && !files.WithoutLocks(err) && !errors.Is(err, fs.ErrPermission) {
			unlock()
			return nil, fmt.Errorf("%s cannot be locked: %w", layout.Show(dir), err)
		}
		held = append(held, leave)
	}
	return unlock, nil
}

// removeStages removes this run's directories beside its output as far as possible: no reader looks at them.
func (d run) removeStages() {
	for _, stage := range d.Stages() {
		_ = d.Disk.RemoveAll(stage)
	}
}

// prepare makes the run's directories and tries in them what publishing does.
func (d run) prepare() error {
	for _, p := range d.places() {
		err := files.Movable(p.at)
		if err == nil {
			err = d.Disk.MkdirAll(filepath.Dir(p.at))
		}
		if err == nil {
			err = d.Disk.MkdirOwn(p.stage)
		}
		if err == nil {
			err = d.Probe(p.stage, p.stage)
		}
		if err == nil {
			err = d.Disk.MkdirAll(p.next())
		}
		if err != nil {
			return fmt.Errorf("sink: %s cannot be written to: %w", layout.Show(p.at), err)
		}
	}
	return nil
}
