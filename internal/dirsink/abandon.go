package dirsink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/io/files"
)

// Abandon removes what this run left without finishing: its staging and, if Publish was cut off, the
// parts and those of the released files that it had put in place. It changes nothing if the run has
// published. No attempt of the run may follow, and none may still be writing.
func (d Dir) Abandon(ctx context.Context, releasedNames ...string) error {
	if err := d.Validate(); err != nil {
		return err
	}
	d = d.in(ctx)
	if _, err := d.disk.list(d.staging()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, _, err := d.lock()
	if err != nil {
		return err
	}
	defer unlock()
	// With a manifest the files belong to it: this run's, or that of a run that overwrote this one.
	parts, began := d.began()
	if _, err := d.manifest(); errors.Is(err, fs.ErrNotExist) && began {
		if err := d.takeBack(parts, releasedNames); err != nil {
			return fmt.Errorf("sink: %s holds parts of an output that was cut off; remove them: %w", show(d.dirs()[0]), err)
		}
	}
	if d.Tables {
		d.removeTables()
	}
	d.cleanUp()
	return nil
}

// Hold tells others that this run is at work in directories that have been prepared, until release is called
// or the process ends. On gs:// nothing can tell.
func (d Dir) Hold() (release func(), err error) {
	if files.Remote(d.release()) {
		return func() {}, nil
	}
	return files.Hold(d.staging())
}

// Leftover is what another run has staged and not published: synthetic rows, as a rule, of a release that
// counts.
type Leftover struct {
	RunID, Path string
	Dead        bool // its run has ended; false also if nothing can tell
}

// Leftovers lists what other runs have staged here, in order of their IDs.
func (d Dir) Leftovers(ctx context.Context) ([]Leftover, error) {
	ids, err := d.Others(ctx)
	list := make([]Leftover, len(ids))
	for i, id := range ids {
		list[i] = Leftover{RunID: id, Path: files.Join(d.release(), tempName, id)}
		if !files.Remote(d.release()) {
			if release, free := files.Take(list[i].Path); free {
				list[i].Dead = true
				release()
			}
		}
	}
	return list, err
}

// RemoveLeftovers removes what dead runs have staged here, and returns it. A claim of theirs goes with the next
// run that publishes.
func (d Dir) RemoveLeftovers(ctx context.Context) (removed []Leftover, err error) {
	list, err := d.Leftovers(ctx)
	for _, l := range list {
		if !l.Dead {
			continue
		}
		release, free := files.Take(l.Path)
		if !free {
			continue
		}
		if removeErr := files.RemoveAll(ctx, l.Path); removeErr != nil {
			err = errors.Join(err, fmt.Errorf("sink: %w", removeErr))
		} else {
			removed = append(removed, l)
		}
		release()
	}
	_ = d.in(ctx).disk.remove(d.beside(tempName)) // it stays if others are at work
	return removed, err
}

// Others returns the IDs of other runs whose staging is here, in order; none if there is no directory.
func (d Dir) Others(ctx context.Context) ([]string, error) {
	d = d.in(ctx)
	names, err := d.disk.list(d.beside(tempName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be listed: %w", show(d.release()), err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == d.RunID || name == claimName }), nil
}

// takeBack removes the parts and released files of this run.
func (d Dir) takeBack(parts []File, releasedNames []string) error {
	rows, others, err := d.names()
	for _, name := range rows {
		own, sumErr := d.isOwn(name, parts)
		if err = errors.Join(err, sumErr); own {
			err = errors.Join(err, d.removeAll([]string{d.at(name)}))
		}
	}
	for _, name := range others {
		if slices.Contains(releasedNames, name) {
			err = errors.Join(err, d.removeAll([]string{d.beside(name)}))
		}
	}
	return err
}

// isOwn reports whether a file among the rows is one of this run's parts, or a copy of one on its way.
func (d Dir) isOwn(name string, parts []File) (bool, error) {
	for _, p := range parts {
		if strings.HasPrefix(name, p.Name+copyMark) {
			return true, nil
		}
		if name == p.Name {
			n, crc, err := d.disk.sum(d.at(name))
			return n == p.Bytes && hexCRC(crc) == p.CRC32C, err
		}
	}
	return false, nil
}
