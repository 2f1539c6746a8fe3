package csvio

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"unicode"
	"unicode/utf8"
)

// scanner splits a stream into records and cells, by the grammar of the package comment. It holds a window of the
// stream, which grows up to a limit for a cell that is needed whole.
type scanner struct {
	src    io.Reader
	comma  byte
	escape bool // a backslash takes the byte after it literally
	layout bool // blanks around the quotes of a cell are not part of it
	one    bool // a record has one cell, so that a blank line is a record
	strict bool // look for quotes that stand for themselves
	limit  int  // bytes of the longest cell that is kept
	whole  bool // stop at a longer cell

	buf    []byte
	start  int // of the cell
	from   int // of what is in quotes
	to     int // where that ends
	at     int // what is looked at next
	end    int // of what has been read
	inside bool
	ended  bool
	err    error // of src, or errOpen

	line int // of at, from 1

	// The cell that next has read, valid until the next call.
	keep  keep
	text  []byte // without its quotes
	raw   []byte // as it is in the file
	outer bool   // there are blanks around its quotes
	stray bool   // in strict mode: a quote stands for itself
	long  bool   // longer than limit: there is no raw, and text is a hash if one is wanted
	sum   hash.Hash
	undo  []byte // memory of a text with doubled quotes or escapes
}

// keep is what is needed of a cell.
type keep uint8

const (
	nothing keep = iota
	theText
	orItsHash // the text, or the hash of one that is longer than the limit
)

var errOpen = errors.New("a quote opens a cell and never closes")

const window = 1 << 16 // bytes that are read at a time

func newScanner(src io.Reader, comma byte, limit int) *scanner {
	return &scanner{src: src, comma: comma, limit: limit, buf: make([]byte, window), line: 1}
}

// record turns to the next record, and reports whether there is one.
func (s *scanner) record() bool {
	for {
		s.keep, s.start = theText, s.at
		c, ok := s.peek(0)
		if !ok || s.one {
			return ok
		}
		switch c {
		case '\n':
			s.at++
		case '\r':
			if !s.endsLine() {
				return true
			}
			s.at = min(s.at+2, s.end)
		default:
			return true
		}
		s.line++
	}
}

// next reads a cell of the record, and reports whether another one follows.
func (s *scanner) next(k keep) (more bool) {
	s.keep, s.start, s.long, s.outer, s.stray = k, s.at, false, false, false
	if s.layout && (s.at == s.end || !visible(s.buf[s.at])) {
		s.blanks()
	}
	if s.at == s.end {
		s.fill()
	}
	if s.at < s.end && s.buf[s.at] == '"' {
		return s.quoted()
	}
	return s.bare()
}

// bare reads to the next separator or line end.
func (s *scanner) bare() (more bool) {
	for s.escape {
		c, ok := s.peek(0)
		switch {
		case !ok || c == s.comma || c == '\n':
			return s.finish()
		case c == '\\':
			s.skip()
		}
		s.at++
	}
	for {
		comma, buf := s.comma, s.buf[:s.end]
		for i := s.at; i < len(buf); i++ {
			if c := buf[i]; c == comma || c == '\n' {
				s.at = i
				return s.finish()
			}
		}
		s.at = s.end
		if !s.fill() {
			return s.finish()
		}
	}
}

// skip goes from a backslash to the byte that it makes literal: of CR LF, the second. It stays at the end of the stream.
func (s *scanner) skip() {
	c, ok := s.peek(1)
	if !ok {
		return
	}
	s.at++
	if c == '\r' && s.endsLine() {
		if next, ok := s.peek(1); ok && next == '\n' {
			s.at, c = s.at+1, next
		}
	}
	if c == '\n' && !s.inside { // lines of what is in quotes are counted at its end
		s.line++
	}
}

// finish ends a cell without quotes, at a separator, a line end, or the end of the stream.
func (s *scanner) finish() (more bool) {
	stop := s.at
	more = stop < s.end && s.buf[stop] == s.comma
	if !more {
		s.line++
		if stop > s.start && s.buf[stop-1] == '\r' {
			stop--
		}
	}
	s.raw = s.buf[s.start:stop]
	if s.text = s.raw; s.escape {
		s.text = s.literal(s.raw, false)
	}
	s.at = min(s.at+1, s.end)
	s.stray = s.strict && bytes.Count(s.raw, []byte{'"'}) > s.escapes(s.raw)
	s.measure()
	return more
}

