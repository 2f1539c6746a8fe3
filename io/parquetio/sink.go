package parquetio

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// sink is a destination that keeps its first error: pqarrow drops write errors at row group boundaries,
// and every later write of such a file must fail too. It has no Close, which pqarrow would call.
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

// protect runs f and turns a panic of the Parquet library into an error.
func protect(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			// The library's panic texts can quote cells: they are dropped.
			err = fmt.Errorf("parquet: %s: the file cannot be processed", what)
		}
	}()
	return f()
}

// faultsError joins faults into one error; nil if there are none.
func faultsError(what string, faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return errors.New("parquet: " + what + ": " + strings.Join(faults, "\n\t"))
}
