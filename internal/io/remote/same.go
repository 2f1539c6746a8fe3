package remote

import (
	"context"
	"errors"
	"hash/crc32"
	"io"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Sum returns the size of an object, and the CRC-32C of its content: as the service knows it, or else by reading.
func Sum(ctx context.Context, s files.System, name string) (size int64, crc uint32, err error) {
	o, err := s.Stat(ctx, name)
	if err != nil || o.CRC32C != 0 || o.Size == 0 {
		return o.Size, o.CRC32C, err
	}
	r, err := s.Open(ctx, o, 0, -1)
	if err != nil {
		return 0, 0, err
	}
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err = io.Copy(h, r)
	return size, h.Sum32(), errors.Join(err, r.Close())
}

// Holds reports whether a name holds an object of that size and CRC-32C.
func Holds(ctx context.Context, s files.System, name string, size int64, crc uint32) bool {
	n, sum, err := Sum(ctx, s, name)
	return err == nil && n == size && sum == crc
}

// Same reports whether a name holds the content of an object.
func Same(ctx context.Context, s files.System, o files.Info, name string) bool {
	crc := o.CRC32C
	if crc == 0 {
		var err error
		if _, crc, err = Sum(ctx, s, o.Name); err != nil {
			return false
		}
	}
	return Holds(ctx, s, name, o.Size, crc)
}
