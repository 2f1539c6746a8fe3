package noise

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
)

// Root is the key that all streams of one run are derived from: a seed bound to one configuration and
// one table of exact statistics. It prints as a placeholder.
type Root struct{ key hidden }

// NewRoot returns HMAC-SHA-256(seed, "dapple/v1" ‖ config ‖ statistics), where config and statistics
// are SHA-256 digests of the run's configuration and of its canonical exact counts. It panics on the
// zero Seed.
func NewRoot(seed Seed, config, statistics [sha256.Size]byte) Root {
	if !seed.Usable() {
		panic("noise: a root needs a usable seed")
	}
	mac := hmac.New(sha256.New, (*seed.secret)[:])
	mac.Write([]byte("dapple/v1"))
	mac.Write(config[:])
	mac.Write(statistics[:])
	return Root{hide([sha256.Size]byte(mac.Sum(nil)))}
}

// Stream returns the stream of one call. inputs is the digest of every integer that enters the call,
// private and public (see Inputs). The key is HKDF-Expand of the root with the information
// len(stage) ‖ stage ‖ round ‖ inputs, numbers as 8 bytes big endian.
func (r Root) Stream(stage string, round int, inputs [sha256.Size]byte) *Stream {
	if r.key == nil {
		panic("noise: stream of the zero Root")
	}
	info := binary.BigEndian.AppendUint64(nil, uint64(len(stage)))
	info = append(info, stage...)
	info = binary.BigEndian.AppendUint64(info, uint64(round))
	info = append(info, inputs[:]...)
	key, err := hkdf.Expand(sha256.New, (*r.key)[:], string(info), 32)
	if err != nil {
		panic("noise: HKDF-Expand of 32 bytes cannot fail")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("noise: a 32-byte key is a key of AES-256")
	}
	return &Stream{ctr: cipher.NewCTR(block, make([]byte, aes.BlockSize)), at: bufferSize}
}

// Usable reports whether r holds a key: only the zero Root does not.
func (r Root) Usable() bool { return r.key != nil }

// String returns a placeholder.
func (Root) String() string { return redacted }

// GoString returns a placeholder.
func (Root) GoString() string { return redacted }

// Format writes a placeholder, whatever the verb.
func (Root) Format(f fmt.State, _ rune) { fmt.Fprint(f, redacted) }

// LogValue returns a placeholder.
func (Root) LogValue() slog.Value { return slog.StringValue(redacted) }
