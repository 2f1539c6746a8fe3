// Package lines cuts a stream into lines, and keeps one of them in memory, of bounded length.
package lines

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"strings"
)

const (
	// Most bytes has a line that is kept.
	Most = 16 << 20
	// Window is how many bytes are read at a time, as much as one request fetches of an object.
	Window = 1 << 20
)

// Reader reads lines.
type Reader struct {
	In     *bufio.Reader
	At     int64 // where the next line begins
	End    int64 // a line that begins here or later is of another part
	Number int   // of the last line, from 1
	Long   bool  // the last line has more than Most bytes, and is not kept

	line []byte
}

// New returns the lines of r to its end.
func New(r io.Reader) *Reader {
	return &Reader{In: bufio.NewReaderSize(r, Window), End: math.MaxInt64}
}

// Next returns the next line with its end, valid until the next call; the last line may have no end. It returns io.EOF
// behind it.
func (l *Reader) Next() ([]byte, error) {
	if l.At >= l.End {
		return nil, io.EOF
	}
	l.line, l.Long = l.line[:0], false
	for {
		piece, err := l.In.ReadSlice('\n')
		l.At += int64(len(piece))
		if len(l.line)+len(piece) > Most {
			l.line, l.Long = l.line[:0], true
		}
		if !l.Long {
			l.line = append(l.line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(l.line) == 0 && !l.Long) {
			return nil, err //nolint:wrapcheck // io.EOF is the end
		}
		l.Number++
		return l.line, nil
	}
}

// Skip passes over the rest of a line, and does not number it.
func (l *Reader) Skip() {
	for {
		piece, err := l.In.ReadSlice('\n')
		l.At += int64(len(piece))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return // what is wrong, Next meets again
		}
	}
}

// HashedID begins what stands for a privacy ID that is longer than a record may be, before its SHA-256. An ID that begins
// with it is hashed too, so that two IDs never become one. A long ID is not NULL: records without an ID are a person each.
const HashedID = "\x00SHA-256 of a long ID\x00"

// AppendHashed appends what stands for an ID, by its SHA-256.
func AppendHashed(dst, sum []byte) []byte { return append(append(dst, HashedID...), sum...) }

// ID returns what stands for an ID.
func ID(text string) string {
	if len(text) <= Most && !strings.HasPrefix(text, HashedID) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return string(AppendHashed(nil, sum[:]))
}
