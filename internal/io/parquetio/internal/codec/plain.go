package codec

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
)

// appendPlain appends values of the column in encoding PLAIN.
func (c *Column) appendPlain(dst []byte, values []int64) []byte {
	switch c.Physical {
	case parquet.Types.ByteArray:
		for _, v := range values {
			dst = appendText(dst, c.Texts.list[v])
		}
	case parquet.Types.FixedLenByteArray:
		dst = slices.Grow(dst, c.Width*len(values))
		var b [16]byte
		for _, v := range values {
			hi, lo := multiply(v, c.Factor)
			binary.BigEndian.PutUint64(b[:8], hi)
			binary.BigEndian.PutUint64(b[8:], lo)
			dst = append(dst, b[16-c.Width:]...)
		}
	case parquet.Types.Boolean:
		return appendBools(dst, values)
	case parquet.Types.Int32:
		dst = slices.Grow(dst, 4*len(values))
		for _, v := range values {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
		}
	default:
		if littleEndian {
			return append(dst, arrow.Int64Traits.CastToBytes(values)...)
		}
		for _, v := range values {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
		}
	}
	return dst
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
}

func appendBools(dst []byte, values []int64) []byte {
	for ; len(values) > 0; values = values[min(8, len(values)):] {
		b := byte(0)
		for i, v := range values[:min(8, len(values))] {
			if v != 0 {
				b |= 1 << i
			}
		}
		dst = append(dst, b)
	}
	return dst
}

// multiply returns the two words of v·f, which for f below 2^63 does not overflow.
func multiply(v int64, f uint64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(v), f)
	if v < 0 { // uint64(v) is v + 2^64
		hi -= f
	}
	return hi, lo
}
