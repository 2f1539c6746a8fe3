package dirsink

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// claimName is, below the common staging, the file that holds the ID of the run that publishes. No run's
// ID has a full stop, so that it is no run's staging.
const claimName = "publishing.run"

func (d Dir) claimPath() string { return files.Join(d.release(), tempName, claimName) }

// claimant returns the ID of the run that has claimed the output; fs.ErrNotExist if none has.
func (d Dir) claimant() (string, error) {
	f, err := d.disk.open(d.claimPath())
	if err != nil {
		return "", err
	}
	defer f.Close() // only read from
	b, err := io.ReadAll(io.LimitReader(f, 65))
	return string(b), err
}

// checkClaim refuses the output if another run has claimed it.
func (d Dir) checkClaim(others []string) error {
	if d.Overwrite || !slices.Contains(others, tempName) {
		return nil
	}
	switch run, err := d.claimant(); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("sink: %s: it cannot be found out who publishes there: %w", show(d.release()), err)
	case run != d.RunID:
		return &NotFree{d.release(), ErrClaimed}
	}
	return nil
}

// claim makes this run the one that publishes here. Names of parts alone do not keep two runs apart:
// with different numbers of shards they differ, and released files are replaced.
func (d Dir) claim() error {
	if run, err := d.claimant(); err == nil && run == d.RunID {
		return nil
	}
	temp := files.Join(d.staging(), attempt()+"-"+claimName)
	if _, err := d.write(temp, Content("", []byte(d.RunID)).Write); err != nil {
		return err
	}
	take := d.disk.place
	if d.Overwrite {
		take = d.disk.replace
	}
	err := take(temp, d.claimPath())
	if errors.Is(err, fs.ErrExist) {
		if run, readErr := d.claimant(); readErr == nil && run == d.RunID {
			return nil // another attempt of this run
		}
		return ErrClaimed
	}
	return err
}

// disclaim lets others publish here.
func (d Dir) disclaim() {
	if run, err := d.claimant(); err == nil && run == d.RunID {
		_ = d.disk.remove(d.claimPath()) // one that stays is replaced by a run that overwrites
	}
}
