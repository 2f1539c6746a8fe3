package mechanism

import (
	"crypto/sha256"

	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// Seed is the secret that all noise of a run is derived from: 32 bytes, printed as a placeholder. Anyone who holds it can
// subtract the noise. Its method Reveal is for the coder that carries it between workers. The zero Seed is unusable.
type Seed = noise.Seed

// NewSeed draws a seed from the operating system. The program ends if that has no randomness to give.
func NewSeed() Seed { return noise.NewSeed() }

// SeedFromBytes makes a seed of exactly 32 bytes, not all of them zero: bytes that went through a coder that dropped them
// arrive as zeros.
func SeedFromBytes(b []byte) (Seed, error) { return noise.SeedFromBytes(b) }

// Root is the key that all streams of one run are derived from.
type Root = noise.Root

// NewRoot binds a seed to one configuration and one table of exact statistics, by their SHA-256 digests: a retry on the
// same two repeats its noise, and a retry on others draws fresh noise.
func NewRoot(seed Seed, config, statistics [sha256.Size]byte) Root {
	return noise.NewRoot(seed, config, statistics)
}
