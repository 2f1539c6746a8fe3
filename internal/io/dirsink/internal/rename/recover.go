package rename

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// What a process left that ended between two renames is finished by whoever looks at the output next.

// complete finishes what a process that has ended left between two renames.
func (d run) complete() error {
	if !d.unsettled() {
		return nil
	}
	unlock, err := d.lock() // until a run that is at work has done its renames
	if err != nil {
		return err
	}
	defer unlock()
	return d.completeLocked()
}

// unsettled reports whether a publication may have been cut off between two renames.
func (d run) unsettled() bool {
	if _, ok := d.halfReleased(); ok {
		return true
	}
	_, ok := d.pendingRows()
	return ok
}

// completeLocked is complete under the lock.
func (d run) completeLocked() (err error) {
	if p, ok := d.halfReleased(); ok {
		if err := d.Disk.Place(p.next(), p.at); err != nil {
			return err
		}
	}
	p, ok := d.pendingRows()
	if !ok {
		return nil
	}
	if err = d.Disk.MkdirAll(filepath.Dir(p.old())); err == nil && !exists(p.old()) {
		err = d.Disk.Replace(p.at, p.old())
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = d.Disk.Place(p.next(), p.at)
	}
	if err == nil {
		err = d.Disk.Sync(filepath.Dir(p.at))
	}
	return err
}

// halfReleased returns the place of a release whose predecessor was moved away when its process ended.
func (d run) halfReleased() (place, bool) {
	p := d.placeOf(d.ReleaseDir())
	if exists(p.at) {
		return p, false
	}
	for _, stage := range stagesBeside(p.at) {
		if p.stage = stage; exists(p.old()) && exists(filepath.Join(p.next(), layout.ManifestName)) {
			return p, true
		}
	}
	return p, false
}

// pendingRows returns the place of rows whose release is in its place.
func (d run) pendingRows() (place, bool) {
	if d.Path == "" || layout.Within(d.ReleaseDir(), d.Path) {
		return place{}, false
	}
	m, err := d.Manifest()
	if err != nil {
		return place{}, false
	}
	d.RunID = m.RunID
	p := d.placeOf(d.Path)
	for _, f := range m.Parts {
		if s, err := os.Lstat(filepath.Join(p.next(), f.Name)); err != nil || s.Size() != f.Bytes {
			return p, false
		}
	}
	return p, len(m.Parts) > 0
}

// stagesBeside lists the directories of runs beside a place.
func stagesBeside(at string) (list []string) {
	entries, _ := os.ReadDir(filepath.Dir(at)) // where nothing can be listed nothing was left
	for _, e := range entries {
		if id, ok := strings.CutPrefix(e.Name(), stagePrefix); ok && strings.HasSuffix(id, stageSuffix) && e.IsDir() {
			list = append(list, filepath.Join(filepath.Dir(at), e.Name()))
		}
	}
	return list
}

// leftBeside lists the directories that other runs have left beside the output: the ones of this output, and those that
// hold nothing of any.
func (d run) leftBeside() (list []layout.Leftover) {
	for _, p := range d.places() {
		for _, stage := range stagesBeside(p.at) {
			id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(stage), stagePrefix), stageSuffix)
			of := place{p.at, stage}
			if id == d.RunID || !exists(of.next()) && !exists(of.old()) && !bare(stage) ||
				slices.ContainsFunc(list, func(l layout.Leftover) bool { return l.Path == stage }) {
				continue
			}
			l := layout.Leftover{RunID: id, Path: stage}
			if release, free := files.Take(stage); free {
				l.Dead = true
				release()
			}
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b layout.Leftover) int { return strings.Compare(a.RunID, b.RunID) })
	return list
}

// bare reports whether no output has to be finished from a run's directory.
func bare(stage string) bool {
	for _, name := range []string{"new", "old"} {
		if entries, err := os.ReadDir(filepath.Join(stage, name)); err != nil && !errors.Is(err, fs.ErrNotExist) || len(entries) > 0 {
			return false
		}
	}
	return true
}
