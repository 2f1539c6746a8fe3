package objects

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// claimName is, below the common staging, the file that holds the ID of the run that publishes. No run's
// ID has a full stop, so that it is no run's staging.
const claimName = "publishing.run"

func (d run) claimPath() string { return files.Join(d.ReleaseDir(), layout.TempName, claimName) }

// claimant returns the ID of the run that has claimed the output; fs.ErrNotExist if none has.
func (d run) claimant() (string, error) {
	f, err := d.Disk.Open(d.claimPath())
	if err != nil {
		return "", err
	}
	defer f.Close() // only read from
	b, err := io.ReadAll(io.LimitReader(f, 65))
	return string(b), err
}

// checkClaim refuses the output if another run has claimed it.
func (d run) checkClaim(others []string) error {
	if d.Overwrite || !slices.Contains(others, layout.TempName) {
		return nil
	}
	switch run, err := d.claimant(); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("sink: %s: it cannot be found out who publishes there: %w", layout.Show(d.ReleaseDir()), err)
	case run != d.RunID:
		return &layout.NotFree{Dir: d.ReleaseDir(), Why: layout.ErrClaimed}
	}
	return nil
}

// Claim makes this run the one that publishes here. Names of parts alone do not keep two runs apart:
// with different numbers of shards they differ, and released files are replaced.
func (d run) Claim() error {
	if run, err := d.claimant(); err == nil && run == d.RunID {
		return nil
	}
	temp := files.Join(d.stage(), layout.Attempt()+"-"+claimName)
	if _, err := d.Write(temp, layout.Content("", []byte(d.RunID)).Write); err != nil {
		return err
	}
	take := d.Disk.Place
	if d.Overwrite {
		take = d.Disk.Replace
	}
	err := take(temp, d.claimPath())
	if errors.Is(err, fs.ErrExist) {
		if run, readErr := d.claimant(); readErr == nil && run == d.RunID {
			return nil // another layout.Attempt of this run
		}
		return layout.ErrClaimed
	}
	return err
}

// disclaim lets others publish here.
func (d run) disclaim() {
	if run, err := d.claimant(); err == nil && run == d.RunID {
		_ = d.Disk.Remove(d.claimPath()) // one that stays is replaced by a run that overwrites
	}
}

// takeBackObjects removes the parts and released files of this run.
func (d run) takeBackObjects(parts []layout.File, releasedNames []string) error {
	rows, others, err := d.Names()
	for _, name := range rows {
		own, sumErr := d.isOwn(name, parts)
		if err = errors.Join(err, sumErr); own {
			err = errors.Join(err, d.removeAll([]string{d.At(name)}))
		}
	}
	for _, name := range others {
		if slices.Contains(releasedNames, name) {
			err = errors.Join(err, d.removeAll([]string{d.InRelease(name)}))
		}
	}
	return err
}

// isOwn reports whether an object among the rows is one of this run's parts.
func (d run) isOwn(name string, parts []layout.File) (bool, error) {
	for _, p := range parts {
		if name == p.Name {
			n, crc, err := d.Disk.Sum(d.At(name))
			return n == p.Bytes && layout.HexCRC(crc) == p.CRC32C, err
		}
	}
	return false, nil
}
