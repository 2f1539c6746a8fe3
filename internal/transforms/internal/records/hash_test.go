package records

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Rows are ordered as bytes are, whatever their width.
func TestHead(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for width := 1; width < 12; width++ {
		for range 200 {
			a, b := make([]byte, width), make([]byte, width)
			for i := range a {
				a[i], b[i] = byte(254+rng.IntN(4)), byte(254+rng.IntN(4))
			}
			d := cmp.Compare(head(a), head(b))
			must.Need(t, (d == 0 || d == bytes.Compare(a, b)) && (d != 0 || bytes.Equal(a[:min(width, 8)], b[:min(width, 8)])), "%x and %x compare as %d", a, b, d)
		}
	}
}

// Shards and orders must be the same in every process and release: pinned values.
func TestHashIsFixed(t *testing.T) {
	for id, want := range map[string]uint64{
		"": 0x34d2fe82daccaea6, "person-1": 0xd834fda64bbf2bac, "a privacy ID of several words": 0xa0ec0ed2c1f17c00,
	} {
		must.Equal(t, Hash([]byte(id)), want, "hash of %q", id)
	}
}

// What is left of an ID behind its last 8 bytes is the number whose byte i is the i-th of least.
func TestTail(t *testing.T) {
	for n := range 8 {
		b, want := make([]byte, n), uint64(0)
		for i := range b {
			b[i] = byte(0xf1 - 17*i)
			want |= uint64(b[i]) << (8 * i)
		}
		must.Equal(t, tail(b), want, "%d bytes", n)
	}
}
