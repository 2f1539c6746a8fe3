package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Objects keeps values as objects of a store, below a name such as gs://bucket/staging. Who may
// read them is the bucket's affair.
type Objects struct{ Dir string }

// CreateIfAbsent is Local's, on a condition that the service checks as it makes the object.
func (s Objects) CreateIfAbsent(ctx context.Context, name string, data []byte) (current []byte, created bool, err error) {
	path, err := s.path(name)
	if err != nil {
		return nil, false, err
	}
	if current, found, err := s.Get(ctx, name); found || err != nil {
		return current, false, err
	}
	err = files.Create(ctx, path, data)
	if errors.Is(err, fs.ErrExist) {
		current, found, err := s.Get(ctx, name)
		// Some servers refuse a second object a moment before they show the first.
		for wait := 10 * time.Millisecond; err == nil && !found && wait < 2*time.Second; wait *= 2 {
			select {
			case <-ctx.Done():
				return nil, false, ctx.Err()
			case <-time.After(wait):
			}
			current, found, err = s.Get(ctx, name)
		}
		if err == nil && !found {
			err = fmt.Errorf("store: %q was there and is gone; nothing may remove it during a run", name)
		}
		// If the answer to our own creation was lost, the content is ours.
		return current, err == nil && bytes.Equal(current, data), err
	}
	if err != nil {
		return nil, false, fmt.Errorf("store: creating %q: %w", name, err)
	}
	return data, true, nil
}

// Get returns the value stored under name, and whether there is one.
func (s Objects) Get(ctx context.Context, name string) (data []byte, found bool, err error) {
	path, err := s.path(name)
	if err != nil {
		return nil, false, err
	}
	data, err = download(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("store: reading %q: %w", name, err)
	}
	return data, true, nil
}

func download(ctx context.Context, path string) (data []byte, err error) {
	r, err := files.Open(ctx, files.Info{Name: path})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return io.ReadAll(r)
}

// CheckConditions creates one object twice, and fails if both succeed. Some services take no notice of conditions: of two
// attempts of a run, the second would then overwrite the release of the first.
func (s Objects) CheckConditions(ctx context.Context) (err error) {
	dir := files.Join(s.Dir, "conditions") // for this alone
	defer func() { err = errors.Join(err, files.RemoveAll(ctx, dir)) }()
	path := files.Join(dir, rand.Text())
	if err := files.Create(ctx, path, []byte("first")); err != nil {
		return fmt.Errorf("store: creating %q: %w", path, err)
	}
	if err := files.Create(ctx, path, []byte("second")); err == nil {
		return fmt.Errorf("store: %s overwrites an object that a request asks to create only if it does not exist; runs at once would overwrite each other's releases there: use a service that honours If-None-Match", s.Dir)
	} else if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("store: creating %q again: %w", path, err)
	}
	return nil
}

func (s Objects) path(name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	path := files.Join(s.Dir, name)
	if err := files.CheckName(path); err != nil {
		return "", fmt.Errorf("store: %w", err)
	}
	return path, nil
}
