// Package packed reads text files that are compressed by gzip or Zstandard.
package packed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Is reports whether the name of a file says that it is compressed.
func Is(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".gz") || strings.HasSuffix(lower, ".zst")
}

// Open returns the text of a file; the ending of its name gives the compression. Errors begin with the format.
func Open(format string, r io.Reader, name string) (io.Reader, error) {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".gz"):
		z, err := gzip.NewReader(r)
		if errors.Is(err, gzip.ErrHeader) {
			return nil, fmt.Errorf("%s: %s: the name says gzip, and the content is something else; rename the file", format, name)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %s: gzip: %w", format, name, err)
		}
		return unpacked{z}, nil
	case strings.HasSuffix(lower, ".zst"):
		// One goroutine, the reader's own: nothing is left behind if a file is not read to its end.
		b := bufio.NewReader(r)
		if mark, _ := b.Peek(4); !isStandard(mark) {
			return nil, fmt.Errorf("%s: %s: the name says Zstandard, and the content is something else; rename the file", format, name)
		}
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: zstd: %w", format, name, err)
		}
		return unpacked{z}, nil
	}
	return r, nil
}

// unpacked explains a fault that occurs while a file is decompressed.
type unpacked struct{ io.Reader }

func (p unpacked) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("what is compressed cannot be unpacked to its end (%w); is the file whole?", err)
	}
	return n, err //nolint:wrapcheck // io.EOF is the reader's own
}

// isStandard reports whether a file begins as one of Zstandard: with a frame, or one to be skipped.
func isStandard(mark []byte) bool {
	return len(mark) == 4 && (string(mark) == "\x28\xb5\x2f\xfd" || mark[0]>>4 == 5 && string(mark[1:]) == "\x2a\x4d\x18")
}
