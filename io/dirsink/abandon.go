package dirsink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Abandon removes what this run left without finishing: its staging and, where Publish was cut off, the
// parts and those of the released files that it had put in place. It changes nothing where the run has
// published. No attempt of the run may follow, and none may still be writing.
func (d Dir) Abandon(ctx context.Context, releasedNames ...string) error {
	if err := d.Validate(); err != nil {
		return err
	}
	d = d.in(ctx)
	if _, err := d.disk.list(d.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := d.disk.lock(d.Path)
	if err != nil {
		return fmt.Errorf("sink: %s cannot be locked: %w", d.show(), err)
	}
	defer unlock()
	// With a manifest the files belong to it: this run's, or that of a run that overwrote this one.
	if _, err := d.manifest(); errors.Is(err, fs.ErrNotExist) && d.began() {
		if err := d.takeBack(releasedNames); err != nil {
			return fmt.Errorf("sink: %s holds parts of an output that was cut off; remove them: %w", d.show(), err)
		}
	}
	d.cleanUp()
	return nil
}

// Others returns the IDs of other runs whose staging is in the directory, in order; none where there is
// no directory. A run that was killed leaves its staging, and one at work needs it: who overwrites cannot
// tell them apart, so that nothing but the run itself removes it.
func (d Dir) Others(ctx context.Context) ([]string, error) {
	d = d.in(ctx)
	names, err := d.disk.list(d.at(tempName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be listed: %w", d.show(), err)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == d.RunID || name == claimName }), nil
}

// takeBack removes the parts and released files of this run.
func (d Dir) takeBack(releasedNames []string) error {
	names, err := d.names()
	for _, name := range names {
		if !d.ownPart(name) && !slices.Contains(releasedNames, name) {
			continue
		}
		if removeErr := d.disk.remove(d.at(name)); !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}
