package records

import (
	"encoding/binary"
	"math/bits"
)

// Hash is a fixed 64-bit hash of a privacy ID, the same in every process. It places units in shards
// and orders them; nothing depends on it being hard to invert.
//
// It folds 8 bytes at a time with a 64×64→128-bit multiplication, as wyhash does
// (github.com/wangyi-fudan/wyhash; the two odd constants are its first secrets).
func Hash(id []byte) uint64 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(len(id)) ^ k0
	for len(id) >= 8 {
		h = fold(h^binary.LittleEndian.Uint64(id), k1)
		id = id[8:]
	}
	return fold(fold(h^tail(id), k1), k0)
}

// tail returns fewer than 8 bytes as a number, the first one last. It takes them in two or three parts, which meet or
// overlap: faster than one by one.
func tail(b []byte) uint64 {
	switch n := len(b); {
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*(n-4))
	case n > 0:
		return uint64(b[0]) | uint64(b[n/2])<<(8*(n/2)) | uint64(b[n-1])<<(8*(n-1))
	}
	return 0
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
