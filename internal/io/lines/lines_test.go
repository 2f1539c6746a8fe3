package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Lines have their ends, and one that is too long leaves the next ones whole.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", Most)
	l := New(iotest.HalfReader(strings.NewReader("a\n\n" + long + "\nb\n" + long[1:] + "\nend")))
	for i, want := range []string{"a\n", "\n", "", "b\n", long[1:] + "\n", "end"} {
		got, err := l.Next()
		must.Hold(t, string(got) == want && err == nil && l.Long == (i == 2) && l.Number == i+1,
			"line %d: %d bytes, want %d; long %v, number %d, %v", i+1, len(got), len(want), l.Long, l.Number, err)
	}
	_, err := l.Next()
	must.Hold(t, errors.Is(err, io.EOF), "%v", err)
}

// Every line is of one part: the one that it begins in.
func TestParts(t *testing.T) {
	text := "one\ntwo\n\nthree\n4\nfive"
	for cut := 1; cut < len(text); cut++ {
		var got []string
		for _, from := range []int{0, cut} {
			l := New(strings.NewReader(text[max(from-1, 0):]))
			if l.End = int64(cut); from > 0 {
				l.At, l.End = int64(from-1), int64(len(text))
				l.Skip()
			}
			for {
				line, err := l.Next()
				if err != nil {
					break
				}
				got = append(got, string(line))
			}
		}
		must.Hold(t, strings.Join(got, "") == text && len(got) == 6, "cut at %d: %q", cut, got)
	}
}

// What goes wrong in the middle is no end.
func TestBroken(t *testing.T) {
	l := New(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	must.Passes(l.Next())(t)
	_, err := l.Next()
	must.Hold(t, errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
}
