package codec

import (
	"sync"

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// pack appends src, compressed, to the empty dst, or returns it in memory of its own if dst is too small.
type pack func(dst, src []byte) []byte

// packer returns the compressor of a codec; nil for none.
func packer(c compress.Compression) pack {
	switch c {
	case compress.Codecs.Snappy:
		codec, _ := compress.GetCodec(compress.Codecs.Snappy) // the library has it
		return func(dst, src []byte) []byte {
			return codec.Encode(sized(dst, int(codec.CompressBound(int64(len(src))))), src)
		}
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
