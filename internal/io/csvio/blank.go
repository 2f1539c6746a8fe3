package csvio

import (
	"unicode"
	"unicode/utf8"
)

// blanks skips blanks, and reports whether there were any.
func (s *scanner) blanks() (any bool) {
	for {
		c, ok := s.peek(0)
		if !ok || c == '\n' || c == s.comma || c == '\r' && s.endsLine() {
			return any
		}
		size := 1
		if r := rune(c); r >= utf8.RuneSelf {
			for !utf8.FullRune(s.buf[s.at:s.end]) && s.fill() {
			}
			r, size = utf8.DecodeRune(s.buf[s.at:s.end])
			if !unicode.IsSpace(r) {
				return any
			}
		} else if !unicode.IsSpace(r) {
			return any
		}
		s.at += size
		any = true
	}
}

// endsLine reports whether the CR at the current position is part of a line end.
func (s *scanner) endsLine() bool {
	next, ok := s.peek(1)
	return !ok || next == '\n'
}
