package store_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/testkit/must"
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
	must.Hold(t, err == nil && !created && string(current) == "first", "%q, %t, %v; want the first, not created", current, created, err)
}

// heedless is a service that keeps objects, and takes notice of conditions or not.
type heedless struct {
	files.System
	honours bool
	objects map[string][]byte
}

func (*heedless) CheckName(string) error { return nil }

func (h *heedless) Create(_ context.Context, name string) (files.Writer, error) {
	return &heedlessWriter{h: h, name: name}, nil
}

func (h *heedless) List(context.Context, string) (list []files.Info, err error) {
	for name := range h.objects {
		list = append(list, files.Info{Name: name})
	}
	return list, nil
}

func (h *heedless) Remove(_ context.Context, f files.Info) error {
	delete(h.objects, f.Name)
	return nil
}

type heedlessWriter struct {
	bytes.Buffer
	h    *heedless
	name string
}

func (w *heedlessWriter) Close() error {
	if _, found := w.h.objects[w.name]; found && w.h.honours {
		return fs.ErrExist
	}
	w.h.objects[w.name] = w.Bytes()
	return nil
}

func (*heedlessWriter) Abort() {}

// A service that overwrites what was to be created only once is found before anything is spent. Nothing is left behind.
func TestServiceIgnoresConditions(t *testing.T) {
	for scheme, honours := range map[string]bool{"honours": true, "ignores": false} {
		h := &heedless{honours: honours, objects: map[string][]byte{}}
		files.Register(scheme, h)
		err := store.Objects{Dir: scheme + "://bucket"}.CheckConditions(t.Context())
		must.Hold(t, (err == nil) == honours && (honours || strings.Contains(err.Error(), "use a service that honours If-None-Match")), "%s: error %v", scheme, err)
		must.Hold(t, len(h.objects) == 0, "%s: objects are left: %v", scheme, h.objects)
	}
}
