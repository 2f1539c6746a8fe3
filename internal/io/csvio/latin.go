package csvio

import (
	"bufio"
	"errors"
	"unicode/utf8"
)

// high are the characters of bytes 0x80 to 0x9F in Windows-1252. Five bytes have none; they stand for the control
// characters of ISO 8859-1, so that different files stay different. golang.org/x/text makes one character of the five.
var high = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

// latinReader turns Windows-1252 into UTF-8.
type latinReader struct {
	src     *bufio.Reader
	out     []byte // text that nobody has read yet
	written []byte // memory of out
}

func (l *latinReader) Read(p []byte) (int, error) {
	if len(l.out) == 0 {
		if _, err := l.src.Peek(1); err != nil {
			return 0, err //nolint:wrapcheck // io.EOF is the reader's own
		}
		in, _ := l.src.Peek(l.src.Buffered())
		l.written = l.written[:0]
		for _, c := range in {
			switch {
			case c < utf8.RuneSelf:
				l.written = append(l.written, c)
			case c < 0xa0:
				l.written = utf8.AppendRune(l.written, high[c-0x80])
			default:
				l.written = utf8.AppendRune(l.written, rune(c))
			}
		}
		l.out = l.written
		if _, err := l.src.Discard(len(in)); err != nil {
			return 0, errors.New("a buffer lost what it held")
		}
	}
	n := copy(p, l.out)
	l.out = l.out[n:]
	return n, nil
}
