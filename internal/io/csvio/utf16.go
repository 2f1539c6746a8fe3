package csvio

import (
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// utf16Reader turns UTF-16 into UTF-8. golang.org/x/text would replace malformed input by one character, and so merge
// two privacy IDs. Here half of a surrogate pair is written in three bytes, like any other unit, and half of a unit
// at the end unchanged after a byte 0xFF: different files stay different.
type utf16Reader struct {
	src io.Reader
	big bool

	in      [1 << 14]byte
	rest    int    // bytes of in that are left from the last block
	high    uint16 // first half of a pair; 0: none
	out     []byte // text that nobody has read yet
	written []byte // memory of out
	err     error
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		n, err := u.src.Read(u.in[u.rest:])
		u.convert(u.in[:u.rest+n])
		if err != nil {
			u.end(err)
		}
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// convert appends the text of whole units and keeps what is left of b.
func (u *utf16Reader) convert(b []byte) {
	u.written = u.written[:0]
	for ; len(b) >= 2; b = b[2:] {
		v := uint16(b[0]) | uint16(b[1])<<8
		if u.big {
			v = v<<8 | v>>8
		}
		u.unit(v)
	}
	u.rest = copy(u.in[:], b)
	u.out = u.written
}

func (u *utf16Reader) unit(v uint16) {
	if u.high != 0 {
		first := u.high
		u.high = 0
		if 0xdc00 <= v && v < 0xe000 {
			u.written = utf8.AppendRune(u.written, utf16.DecodeRune(rune(first), rune(v)))
			return
		}
		u.half(first)
	}
	switch {
	case 0xd800 <= v && v < 0xdc00:
		u.high = v
	case 0xdc00 <= v && v < 0xe000:
		u.half(v)
	default:
		u.written = utf8.AppendRune(u.written, rune(v))
	}
}

// half appends half of a pair in the form of other characters of three bytes.
func (u *utf16Reader) half(v uint16) {
	u.written = append(u.written, 0xe0|byte(v>>12), 0x80|byte(v>>6)&0x3f, 0x80|byte(v)&0x3f)
}

// end appends what has remained.
func (u *utf16Reader) end(err error) {
	u.err = err
	if !errors.Is(err, io.EOF) {
		return
	}
	if u.high != 0 {
		u.half(u.high)
		u.high = 0
	}
	if u.rest > 0 {
		u.written = append(u.written, 0xff, u.in[0])
	}
	u.out = u.written
}
