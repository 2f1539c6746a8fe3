package parquetio

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// watched is a source that keeps the error of reading it: the library's errors do not distinguish a damaged file from
// one that could not be read.
type watched struct {
	Source
	err error
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.Source.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// faultsError joins faults into one error; nil if there are none.
func faultsError(what string, faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return errors.New("parquet: " + what + ": " + strings.Join(atMost(faults, func(n int) string { return fmt.Sprintf("and %d more like these", n) }), "\n\t"))
}

// maxFaults is the number of faults that are listed: a hostile file can have hundreds of thousands.
const maxFaults = 20

// atMost returns the first faults, and what rest says of the number of the others.
func atMost[T any](faults []T, rest func(n int) T) []T {
	if n := len(faults) - maxFaults; n > 1 {
		return append(faults[:maxFaults:maxFaults], rest(n))
	}
	return faults
}

// quoted shortens a name of a file for messages: it may have any length.
func quoted(name string) string {
	const most = 100
	if len(name) > most {
		return fmt.Sprintf("%q … (a name of %d bytes)", strings.ToValidUTF8(name[:most], ""), len(name))
	}
	return fmt.Sprintf("%q", name)
}
