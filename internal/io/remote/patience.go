package remote

import (
	"context"
	"errors"
	"io"
	"time"
)

// Stall is how long a request may wait for an answer, and a read for its next bytes, failures and repetitions
// included: a read would never return on a connection that is silent without being closed. Tests shorten it.
var Stall = 2 * time.Minute

// The errors of a service that is silent.
var (
	ErrStalled = errors.New("the service has sent nothing for a while, and the read was given up; try again later")
	ErrSlow    = errors.New("the service did not answer in time; try again later")
)

// Watched runs calls that wait for a service, and gives them up with ErrSlow if it is silent for too long: client
// libraries wait for an answer without end. alive says that one has come.
func Watched(ctx context.Context, call func(ctx context.Context, alive func()) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silent := time.AfterFunc(Stall, func() { cancel(ErrSlow) })
	defer silent.Stop()
	err := call(ctx, func() { silent.Reset(Stall) })
	if err != nil && errors.Is(context.Cause(ctx), ErrSlow) {
		return ErrSlow
	}
	return err
}

// Reader reads an object, and gives up with ErrStalled if nothing comes. Its errors do not begin with the name.
type Reader struct {
	r      io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	silent *time.Timer // runs while something is waited for
}

// Open makes a reader of what open returns.
func Open(ctx context.Context, open func(context.Context) (io.ReadCloser, error)) (*Reader, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &Reader{ctx: ctx, cancel: cancel}
	err := r.inTime(func() (err error) { r.r, err = open(ctx); return err })
	if err != nil {
		cancel(nil)
		return nil, err
	}
	return r, nil
}

func (r *Reader) Read(p []byte) (n int, err error) {
	err = r.inTime(func() (err error) { n, err = r.r.Read(p); return err })
	return n, err
}

// inTime runs one call that waits for the service. The time that the caller takes between two does not count.
func (r *Reader) inTime(call func() error) error {
	if r.silent == nil {
		r.silent = time.AfterFunc(Stall, func() { r.cancel(ErrStalled) })
	} else {
		r.silent.Reset(Stall)
	}
	defer r.silent.Stop()
	err := call()
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(r.ctx), ErrStalled) {
		return ErrStalled
	}
	return err
}

// Close ends the reading.
func (r *Reader) Close() error {
	defer r.cancel(nil)
	if err := r.r.Close(); !errors.Is(context.Cause(r.ctx), ErrStalled) {
		return err
	}
	return nil // that the connection was given up has been said
}
