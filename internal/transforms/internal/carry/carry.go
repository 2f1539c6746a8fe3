// Package carry takes what is too large for an element past the runner, which would hold it several times in memory: encrypted,
// to a file of this process or to a store that all workers see.
package carry

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
)

// Carrier says where it waits. It is plain data, which a DoFn can have. The zero Carrier leaves it to the runner.
type Carrier struct {
	At  Ref    // a spill or a store
	Dir string // the directory in the store
}

// keeper keeps bytes, and returns them by their place.
type keeper interface {
	put(ctx context.Context, b []byte) (place []byte, err error)
	get(ctx context.Context, place []byte) (b []byte, found bool, err error)
}

func (c Carrier) open() (keeper, error) {
	if c.At.Spilled() {
		return spillOf(c.At.Config)
	}
	s, err := c.At.Open()
	return stored{s, c.Dir}, err
}

// keySize is the size of a key of AES, which begins what Put returns. A key encrypts nothing else.
const keySize = 32

func sealing(key []byte) (c cipher.AEAD, nonce []byte) {
	block, err := aes.NewCipher(key)
	if err == nil {
		c, err = cipher.NewGCM(block)
	}
	if err != nil {
		panic("carry: a key of 32 bytes is one of AES")
	}
	return c, make([]byte, c.NonceSize())
}

// Put keeps b, which it overwrites, and returns what travels in its place. A bundle that is tried again leaves what nobody reads.
func (c Carrier) Put(ctx context.Context, b []byte) ([]byte, error) {
	if c.At == (Ref{}) {
		return b, nil
	}
	k, err := c.open()
	if err != nil {
		return nil, err
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	seal, nonce := sealing(key)
	place, err := k.put(ctx, seal.Seal(b[:0], nonce, b, nil))
	if err != nil {
		return nil, err
	}
	return append(key, place...), nil
}

// errAltered does not say what, or of how many.
var errAltered = errors.New("carry: what a step has kept is not there as it was written: do all workers see the same store?")

// Get returns what Put was given, for what it returned.
func (c Carrier) Get(ctx context.Context, b []byte) ([]byte, error) {
	if c.At == (Ref{}) {
		return b, nil
	}
	if len(b) < keySize {
		return nil, errAltered
	}
	k, err := c.open()
	if err != nil {
		return nil, err
	}
	data, found, err := k.get(ctx, b[keySize:])
	if err != nil {
		return nil, err
	}
	seal, nonce := sealing(b[:keySize])
	if data, err = seal.Open(data[:0], nonce, data, nil); err != nil || !found {
		return nil, errAltered
	}
	return data, nil
}

// stored keeps bytes in a store, under random names in a directory.
type stored struct {
	Store
	dir string
}

func (s stored) put(ctx context.Context, b []byte) ([]byte, error) {
	name := s.dir + "/" + rand.Text()
	if _, _, err := s.CreateIfAbsent(ctx, name, b); err != nil {
		return nil, fmt.Errorf("carry: keeping records until they are counted: %w", err)
	}
	return []byte(name), nil
}

func (s stored) get(ctx context.Context, name []byte) ([]byte, bool, error) {
	b, found, err := s.Get(ctx, string(name))
	if err != nil {
		return nil, false, fmt.Errorf("carry: reading records that were kept: %w", err)
	}
	return b, found, nil
}
