package dirsink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Abandon removes what this run left without finishing: its staging and, if Publish was cut off, the
// parts and the released files that it had put in place. It changes nothing if the run has
// published. No attempt of the run may follow, and none may still be writing.
func (d Dir) Abandon(ctx context.Context, releasedNames ...string) error {
	if err := d.Validate(); err != nil {
		return err
	}
	d = d.in(ctx)
	if !d.remote() {
		err := d.complete() // what cannot be undone any more is finished
		if err == nil {
			d.removeStages()
		}
		return err
	}
	if _, err := d.disk.list(d.staging()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	// With a manifest the files belong to it: this run's, or a later run's that overwrote this one.
	parts, began := d.began()
	if _, err := d.manifest(); errors.Is(err, fs.ErrNotExist) && began {
		if err := d.takeBackObjects(parts, releasedNames); err != nil {
			return fmt.Errorf("sink: %s holds parts of an output that was cut off; remove them: %w", show(d.dirs()[0]), err)
		}
	}
	d.cleanUp()
	return nil
}

// Hold tells others that this run is at work in directories that have been prepared, until release is called
// or the process ends. On gs:// nothing can tell.
func (d Dir) Hold() (release func(), err error) {
	release = func() {}
	if d.remote() {
		return release, nil
	}
	for _, stage := range d.stages() {
		leave, err := files.Hold(stage)
		if err != nil {
			release()
			return nil, err
		}
		before := release
		release = func() { before(); leave() }
	}
	return release, nil
}

// Leftover is what another run has staged and not published: synthetic rows, as a rule, of a release that
// counts.
type Leftover struct {
	RunID, Path string
	Dead        bool // its run has ended; false also if nothing can tell
}

// Leftovers lists what other runs have staged here, in order of their IDs.
func (d Dir) Leftovers(ctx context.Context) ([]Leftover, error) {
	if !d.remote() {
		return d.leftBeside(), nil
	}
	d = d.in(ctx)
	ids, err := d.disk.list(d.beside(tempName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be listed: %w", show(d.release()), err)
	}
	var list []Leftover
	for _, id := range ids {
		if id != d.RunID && id != claimName {
			list = append(list, Leftover{RunID: id, Path: files.Join(d.release(), tempName, id)})
		}
	}
	return list, nil
}

// RemoveLeftovers removes what dead runs have staged beside an output of this machine, and returns it. A publication
// that was cut off is finished first.
func (d Dir) RemoveLeftovers(ctx context.Context) (removed []Leftover, err error) {
	return d.removeLeft(ctx)
}

// takeBackObjects removes the parts and released files of this run.
func (d Dir) takeBackObjects(parts []File, releasedNames []string) error {
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

// isOwn reports whether an object among the rows is one of this run's parts.
func (d Dir) isOwn(name string, parts []File) (bool, error) {
	for _, p := range parts {
		if name == p.Name {
			n, crc, err := d.disk.sum(d.at(name))
			return n == p.Bytes && hexCRC(crc) == p.CRC32C, err
		}
	}
	return false, nil
}
