package csvio

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/packed"
	"github.com/dapple-dp/dapple/internal/io/schema"
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
	plain, err := packed.Open("csv", r, name)
	if err != nil {
		return nil, err
	}
	out := &Reader{name: name, opts: opts, scan: newScanner(recoded(plain, opts), comma, limit), header: len(opts.Columns) == 0}
	out.scan.layout = opts.Trim || opts.TrimID
	out.scan.strict, out.scan.escape = opts.Strict, opts.Escape
	if !out.header {
		return out, nil // the file begins with a record, which decides nothing
	}
	if out.scan.begin(); out.scan.err != nil {
		return nil, out.fault(out.scan.err)
	}
	line := out.scan.headerLine()
	why := foreign(line)
	if bytes.HasPrefix(line, []byte("sep=")) && len(line) <= len("sep=;;") {
		why = "its first line is Excel's sep=, which names the separator; remove that line, and write csv: {comma: …} in the domain file"
	}
	if why != "" {
		return nil, fmt.Errorf("csv: %s: %s", name, why)
	}
	return out, nil
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
