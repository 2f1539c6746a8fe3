package jsonio

import (
	"bytes"
	"fmt"
	"io"

	"github.com/dapple-dp/dapple/io/internal/lines"
	"github.com/dapple-dp/dapple/io/internal/packed"
)

// begin returns the lines of a whole file, and takes its byte order mark off.
func begin(src io.Reader, name string) (*lines.Reader, error) {
	plain, err := packed.Open("json", src, name)
	if err != nil {
		return nil, err //nolint:wrapcheck // names format and file
	}
	l := lines.New(plain)
	if mark, _ := l.In.Peek(3); string(mark) == "\ufeff" {
		_, _ = l.In.Discard(3) // they are there
		l.At = 3
	}
	if first, _ := l.In.Peek(1); string(first) == "[" {
		return nil, fmt.Errorf("jsonio: %s: it is one JSON list; write one object a line, or turn it into Parquet, such as by duckdb -c \"COPY (FROM 'FILE.json') TO 'FILE.parquet'\"", name)
	}
	return l, nil
}

// next returns the next line that is not blank, valid until the next call; io.EOF at the end.
func next(l *lines.Reader) ([]byte, error) {
	for {
		line, err := l.Next()
		if err != nil || l.Long || len(bytes.TrimSpace(line)) > 0 {
			return line, err //nolint:wrapcheck // io.EOF is the end
		}
	}
}
