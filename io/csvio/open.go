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
// refuses a file whose header line shows that it is not CSV.
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
	out := &Reader{name: name, opts: opts, scan: newScanner(recoded(plain, opts), comma, limit), header: len(opts.Columns) == 0}
	out.scan.layout = opts.Trim || opts.TrimID
	out.scan.strict = opts.Strict
	if !out.header {
		return out, nil // the file begins with a record, which decides nothing
	}
	if out.scan.begin(); out.scan.err != nil {
		return nil, out.fault(out.scan.err)
	}
	if why := foreign(out.scan.headerLine()); why != "" {
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

// begin reads the first block.
func (s *scanner) begin() {
	for s.end < len(s.buf) && s.fill() {
	}
}

// headerLine returns the header line as far as the block shows it: to the first LF, or to a CR outside quotes that is no
// part of a line end. The records behind it are not looked at.
func (s *scanner) headerLine() []byte {
	block := bytes.TrimLeft(s.buf[s.at:s.end], "\r\n")
	if end := bytes.IndexByte(block, '\n'); end >= 0 {
		block = block[:end+1]
	}
	quoted, may := false, true // a quote may be one here
	for i, c := range block {
		switch {
		case c == '"' && (quoted || may):
			quoted, may = !quoted, quoted
		case c == s.comma || s.layout && may && !quoted && c == ' ':
			may = true
		case c == '\r' && !quoted && !bytes.HasPrefix(block[i+1:], []byte{'\n'}):
			return block[:i+1]
		default:
			may = false
		}
	}
	return bytes.TrimRight(block, "\r\n")
}
