// Package rename publishes the output of a run in directories of this machine, by renaming them.
package rename

import (
	"errors"
	"fmt"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// run is an output as its run sees it.
type run struct{ layout.Dir }

// Of returns the protocol of an output.
func Of(d layout.Dir) *run { return &run{d} }

// Check finishes what a publication that was cut off has left to do, and says whether the places are free. try: the run's
// directories are made, and what publishing does is tried in them.
func (d run) Check(try bool) error {
	if err := d.complete(); err != nil {
		return fmt.Errorf("sink: %s: a publication was cut off and cannot be finished: %w", layout.Show(d.ReleaseDir()), err)
	}
	if err := d.checkFree(); err != nil || !try {
		return err
	}
	return d.prepare()
}

func (d run) checkFree() error {
	rows, others, err := d.Names()
	if err == nil {
		_, err = d.CheckNames(rows, others, layout.Rule{Ours: (*layout.Manifest).Wrote})
	}
	return err
}

// Abandon removes what the run has staged. What cannot be undone any more is finished.
func (d run) Abandon([]string) error {
	if err := d.complete(); err != nil {
		return err
	}
	d.removeStages()
	return nil
}

// Found returns the output as a reader finds it, finished if it can be.
func (d run) Found() layout.Dir {
	if p, ok := d.halfReleased(); ok && d.complete() != nil { // another user's, who has to finish it
		d.Release = p.next()
	}
	if p, ok := d.pendingRows(); ok && d.complete() != nil {
		d.Path = p.next()
	}
	return d.Dir
}

// Leftovers lists what other runs have staged beside the output, or removes what dead ones have, and lists that. A publication
// that was cut off is finished first.
func (d run) Leftovers(remove bool) (list []layout.Leftover, err error) {
	if !remove {
		return d.leftBeside(), nil
	}
	if err := d.complete(); err != nil {
		return nil, err
	}
	for _, l := range d.leftBeside() {
		release, free := files.Take(l.Path)
		if !free {
			continue
		}
		if removeErr := d.Disk.RemoveAll(l.Path); removeErr != nil {
			err = errors.Join(err, fmt.Errorf("sink: %w", removeErr))
		} else {
			list = append(list, l)
		}
		release()
	}
	return list, err
}
