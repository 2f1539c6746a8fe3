package noise

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math/bits"
)

// Source is what samplers draw from. Wide arguments are unsigned 256-bit integers, least significant
// word first.
type Source interface {
	// Below returns a uniform integer of at least 0 and below n; n is above 0.
	Below(n uint64) uint64
	// BernExp returns true with probability exp(−p/q); q is above 0.
	BernExp(p, q uint64) bool
	// BernExpWide is BernExp for q from 1 to 2^192.
	BernExpWide(p, q [4]uint64) bool
}

// Stream is a Source of secret random numbers: the keystream of AES-256-CTR from a zero counter, as
// little-endian words. It is not for concurrent use and prints as a placeholder. Make one with
// Root.Stream.
type Stream struct {
	ctr cipher.Stream
	at  int // position in buf of the next word; bufferSize when all are used
	buf [bufferSize]byte
}

// bufferSize is 32 AES blocks: long enough for the cipher's fast path, short enough that a call that
// needs few words does not pay for many.
const bufferSize = 512

// word returns the next 64 bits.
func (s *Stream) word() uint64 {
	if s.at == bufferSize {
		clear(s.buf[:])
		s.ctr.XORKeyStream(s.buf[:], s.buf[:])
		s.at = 0
	}
	w := binary.LittleEndian.Uint64(s.buf[s.at:])
	s.at += 8
	return w
}

// maskFor returns the smallest 2^k − 1 that is at least n.
func maskFor(n uint64) uint64 { return uint64(1)<<bits.Len64(n) - 1 }

// Below returns a uniform integer of at least 0 and below n: as many random bits as n − 1 has, drawn
// again while they are n or more. Below(1) uses no randomness. It panics if n is 0.
func (s *Stream) Below(n uint64) uint64 {
	switch n {
	case 0:
		panic("noise: Below(0)")
	case 1:
		return 0
	}
	mask := maskFor(n - 1)
	for {
		if w := s.word() & mask; w < n {
			return w
		}
	}
}

// Bernoulli returns true with probability p/q, for p ≤ q and q above 0.
func (s *Stream) Bernoulli(p, q uint64) bool { return s.Below(q) < p }

// BernoulliWide is Bernoulli for 256-bit numbers. It compares a uniform number below q with p from the top word
// downwards, and draws a lower word only while the words so far leave the result open.
func (s *Stream) BernoulliWide(p, q [4]uint64) bool {
	if !wide(p).less(q) {
		return true
	}
	last := wide(q).sub(wide{1})
	top := last.topWord()
	mask := maskFor(last[top])
	for {
		if below, ok := s.below(p, last, top, mask); ok {
			return below
		}
	}
}

// below draws x of the bit length of last. It reports whether x < p, and whether x ≤ last.
func (s *Stream) below(p, last wide, top int, mask uint64) (below, ok bool) {
	tiedP, tiedLast := true, true
	for i := top; i >= 0 && (tiedP || tiedLast); i-- {
		x := s.word()
		if i == top {
			x &= mask
		}
		if tiedLast {
			if x > last[i] {
				return false, false
			}
			tiedLast = x == last[i]
		}
		if tiedP {
			below, tiedP = x < p[i], x == p[i]
		}
	}
	return below, true
}

// BernExp returns true with probability exp(−p/q). It panics if q is 0.
func (s *Stream) BernExp(p, q uint64) bool { return bernExp(s, p, q) }

// BernExpWide is BernExp for 256-bit numbers and q up to 2^192.
func (s *Stream) BernExpWide(p, q [4]uint64) bool { return bernExpWide(s, p, q) }

// String returns a placeholder.
func (*Stream) String() string { return redacted }

// GoString returns a placeholder.
func (*Stream) GoString() string { return redacted }

// Format writes a placeholder, whatever the verb.
func (*Stream) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// LogValue returns a placeholder.
func (*Stream) LogValue() slog.Value { return slog.StringValue(redacted) }
