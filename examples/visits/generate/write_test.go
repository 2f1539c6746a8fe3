package generate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
)

func TestBytesArePinned(t *testing.T) {
	var b, more bytes.Buffer
	if err := errors.Join(Write(&b, Params{People: 200, Seed: 7}), Write(&more, Params{People: 300, Seed: 7})); err != nil {
		t.Fatal(err)
	}
	const want = "b6226a3ed6ffa3c04874d0c1c07b863235bbbb973e8b60e5482ba7d41e63cd90"
	if sum := sha256.Sum256(b.Bytes()); hex.EncodeToString(sum[:]) != want {
		t.Errorf("SHA-256 of 200 people = %x, want %s", sum, want)
	}
	if !bytes.HasPrefix(more.Bytes(), b.Bytes()) {
		t.Error("200 people are not the beginning of 300")
	}
	var other bytes.Buffer
	if err := Write(&other, Params{People: 200, Seed: 8}); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(b.Bytes(), other.Bytes()) {
		t.Error("another seed gives the same table")
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteReportsTheError(t *testing.T) {
	if err := Write(full{}, Params{People: 300}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want the writer's", err)
	}
}
