package store_test

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/store"
	"github.com/dapple-dp/dapple/io/files"
)

// late refuses to create an object that is there, and shows it only when it has been asked so often.
type late struct {
	files.System
	unseen int
}

func (*late) CheckName(string) error { return nil }

func (*late) Create(context.Context, string) (files.Writer, error) { return nil, fs.ErrExist }

func (l *late) Open(context.Context, files.Info, int64, int64) (io.ReadCloser, error) {
	if l.unseen--; l.unseen >= 0 {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader("first")), nil
}

// An object that a server does not show yet, but refuses to create again, is read when it is shown.
func TestObjectIsShownLate(t *testing.T) {
	l := &late{unseen: 4}
	files.Register("late", l)
	current, created, err := store.Objects{Dir: "late://bucket"}.CreateIfAbsent(t.Context(), "name", []byte("second"))
	if err != nil || created || string(current) != "first" {
		t.Errorf("%q, %t, %v; want the first, not created", current, created, err)
	}
}
