package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// errSize is a page whose bytes are not as many as its header says. What is beyond them is never unpacked.
var errSize = errors.New("a page holds more or fewer bytes than its header states")

// unpacker decompresses pages, each into no more memory than its header states. Its decoders and its
// buffer are used again: arrow's codecs take whatever memory a page expands to, for each page anew.
type unpacker struct {
	buf []byte
	*decompressors
}

// decompressors hold nothing between pages, and serve the columns of a lane in turn.
type decompressors struct {
	src    bytes.Reader
	gzip   *gzip.Reader
	brotli *brotli.Reader
	zstd   *zstd.Decoder
}

// spare is what the buffer has beyond the stated size: a byte there shows a stream that goes on, and with
// 16 more Zstd copies matches the fast way.
const spare = 17

// unpacks reports whether there is a decoder for a codec.
func unpacks(c compress.Compression) bool {
	switch c {
	case compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Lz4, compress.Codecs.Zstd, compress.Codecs.Lz4Raw:
		return true
	}
	return false
}

// unpack returns the plain bytes that src stands for, exactly size of them, valid until the next call. It
// returns errSize if there are more or fewer, and ErrPage if src is no output of the codec.
func (u *unpacker) unpack(c compress.Compression, src []byte, size int) ([]byte, error) {
	if c == compress.Codecs.Uncompressed {
		if len(src) != size {
			return nil, errSize
		}
		return src, nil
	}
	if size == 0 && len(src) == 0 { // a page of NULLs has nothing to compress
		return nil, nil
	}
	if u.decompressors == nil {
		u.decompressors = new(decompressors)
	}
	u.buf = sized(u.buf, size+spare)
	switch u.src.Reset(src); c {
	case compress.Codecs.Snappy:
		return u.unpackSnappy(src, size)
	case compress.Codecs.Zstd:
		return u.unpackZstd(src, size)
	case compress.Codecs.Lz4Raw:
		return u.unpackLZ4(src, size)
	case compress.Codecs.Lz4:
		if u.unpackHadoop(src, size) {
			return u.buf[:size], nil
		}
		return u.unpackLZ4(src, size) // as older versions of parquet-cpp wrote it
	case compress.Codecs.Gzip:
		return u.unpackGzip(size)
	case compress.Codecs.Brotli:
		return u.unpackBrotli(size)
	}
	return nil, ErrPage
}

func (u *unpacker) unpackSnappy(src []byte, size int) ([]byte, error) {
	switch n, err := snappy.DecodedLen(src); {
	case err != nil:
		return nil, ErrPage
	case n != size:
		return nil, errSize
	}
	out, err := snappy.Decode(u.buf[:size], src)
	if err != nil {
		return nil, ErrPage
	}
	return out, nil
}

// unpackZstd bounds frames that state no size by the capacity of the buffer. The library does not tell a
// block beyond it from a damaged one.
func (u *unpacker) unpackZstd(src []byte, size int) ([]byte, error) {
	if u.zstd == nil {
		// One decoder at a time: it starts no goroutine, and need not be closed.
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, ErrPage
		}
		u.zstd = d
	}
	out, err := u.zstd.DecodeAll(src, u.buf[:0:size+spare])
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return nil, errSize
	case err != nil:
		return nil, ErrPage
	case len(out) != size:
		return nil, errSize
	}
	return out, nil
}

func (u *unpacker) unpackLZ4(src []byte, size int) ([]byte, error) {
	n, err := lz4.UncompressBlock(src, u.buf[:size+spare])
	switch {
	case err != nil:
		return nil, ErrPage // also a block that goes on beyond the buffer
	case n != size:
		return nil, errSize
	}
	return u.buf[:size], nil
}

// unpackHadoop reports whether src is exactly size bytes in the frames of Hadoop's codec: the size of what
// follows before compression, then blocks, each after its size. Both sizes are big-endian.
func (u *unpacker) unpackHadoop(src []byte, size int) bool {
	out := u.buf[:size]
	number := func() (n int, ok bool) {
		if len(src) < 4 {
			return 0, false
		}
		n, src = int(binary.BigEndian.Uint32(src)), src[4:]
		return n, true
	}
	for len(src) > 0 {
		plain, ok := number()
		if !ok || plain > len(out) {
			return false
		}
		for plain > 0 {
			packed, ok := number()
			if !ok || packed > len(src) {
				return false
			}
			n, err := lz4.UncompressBlock(src[:packed], out[:plain])
			if err != nil || n == 0 {
				return false
			}
			src, out, plain = src[packed:], out[n:], plain-n
		}
	}
	return len(out) == 0
}

func (u *unpacker) unpackGzip(size int) ([]byte, error) {
	if u.gzip == nil {
		u.gzip = new(gzip.Reader)
	}
	if u.gzip.Reset(&u.src) != nil {
		return nil, ErrPage
	}
	return u.drain(u.gzip, size)
}

func (u *unpacker) unpackBrotli(size int) ([]byte, error) {
	if u.brotli == nil {
		u.brotli = new(brotli.Reader)
	}
	if u.brotli.Reset(&u.src) != nil {
		return nil, ErrPage
	}
	return u.drain(u.brotli, size)
}

// drain reads r to its end, or until it exceeds size.
func (u *unpacker) drain(r io.Reader, size int) ([]byte, error) {
	for n := 0; ; {
		m, err := r.Read(u.buf[n : size+1])
		switch n += m; {
		case n > size || errors.Is(err, io.EOF) && n < size:
			return nil, errSize
		case errors.Is(err, io.EOF):
			return u.buf[:size], nil
		case err != nil:
			return nil, ErrPage
		}
	}
}
