package csvio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
)

// Each reads all records of r and hands them to yield, chunk by chunk. Every chunk is a new one: yield
// may keep it. An error of yield ends the reading and is returned as it is.
func Each(r io.Reader, name string, d *domain.Domain, opts schema.CSV, yield func(*domain.Chunk) error) error {
	c, err := NewReader(r, name, d, opts)
	if err != nil {
		return err
	}
	for {
		chunk := &domain.Chunk{}
		switch err := c.Read(chunk); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := yield(chunk); err != nil {
			return err
		}
	}
}

// EachFile is Each for a local file.
func EachFile(path string, d *domain.Domain, opts schema.CSV, yield func(*domain.Chunk) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("csv: %w", err)
	}
	return errors.Join(Each(f, path, d, opts, yield), f.Close())
}

// Expand returns the local files that a pattern of path/filepath matches, in order of name. A path that
// exists stands for itself, whatever characters it has. Names that begin with "_" describe a table and are
// not part of it: only a pattern that begins so matches them. No file at all is an error.
func Expand(pattern string) ([]string, error) {
	if info, err := os.Stat(pattern); err == nil && !info.IsDir() {
		return []string{pattern}, nil
	}
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("csv: %s: %w", pattern, err)
	}
	described := strings.HasPrefix(filepath.Base(pattern), "_")
	paths = slices.DeleteFunc(paths, func(p string) bool {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			return true
		}
		return !described && strings.HasPrefix(filepath.Base(p), "_") // what describes a table is not part of it
	})
	if len(paths) == 0 {
		return nil, fmt.Errorf("csv: %s: no such file; name a file, or a pattern such as dir/*.csv", pattern)
	}
	return paths, nil
}

// Columns returns the names of the columns of a local file: those of opts, or those of its header line.
func Columns(path string, opts schema.CSV) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("csv: %w", err)
	}
	defer f.Close() // only read from
	r, err := open(f, path, opts)
	if err != nil {
		return nil, err
	}
	return r.columns()
}
