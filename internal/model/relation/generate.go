package relation

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation/fakes"
)

// generated checks the generated columns; names are the names of all others.
func (p *Plan) generated(names map[string]bool) {
	for i, g := range p.d.Generated {
		switch why := domain.NameFault(g.Column); {
		case why != "":
			p.fault(Generated, i, "column %q: %s", g.Column, why)
		case names[g.Column]:
			p.fault(Generated, i, "column %q is modelled, derived or generated already; take it out of one of them", g.Column)
		case g.Column == p.d.PrivacyID && fakes.New(g.As) != nil:
			p.fault(Generated, i, "column %q: two people can have one %s; tell them apart by uuid or serial", g.Column, g.As)
		case g.As != "uuid" && g.As != "serial" && fakes.New(g.As) == nil && !strings.ContainsAny(g.As, "#?"):
			p.fault(Generated, i, "column %q: got %q; uuid, serial or a pattern is needed, such as AB-####, in which # is a digit and ? a capital letter, or one of %s", g.Column, g.As, strings.Join(fakes.Names(), ", "))
		case strings.ContainsAny(g.As, "\r\n\x00"):
			p.fault(Generated, i, "column %q: a pattern has one line", g.Column)
		}
		names[g.Column] = true
	}
}

// generate makes the keys of rows first, first + 1, …. word gives the words of the column, and person those that all columns
// of names share, so that they fit together.
func generate(g domain.Generated, rows int, first int64, word, person func(i uint64) uint64) domain.Column {
	if g.As == "serial" {
		c := domain.Column{Form: domain.Ints, Ints: make([]int64, rows)}
		for i := range c.Ints {
			c.Ints[i] = first + int64(i) + 1
		}
		return c
	}
	c := domain.Column{Form: domain.Text, Offsets: make([]uint32, 1, rows+1)}
	fake := fakes.New(g.As)
	for i := range int64(rows) {
		if fake != nil {
			c.Bytes = append(c.Bytes, fake.Make(person(uint64(first+i)+1), person(0))...)
		} else if g.As == "uuid" {
			c.Bytes = appendUUID(c.Bytes, uint64(first+i), word)
		} else {
			c.Bytes = appendPattern(c.Bytes, g.As, uint64(first+i)+1)
		}
		c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
	}
	return c
}

// RunOut says which generated keys of so many rows are no longer of their pattern: numbers that it has no room for are longer.
func RunOut(d *domain.Domain, rows int64) (notes []string) {
	for _, g := range d.Generated {
		if g.As == "serial" || g.As == "uuid" || fakes.New(g.As) != nil || g.Column == d.PrivacyID && d.Events != nil {
			continue
		}
		numbers := int64(1)
		for _, c := range g.As {
			if base := map[rune]int64{'#': 10, '?': 26}[c]; base > 0 && numbers < 1<<56 {
				numbers *= base
			}
		}
		if rows >= numbers { // the first is 1
			notes = append(notes, fmt.Sprintf("%s: %s has room for %d keys, and the %d after them are longer; lengthen the pattern under generate", g.Column, g.As, numbers-1, rows-numbers+1))
		}
	}
	return notes
}

// appendUUID appends a UUID of version 4 (RFC 9562). Its last 62 bits are a permutation of the row's number, so
// that no two rows share one; the others are a word of the row.
func appendUUID(dst []byte, row uint64, word func(i uint64) uint64) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], word(row+1))
	binary.BigEndian.PutUint64(b[8:], permuted(row, word(0)))
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.AppendEncode(make([]byte, 0, 32), b[:])
	for i, c := range text {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			dst = append(dst, '-')
		}
		dst = append(dst, c)
	}
	return dst
}

// permuted returns a permutation of the numbers below 2^62: each line of it has an inverse.
func permuted(x, key uint64) uint64 {
	const mask = 1<<62 - 1
	for range 3 {
		x = (x + key) & mask
		x = x * 0x9e3779b97f4a7c15 & mask // an odd factor
		x ^= x >> 31
	}
	return x
}

// appendPattern appends number n in the digits and letters of a pattern. The first of them takes what is left of
// a number that is too large for the pattern, in as many characters as it needs.
func appendPattern(dst []byte, pattern string, n uint64) []byte {
	start := len(dst)
	first := strings.IndexAny(pattern, "#?")
	for i := len(pattern) - 1; i >= 0; i-- {
		c, base := pattern[i], uint64(10)
		switch c {
		case '?':
			base = 26
		case '#':
		default:
			dst = append(dst, c)
			continue
		}
		dst = append(dst, symbol(n%base, base))
		for n /= base; i == first && n > 0; n /= base {
			dst = append(dst, symbol(n%base, base))
		}
	}
	slices.Reverse(dst[start:])
	return dst
}

func symbol(v, base uint64) byte {
	if base == 26 {
		return 'A' + byte(v)
	}
	return strconv.FormatUint(v, 10)[0]
}
