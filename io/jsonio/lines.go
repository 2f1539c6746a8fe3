package jsonio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/dapple-dp/dapple/io/internal/packed"
)

const (
	maxLine = 16 << 20 // bytes of a line; a longer one is not kept
	window  = 1 << 20  // bytes that are read at a time, as much as one request fetches of an object
)

// lines splits a text into lines. It keeps one of them in memory.
type lines struct {
	r    *bufio.Reader
	at   int64 // where the next line begins
	end  int64 // a line that begins here or later is of another part
	n    int   // number of the last line, from 1
	buf  []byte
	long bool // the last line is longer than maxLine, and not kept
}

// begin returns the lines of a whole file, and takes its byte order mark off.
func begin(src io.Reader, name string) (*lines, error) {
	plain, err := packed.Open("json", src, name)
	if err != nil {
		return nil, err //nolint:wrapcheck // names format and file
	}
	l := &lines{r: bufio.NewReaderSize(plain, window), end: math.MaxInt64}
	if mark, _ := l.r.Peek(3); string(mark) == "\ufeff" {
		_, _ = l.r.Discard(3) // they are there
		l.at = 3
	}
	if first, _ := l.r.Peek(1); string(first) == "[" {
		return nil, fmt.Errorf("jsonio: %s: it is one JSON list; write one object a line, or turn it into Parquet, such as by duckdb -c \"COPY (FROM 'FILE.json') TO 'FILE.parquet'\"", name)
	}
	return l, nil
}

// next returns the next line that is not blank, without its end, valid until the next call; io.EOF at the end.
func (l *lines) next() ([]byte, error) {
	for l.at < l.end {
		l.buf, l.long = l.buf[:0], false
		l.n++
		for {
			piece, err := l.r.ReadSlice('\n')
			l.at += int64(len(piece))
			if len(l.buf)+len(piece) > maxLine {
				l.buf, l.long = l.buf[:0], true
			}
			if !l.long {
				l.buf = append(l.buf, piece...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && (!errors.Is(err, io.EOF) || len(l.buf) == 0 && !l.long) {
				return nil, err //nolint:wrapcheck // io.EOF is the end
			}
			break
		}
		if l.long || len(bytes.TrimSpace(l.buf)) > 0 {
			return l.buf, nil
		}
	}
	return nil, io.EOF
}

// skip passes over the rest of a line.
func (l *lines) skip() {
	for {
		piece, err := l.r.ReadSlice('\n')
		l.at += int64(len(piece))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return // what is wrong, next meets again
		}
	}
}
