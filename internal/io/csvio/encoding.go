package csvio

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/io/schema"
)

// marks are the byte order marks, each with the encoding of what follows it.
var marks = []struct{ bytes, encoding string }{
	{"\ufeff", ""}, {"\xff\xfe", schema.UTF16LE}, {"\xfe\xff", schema.UTF16BE},
}

const utf32 = "\xff\xfe\x00\x00" // the mark of UTF-32, which begins as one of UTF-16 does

// recoded returns the text of a file in UTF-8. Before a header line, a byte order mark says what follows, and else the
// encoding that is declared. A file without one begins with a record, which decides nothing: its encoding and
// whether it has a mark are declared, and the mark's bytes are skipped, whatever they are.
func recoded(r io.Reader, opts schema.CSV) io.Reader {
	b, encoding, mark := bufio.NewReaderSize(r, 1<<14), opts.Encoding, 0
	switch {
	case len(opts.Columns) == 0:
		encoding, mark = marked(b, encoding)
	case opts.Mark:
		mark = len(markOf(encoding))
	}
	_, _ = b.Discard(mark) // an error comes again
	switch encoding {
	case schema.Windows1252:
		return &latinReader{src: b}
	case schema.UTF16LE, schema.UTF16BE:
		return &utf16Reader{src: b, big: encoding == schema.UTF16BE}
	}
	return b
}

// marked returns the encoding of a file with a header line, and the length of the byte order mark before it.
func marked(b *bufio.Reader, declared string) (encoding string, length int) {
	first, _ := b.Peek(len(utf32))
	for _, m := range marks {
		if bytes.HasPrefix(first, []byte(m.bytes)) && string(first) != utf32 {
			return m.encoding, len(m.bytes)
		}
	}
	return declared, 0
}

// markOf returns the byte order mark of an encoding; Windows-1252 has none.
func markOf(encoding string) string {
	for _, m := range marks {
		if m.encoding == encoding {
			return m.bytes
		}
	}
	return ""
}

// encoding guesses from the first lines of a file how it is encoded; "" is UTF-8.
func (s *scanner) encoding() string {
	block := s.buf[s.at:s.end]
	if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
		block = block[:i]
	}
	return encodingOf(block)
}

func encodingOf(block []byte) string {
	if utf8.Valid(block) {
		return ""
	}
	return schema.Windows1252
}
