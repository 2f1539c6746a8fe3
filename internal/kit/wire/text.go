package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// JSON returns plain data as JSON. It panics on data that JSON does not hold: only the program decides what is encoded here.
func JSON(v any) []byte { return encoded(json.Marshal(v)) }

// Sealed returns plain data as lines of JSON. One of its fields, sum, becomes the hash of the other lines.
func Sealed(v any, sum *string) []byte {
	lines := func() []byte { return append(encoded(json.MarshalIndent(v, "", " ")), '\n') }
	*sum = ""
	*sum = Hash(lines())
	return lines()
}

func encoded(b []byte, err error) []byte {
	if err != nil {
		panic("plain data always marshals")
	}
	return b
}

// Hash returns the SHA-256 of b in hexadecimal digits.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
