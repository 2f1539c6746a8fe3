package noise

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
)

// SeedSize is the number of secret bytes of a Seed.
const SeedSize = 32

// Seed is the secret that all noise of a run is derived from. Anyone who holds it can subtract the noise.
// It prints as a placeholder; the zero Seed is unusable.
//
// A Seed prints as a placeholder even if it is an unexported field of somebody else's struct, which
// fmt prints by reflection, without calling methods: see hidden.
type Seed struct{ secret hidden }

// hidden is 32 bytes behind two pointers. fmt follows one pointer in some cases (a verb that does not
// suit a field is one), but prints a pointer to a pointer as an address always.
type hidden **[32]byte

func hide(b [32]byte) hidden {
	p := &b
	return &p
}

// redacted is all that a secret ever prints as.
const redacted = "noise: redacted"

// NewSeed draws a seed from the operating system. The program ends if that has no randomness to give.
func NewSeed() Seed {
	var b [SeedSize]byte
	rand.Read(b[:])
	return Seed{hide(b)}
}

// SeedFromBytes makes a seed of exactly 32 bytes, not all of them zero: bytes that went through a
// coder that dropped them arrive as zeros.
func SeedFromBytes(b []byte) (Seed, error) {
	if len(b) != SeedSize {
		return Seed{}, fmt.Errorf("noise: a seed of %d bytes: want %d", len(b), SeedSize)
	}
	secret := [SeedSize]byte(b)
	if secret == [SeedSize]byte{} {
		return Seed{}, errors.New("noise: a seed of zeros: it was never drawn or did not survive its coder")
	}
	return Seed{hide(secret)}, nil
}

// Reveal returns a copy of the secret bytes. It is for the coder that carries a seed between workers
// of one run, and nothing else. It panics on the zero Seed.
func (s Seed) Reveal() []byte {
	if s.secret == nil {
		panic("noise: the zero Seed has no bytes")
	}
	return append([]byte(nil), (*s.secret)[:]...)
}

// Usable reports whether s holds a secret: only the zero Seed does not.
func (s Seed) Usable() bool { return s.secret != nil }

// String returns a placeholder.
func (Seed) String() string { return redacted }

// GoString returns a placeholder.
func (Seed) GoString() string { return redacted }

// Format writes a placeholder, whatever the verb.
func (Seed) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// LogValue returns a placeholder.
func (Seed) LogValue() slog.Value { return slog.StringValue(redacted) }
