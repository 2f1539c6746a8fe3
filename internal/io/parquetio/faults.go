package parquetio

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
)

// watched is a source that keeps the error of reading it: the library's errors do not distinguish a damaged file from
// one that could not be read.
type watched struct {
	Source
	err atomic.Pointer[error]
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.Source.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err.Store(&err)
	}
	return n, err
}

// quoted shortens a name of a file for messages: it may have any length.
func quoted(name string) string {
	const most = 100
	if len(name) > most {
		return fmt.Sprintf("%q … (a name of %d bytes)", strings.ToValidUTF8(name[:most], ""), len(name))
	}
	return fmt.Sprintf("%q", name)
}
