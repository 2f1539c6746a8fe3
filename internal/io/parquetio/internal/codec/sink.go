package codec

import (
	"fmt"
	"io"
)

// sink is a destination that keeps its first error: every later write of such a file must fail too.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	s.err = err
	return n, err
}

// Protect runs f and turns a panic of the Parquet library into an error.
func Protect(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			// The library's panic texts can quote cells: they are dropped.
			err = fmt.Errorf("parquet: %s: the file cannot be processed", what)
		}
	}()
	return f()
}
