package dirsink

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"io"
)

// write creates a file and makes it durable.
func (d Dir) write(path string, content func(io.Writer, []File) error) (File, error) {
	f, err := d.disk.create(path)
	if err != nil {
		return File{}, err
	}
	w := newCounter(f)
	b := bufio.NewWriterSize(w, 1<<16) // pages are written a few bytes at a time
	if err = content(b, nil); err == nil {
		err = b.Flush()
	}
	return File{Bytes: w.n, CRC32C: hexCRC(w.crc), SHA256: w.sum()}, end(f, err)
}

// counter counts and sums what is written, and keeps the first error.
type counter struct {
	w    io.Writer
	n    int64
	crc  uint32
	hash hash.Hash
	err  error
}

func newCounter(w io.Writer) *counter { return &counter{w: w, hash: sha256.New()} }

func (c *counter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.n, c.crc, c.err = c.n+int64(n), crc32.Update(c.crc, castagnoli, p[:n]), err
	c.hash.Write(p[:n]) // never fails
	return n, err
}

// sum returns the SHA-256 of what has been written.
func (c *counter) sum() string { return hex.EncodeToString(c.hash.Sum(nil)) }
