package layout

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"io"
)

// Write creates a file and makes it durable.
func (d Dir) Write(path string, content func(io.Writer, []File) error) (File, error) {
	f, err := d.Disk.Create(path)
	if err != nil {
		return File{}, err
	}
	w := NewCounter(f)
	b := bufio.NewWriterSize(w, 1<<16) // pages are written a few bytes at a time
	if err = content(b, nil); err == nil {
		err = b.Flush()
	}
	return File{Bytes: w.Bytes, CRC32C: HexCRC(w.CRC32C), SHA256: w.SHA256()}, End(f, err)
}

// Counter counts and sums what is written, and keeps the first error.
type Counter struct {
	Bytes  int64
	CRC32C uint32
	Err    error

	w    io.Writer
	hash hash.Hash
}

// NewCounter returns a counter of what is written to w.
func NewCounter(w io.Writer) *Counter { return &Counter{w: w, hash: sha256.New()} }

func (c *Counter) Write(p []byte) (int, error) {
	if c.Err != nil {
		return 0, c.Err
	}
	n, err := c.w.Write(p)
	c.Bytes, c.CRC32C, c.Err = c.Bytes+int64(n), crc32.Update(c.CRC32C, Castagnoli, p[:n]), err
	c.hash.Write(p[:n]) // never fails
	return n, err
}

// SHA256 returns the SHA-256 of what has been written.
func (c *Counter) SHA256() string { return hex.EncodeToString(c.hash.Sum(nil)) }

// Castagnoli is the polynomial of CRC32C.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)
