package lines

import (
	"crypto/sha256"
	"strings"
)

// HashedID begins what stands for a privacy ID that is longer than a record may be, before its SHA-256. An ID that begins
// with it is hashed too, so that two IDs never become one. A long ID is not NULL: records without an ID are a person each.
const HashedID = "\x00SHA-256 of a long ID\x00"

// AppendHashed appends what stands for an ID, by its SHA-256.
func AppendHashed(dst, sum []byte) []byte { return append(append(dst, HashedID...), sum...) }

// ID returns what stands for an ID.
func ID(text string) string {
	if len(text) <= Most && !strings.HasPrefix(text, HashedID) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return string(AppendHashed(nil, sum[:]))
}
