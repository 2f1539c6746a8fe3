package parquetio

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Equal rows make equal bytes, however they come in chunks: a part that is written again is the same file.
func TestSameBytes(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 70000, 0.1, rand.New(rand.NewPCG(1, 2)))
	whole := fileOf(t, d, Options{}, c)
	if !bytes.Equal(whole, fileOf(t, d, Options{}, copyRows(c, 0, 1234), copyRows(c, 1234, 66000), copyRows(c, 66000, 70000))) {
		t.Error("chunks show in the file")
	}
}
