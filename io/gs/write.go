package gs

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"time"

	"cloud.google.com/go/storage"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
)

// chunk is what a Writer holds in memory and sends in one request, in bytes: a multiple of 256 KiB. Eight
// parts are written at a time.
const chunk = 4 << 20

// patience is how long one Write or Close may take, failures and repetitions included. Tests shorten it.
var patience = 2 * time.Minute

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writer writes an object. Nothing is there under its name before Close returns nil, or ever after
// Abort.
type writer struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	w      *storage.Writer
	name   string
	size   int64
	crc    uint32
	err    error // the first
}

var errAborted = errors.New("the upload was given up")

// Create begins an object that does not exist yet. Most faults show at Close, a missing bucket among
// them; fs.ErrExist is in its error if the name has been taken by another content. The object takes
// its name at Close: it is given up if ctx ends before.
func (system) Create(ctx context.Context, name string) (files.Writer, error) {
	return create(ctx, name, storage.Conditions{DoesNotExist: true})
}

// Replace is Create for a name that may be taken: the object that it has now is replaced at Close, and
// fs.ErrExist is in the error if somebody else has written it meanwhile.
func (system) Replace(ctx context.Context, name string) (files.Writer, error) {
	old, err := cloud.Stat(ctx, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return create(ctx, name, replacing(old))
}

// replacing is the condition that a name still holds an object; the zero Info means that it is free.
func replacing(old files.Info) storage.Conditions {
	if old.Version == "" {
		return storage.Conditions{DoesNotExist: true}
	}
	return storage.Conditions{GenerationMatch: generation(old)}
}

func create(ctx context.Context, name string, on storage.Conditions) (files.Writer, error) {
	h, err := object(ctx, name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	w := h.If(on).NewWriter(ctx)
	w.ChunkSize = chunk
	w.ContentType = "application/octet-stream" // else the library guesses from the content
	return &writer{ctx: ctx, cancel: cancel, w: w, name: name}, nil
}

// Write appends to the object.
func (w *writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n := 0
	w.err = w.inTime(func() (err error) { n, err = w.w.Write(p); return err })
	w.size, w.crc = w.size+int64(n), crc32.Update(w.crc, castagnoli, p[:n])
	return n, w.err
}

// Close makes the object. After an error of Write no object exists; after an error of Close one may.
func (w *writer) Close() error {
	if w.err != nil {
		w.cancel(errAborted)
		return w.err
	}
	defer w.cancel(nil)
	w.err = w.inTime(w.w.Close)
	if errors.Is(w.err, fs.ErrExist) {
		// The answer to a request of ours may have been lost: then the object is the one we wrote.
		if remote.Holds(w.ctx, cloud, w.name, w.size, w.crc) {
			w.err = nil
		}
	} else if a := w.w.Attrs(); w.err == nil && (a == nil || a.Size != w.size || a.CRC32C != w.crc) {
		w.err = fmt.Errorf("%s: the service has stored something else than was sent", w.name)
	}
	if w.err == nil {
		w.err = errClosed
		return nil
	}
	return w.err
}

var errClosed = errors.New("the object is closed")

// Abort gives the object up. It does nothing after Close.
func (w *writer) Abort() {
	w.cancel(errAborted) // closing the library's writer would commit what was written so far
	if w.err == nil {
		w.err = errAborted
	}
}

// inTime runs one call of the library, which would retry endlessly on its own.
func (w *writer) inTime(call func() error) error {
	timer := time.AfterFunc(patience, func() {
		w.cancel(remote.ErrSlow)
		// If an answer in the middle says that the object is complete, the library ignores its
		// context from then on, and a Write would never return.
		_ = w.w.CloseWithError(remote.ErrSlow) //nolint:staticcheck // canceling, which is advised instead, does not end it; never fails
	})
	defer timer.Stop()
	err := call()
	if cause := context.Cause(w.ctx); err != nil && errors.Is(cause, remote.ErrSlow) {
		err = cause
	}
	return bucketFault(w.name, err)
}

// Copy copies the given generation of an object to a name that is free, or that holds the object old
// and nothing newer; the zero Info means that it is free. If the target holds the same content
// already, there is nothing to do. fs.ErrExist is in the error if it holds something else,
// fs.ErrNotExist if the source is gone.
func (system) Copy(ctx context.Context, from files.Info, to string, old files.Info) error {
	src, err := object(ctx, from.Name)
	if err != nil {
		return err
	}
	dst, err := object(ctx, to)
	if err != nil {
		return err
	}
	copyErr := remote.Watched(ctx, func(ctx context.Context, alive func()) error {
		c := dst.If(replacing(old)).CopierFrom(src.Generation(generation(from)))
		c.ProgressFunc = func(_, _ uint64) { alive() } // a large object takes several requests
		_, err := c.Run(ctx)
		return err
	})
	if err = fault(to, copyErr); errors.Is(err, fs.ErrNotExist) {
		return fault(from.Name, copyErr)
	}
	if errors.Is(err, fs.ErrExist) && remote.Same(ctx, cloud, from, to) {
		return nil
	}
	return err
}

// Remove removes the given generation of an object. That it is gone already is no error: the answer
// to the request that removed it may have been lost. fs.ErrExist is in the error if the name holds
// another generation.
func (system) Remove(ctx context.Context, o files.Info) error {
	h, err := object(ctx, o.Name)
	if err != nil {
		return err
	}
	if o.Version != "" {
		h = h.If(storage.Conditions{GenerationMatch: generation(o)})
	}
	err = fault(o.Name, remote.Watched(ctx, func(ctx context.Context, _ func()) error { return h.Delete(ctx) }))
	if errors.Is(err, fs.ErrExist) { // of an object that is gone, the condition may be what fails
		if _, statErr := cloud.Stat(ctx, o.Name); errors.Is(statErr, fs.ErrNotExist) {
			err = nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
