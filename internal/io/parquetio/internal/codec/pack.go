package codec

import (
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
)

// pack appends src, compressed, to the empty dst, or returns it in memory of its own if dst is too small.
type pack func(dst, src []byte) []byte

// packer returns the compressor of a codec; nil for none.
func packer(c compress.Compression) pack {
	switch c {
	case compress.Codecs.Snappy:
		// The library's own takes tables from the heap for each page.
		return func(dst, src []byte) []byte { return snappy.Encode(sized(dst, snappy.MaxEncodedLen(len(src))), src) }
	case compress.Codecs.Zstd:
		return func(dst, src []byte) []byte { return zstdEncoder().EncodeAll(src, dst) }
	}
	return nil
}

// zstdEncoder serves all files of the process. Numbers that hardly repeat are packed by how often each byte
// occurs, which the library leaves out unless it is told: pages are up to a tenth smaller. The window is above
// most pages.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithAllLitEntropyCompression(true), zstd.WithZeroFrames(true),
		zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic("parquet: the Zstd compressor refuses its options")
	}
	return e
})
