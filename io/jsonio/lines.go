package jsonio

import (
	"bytes"
	"io"

	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/io/packed"
)

// begin returns the lines of a whole file. It looks at no record: one that is odd decides nothing for the others.
func begin(src io.Reader, name string) (*lines.Reader, error) {
	plain, err := packed.Open("json", src, name)
	if err != nil {
		return nil, err //nolint:wrapcheck // names format and file
	}
	return lines.New(plain), nil
}

// next returns the next line that is not blank, without a byte order mark before it, valid until the next call; io.EOF at
// the end. Every line may have a mark: taken off the first line alone, it would tell the first record from the others.
func next(l *lines.Reader) ([]byte, error) {
	for {
		line, err := l.Next()
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		if err != nil || l.Long || len(bytes.TrimSpace(line)) > 0 {
			return line, err //nolint:wrapcheck // io.EOF is the end
		}
	}
}
