package remote

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// maxName is the longest name of an object that the known services take, in bytes of UTF-8.
const maxName = 1024

// CheckName returns an error that says what is wrong with the name of an object, a directory or, with "*", a pattern of
// a scheme, and what to do; nil if nothing is. Names with "?", "#", "%", "[" or "]" are refused, because other tools
// that read the output take them for something else.
func CheckName(scheme, name string) error {
	bucket, object := Split(scheme, name)
	switch {
	case !strings.HasPrefix(name, scheme):
		return fmt.Errorf("%q: want %sbucket/path", name, scheme)
	case len(bucket) < 3 || strings.Trim(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "":
		return fmt.Errorf("%s: %q is no bucket; want %sbucket/path, the bucket in lower case", name, bucket, scheme)
	case strings.ContainsAny(object, "?#%[]"):
		return fmt.Errorf("%s: the characters ? # %% [ ] are not allowed in names of objects; rename it, or name a directory or a pattern with * around it", name)
	case !utf8.ValidString(object) || strings.ContainsFunc(object, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("%q: the name holds characters that cannot be printed; rename it", name)
	case len(object) > maxName:
		return fmt.Errorf("a name of more than %d bytes; shorten it", maxName)
	}
	for word := range strings.SplitSeq(strings.TrimSuffix(object, "/"), "/") {
		if object != "" && (word == "" || word == "." || word == "..") {
			return fmt.Errorf("%s: a part of the path is empty, . or ..; write it without", name)
		}
	}
	return nil
}

// Split returns the bucket and the path in it.
func Split(scheme, name string) (bucket, object string) {
	bucket, object, _ = strings.Cut(strings.TrimPrefix(name, scheme), "/")
	return bucket, object
}

// ErrNoBucket is the error of a bucket that does not exist. It is not fs.ErrNotExist: an absent output directory is no
// fault, a misspelt bucket is.
func ErrNoBucket(bucket string) error {
	return fmt.Errorf("bucket %q does not exist; create it, or check the name", bucket)
}

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
