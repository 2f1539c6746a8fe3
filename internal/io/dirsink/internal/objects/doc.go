// Package objects publishes the output of a run in a store of objects, which has no directories to rename: parts, released
// files and the manifest last, each under the condition that nobody else has put it there.
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

const (
	markerName   = "publishing" // in the run's staging: the directories were found free for these parts
	replacedName = "replaced_manifest.json"
)

// run is an output as its run sees it.
type run struct{ layout.Dir }

// Of returns the protocol of an output.
func Of(d layout.Dir) *run { return &run{d} }

// stage is where the run writes before it publishes.
func (d run) stage() string { return files.Join(d.ReleaseDir(), layout.TempName, d.RunID) }

// Stages returns the one place where the run writes.
func (d run) Stages() []string { return []string{d.stage()} }

// Found returns the output: whatever is there is finished.
func (d run) Found() layout.Dir { return d.Dir }

// Check says whether the places are free. try: what publishing does is tried.
func (d run) Check(try bool) error {
	rows, others, err := d.Names()
	if err == nil {
		err = d.checkNames(rows, others)
	}
	if err != nil || !try {
		return err
	}
	at := d.ReleaseDir()
	err = d.Probe(d.stage(), d.stage())
	if err == nil && d.Path != "" {
		at = d.Path
		err = d.Probe(d.stage(), d.Path)
	}
	if err != nil {
		return fmt.Errorf("sink: %s cannot be written to: %w", layout.Show(at), err)
	}
	return nil
}

// checkNames applies the rules to the names in the directories, the common staging among them.
func (d run) checkNames(rows, others []string) error {
	_, own := d.began()
	ours := func(*layout.Manifest, string) bool { return true }
	list := slices.DeleteFunc(slices.Clone(others), func(name string) bool { return name == layout.TempName })
	mine, err := d.CheckNames(rows, list, layout.Rule{Own: own, Ours: ours})
	if err != nil || mine {
		return err
	}
	return d.checkClaim(others)
}

// began reports whether an attempt of this run has found the directories free before, and for which parts.
func (d run) began() (parts []layout.File, ok bool) {
	b, err := d.ReadFile(files.Join(d.stage(), markerName))
	return parts, err == nil && json.Unmarshal(b, &parts) == nil
}

// Abandon removes what the run has staged and, if it was cut off as it published, what it had put in place.
func (d run) Abandon(releasedNames []string) error {
	if _, err := d.Disk.List(d.stage()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	// With a manifest the files belong to it: this run's, or a later run's that overwrote this one.
	parts, began := d.began()
	if _, err := d.Manifest(); errors.Is(err, fs.ErrNotExist) && began {
		if err := d.takeBackObjects(parts, releasedNames); err != nil {
			return fmt.Errorf("sink: %s holds parts of an output that was cut off; remove them: %w", layout.Show(d.Dirs()[0]), err)
		}
	}
	d.cleanUp()
	return nil
}

// Leftovers lists what other runs have staged. Nothing tells which of them are dead, so none is removed.
func (d run) Leftovers(remove bool) (list []layout.Leftover, err error) {
	if remove {
		return nil, nil
	}
	ids, err := d.Disk.List(d.InRelease(layout.TempName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be listed: %w", layout.Show(d.ReleaseDir()), err)
	}
	for _, id := range ids {
		if id != d.RunID && id != claimName {
			list = append(list, layout.Leftover{RunID: id, Path: files.Join(d.ReleaseDir(), layout.TempName, id)})
		}
	}
	return list, nil
}
