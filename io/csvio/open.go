package csvio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/dapple-dp/dapple/io/schema"
)

// maxRecord is how many bytes a record's cells hold at most, unless the domain file says otherwise.
const maxRecord = 4 << 20

// open returns a reader that has no columns yet and has read no record. It removes compression and encoding, and
// refuses files that are not CSV.
func open(r io.Reader, name string, opts schema.CSV) (*Reader, error) {
	comma := byte(',')
	if opts.Comma != 0 {
		comma = byte(opts.Comma)
	}
	if opts.Comma >= 0x80 || opts.Comma < 0 || strings.IndexByte("\"\r\n", comma) >= 0 {
		return nil, fmt.Errorf("csv: %s: cells cannot be separated by %q; one ASCII character is needed, and not a quote or a line end", name, opts.Comma)
	}
	limit := maxRecord
	if opts.MaxRecord > 0 {
		limit = opts.MaxRecord
	}
	plain, err := decompress(r, name)
	if err != nil {
		return nil, err
	}
	out := &Reader{name: name, opts: opts, scan: newScanner(recoded(plain, opts.Encoding), comma, limit), header: len(opts.Columns) == 0}
	out.scan.layout = opts.Trim || opts.TrimID
	out.scan.strict = opts.Strict
	if err := out.scan.begin(); err != nil {
		return nil, out.fault(err)
	}
	if why := out.scan.foreign(out.header, opts.Columns); why != "" {
		return nil, fmt.Errorf("csv: %s: %s", name, why)
	}
	return out, nil
}

// decompress returns the text of a file; the ending of its name gives the compression.
func decompress(r io.Reader, name string) (io.Reader, error) {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".gz"):
		z, err := gzip.NewReader(r)
		if errors.Is(err, gzip.ErrHeader) {
			return nil, fmt.Errorf("csv: %s: the name says gzip, and the content is something else; rename the file", name)
		} else if err != nil {
			return nil, fmt.Errorf("csv: %s: gzip: %w", name, err)
		}
		return packed{z}, nil
	case strings.HasSuffix(lower, ".zst"):
		// One goroutine, the reader's own: nothing is left behind if a file is not read to its end.
		b := bufio.NewReader(r)
		if mark, _ := b.Peek(4); !isStandard(mark) {
			return nil, fmt.Errorf("csv: %s: the name says Zstandard, and the content is something else; rename the file", name)
		}
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("csv: %s: zstd: %w", name, err)
		}
		return packed{z}, nil
	}
	return r, nil
}

// packed explains a fault that occurs while a file is decompressed.
type packed struct{ io.Reader }

func (p packed) Read(b []byte) (int, error) {
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

// begin reads the first block and drops a byte order mark.
func (s *scanner) begin() error {
	for s.end < len(s.buf) && s.fill() {
	}
	block := s.buf[:s.end]
	for _, mark := range []struct {
		bytes string
		big   bool
	}{{"\xff\xfe", false}, {"\xfe\xff", true}} {
		if bytes.HasPrefix(block, []byte(mark.bytes)) && !bytes.HasPrefix(block, []byte("\xff\xfe\x00\x00")) {
			rest := s.src
			if s.ended {
				rest = errReader{s.err}
			}
			s.src = &utf16Reader{src: io.MultiReader(bytes.NewReader(bytes.Clone(block[2:])), rest), big: mark.big}
			s.end, s.ended, s.err = 0, false, nil
			for s.end < len(s.buf) && s.fill() {
			}
			return s.err
		}
	}
	if bytes.HasPrefix(block, []byte("\ufeff")) {
		s.at = len("\ufeff")
	}
	return s.err
}

// errReader is at its end, or fails.
type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) {
	if e.err == nil {
		return 0, io.EOF
	}
	return 0, e.err
}
