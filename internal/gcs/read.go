package gcs

import (
	"context"
	"errors"
	"io"
	"time"

	"cloud.google.com/go/storage"

	"github.com/dapple-dp/dapple/io/files"
)

// stall is how long a request may wait for an answer, and a read for its next bytes, failures and
// repetitions included: a read would never return on a connection that is silent without being closed.
// Tests shorten it.
var stall = 2 * time.Minute

// errStalled ends a read whose connection brings nothing more.
var errStalled = errors.New("the service has sent nothing for a while, and the read was given up; try again later")

// Open reads length bytes of an object from offset; a length below 0 means up to its end. It is an
// error, fs.ErrNotExist, if the object has been replaced or removed since o was looked at.
func (System) Open(ctx context.Context, o files.Info, offset, length int64) (io.ReadCloser, error) {
	h, err := object(ctx, o.Name)
	if err != nil {
		return nil, err
	}
	if o.Version != "" {
		h = h.Generation(generation(o))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r := &reader{ctx: ctx, cancel: cancel}
	err = r.inTime(func() (err error) { r.r, err = h.NewRangeReader(ctx, offset, length); return err })
	if err != nil {
		cancel(nil)
		return nil, fault(o.Name, err)
	}
	return r, nil
}

// reader reads an object, and gives up if nothing comes. Its errors do not begin with the name.
type reader struct {
	r      *storage.Reader
	ctx    context.Context
	cancel context.CancelCauseFunc
	silent *time.Timer // runs while something is waited for
}

func (r *reader) Read(p []byte) (n int, err error) {
	err = r.inTime(func() (err error) { n, err = r.r.Read(p); return err })
	return n, err
}

// inTime runs one call that waits for the service. The time that the caller takes between two does not
// count.
func (r *reader) inTime(call func() error) error {
	if r.silent == nil {
		r.silent = time.AfterFunc(stall, func() { r.cancel(errStalled) })
	} else {
		r.silent.Reset(stall)
	}
	defer r.silent.Stop()
	err := call()
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(r.ctx), errStalled) {
		return errStalled
	}
	return err
}

func (r *reader) Close() error {
	defer r.cancel(nil)
	if err := r.r.Close(); !errors.Is(context.Cause(r.ctx), errStalled) {
		return err
	}
	return nil // that the connection was given up has been said
}