// quoted reads a cell that begins with a quote.
func (s *scanner) quoted() (more bool) {
	s.outer = s.at > s.start
	s.at++
	s.from, s.inside = s.at, true
	doubled := false
	for {
		i := bytes.IndexByte(s.buf[s.at:s.end], '"')
		if s.escape {
			if at := bytes.IndexByte(s.buf[s.at:s.end], '\\'); at >= 0 && (i < 0 || at < i) {
				s.at += at
				s.skip()
				s.at++
				continue
			}
		}
		if i < 0 {
			s.at = s.end
			if s.fill() {
				continue
			}
			if s.err == nil {
				s.err = errOpen
			}
			return false
		}
		s.at += i + 1
		if c, ok := s.peek(0); !ok || c != '"' {
			break
		}
		doubled = true
		s.at++
	}
	s.to = s.at - 1
	if s.layout && s.blanks() {
		s.outer = true
	}
	c, ok := s.peek(0)
	cr := 0
	if ok && c == '\r' && s.endsLine() {
		cr = 1
		c, ok = s.peek(1)
	}
	s.line += bytes.Count(s.buf[s.start:s.at], []byte{'\n'})
	s.inside = false
	if ok && c != s.comma && c != '\n' {
		s.outer = false
		return s.bare() // none of its quotes is one
	}
	s.raw = s.buf[s.start:s.at]
	s.at = min(s.at+cr+1, s.end)
	more = ok && c == s.comma
	if !more {
		s.line++
	}
	if !s.long {
		s.text = s.buf[s.from:s.to]
		if doubled || s.escape {
			s.text = s.literal(s.text, doubled)
		}
	}
	s.measure()
	return more
}

// literal returns a text with one quote for each two, if they are doubled, and without the backslashes that make a quote, a
// separator, a line end or a backslash literal. Before another byte, as in \N, a backslash is a byte like others.
func (s *scanner) literal(b []byte, doubled bool) []byte {
	if !doubled && bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	s.undo = s.undo[:0]
	for i := 0; i < len(b); i++ {
		if i+1 < len(b) {
			switch next := b[i+1]; {
			case b[i] == '"' && next == '"' && doubled,
				b[i] == '\\' && s.escape && (next == '\\' || next == '"' || next == s.comma || next == '\n' || next == '\r'):
				i++
			}
		}
		s.undo = append(s.undo, b[i])
	}
	return s.undo
}

// escapes counts the quotes of a text that a backslash makes literal.
func (s *scanner) escapes(b []byte) int {
	if !s.escape {
		return 0
	}
	return bytes.Count(b, []byte(`\"`))
}

// measure switches to hashing a long cell if its hash is needed.
func (s *scanner) measure() {
	if len(s.raw) > s.limit {
		s.isLong()
	}
	if !s.long {
		return
	}
	s.text = nil
	if s.keep == orItsHash {
		s.sum.Write(s.raw)
		s.text = s.sum.Sum(nil)
	}
	s.raw = nil
}

func (s *scanner) isLong() {
	if !s.long && s.keep == orItsHash {
		s.sum = sha256.New()
	}
	s.long = true
}

// peek returns the byte n after the current position.
func (s *scanner) peek(n int) (byte, bool) {
	for s.at+n >= s.end {
		if !s.fill() {
			return 0, false
		}
	}
	return s.buf[s.at+n], true
}

// fill reads more, and reports whether there was any. Positions may change.
func (s *scanner) fill() bool {
	if s.ended {
		return false
	}
	if s.end == len(s.buf) {
		if s.makeRoom(); s.ended {
			return false
		}
	}
	for range 100 {
		n, err := s.src.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.ended = true
			if !errors.Is(err, io.EOF) {
				s.err = err
			}
		}
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.ended, s.err = true, io.ErrNoProgress
	return false
}

// makeRoom moves the cell to the beginning of the buffer. If the cell fills it, the buffer grows or the beginning of
// the cell is dropped.
func (s *scanner) makeRoom() {
	to := s.buf
	if s.start == 0 {
		if room := s.limit + window; s.keep != nothing && len(s.buf) < room {
			to = make([]byte, min(2*len(s.buf), room))
		} else {
			s.letGo()
		}
	}
	copy(to, s.buf[s.start:s.end])
	s.from, s.to, s.at, s.end = s.from-s.start, s.to-s.start, s.at-s.start, s.end-s.start
	s.buf, s.start = to, 0
}

// letGo drops all of the cell but its last byte, which may belong to a line end.
func (s *scanner) letGo() {
	gone := s.buf[s.start : s.at-1]
	s.isLong()
	s.ended = s.whole
	if s.keep == orItsHash {
		s.sum.Write(gone)
	}
	if s.inside {
		s.line += bytes.Count(gone, []byte{'\n'})
	}
	s.start = s.at - 1
}

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
