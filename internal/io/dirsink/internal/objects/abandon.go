package objects

import (
	"errors"
	"slices"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
)

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
