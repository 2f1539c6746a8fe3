package codec

import (
	"encoding/binary"

	"github.com/dapple-dp/dapple/internal/wire"
)

// hybrid decodes exactly len(dst) numbers of width bits from the RLE and bit-packed hybrid of src.
//
// Source: Apache Parquet format, Encodings, "Run Length Encoding / Bit-Packing Hybrid".
func hybrid(dst []int64, src []byte, width int) error {
	if width < 0 || width > 32 {
		return ErrPage
	}
	if width == 0 {
		clear(dst)
		return nil
	}
	for len(dst) > 0 {
		header, n := binary.Uvarint(src)
		if n <= 0 || header>>1 == 0 {
			return ErrPage
		}
		src = src[n:]
		if header&1 == 0 {
			bytes := (width + 7) / 8
			if len(src) < bytes {
				return ErrPage
			}
			var word [8]byte
			copy(word[:], src[:bytes])
			run := int(min(header>>1, uint64(len(dst))))
			fill(dst[:run], int64(binary.LittleEndian.Uint64(word[:])))
			dst, src = dst[run:], src[bytes:]
			continue
		}
		// The last group may be cut short after the last number.
		count := int(min(header>>1, uint64(len(dst)))) * 8
		count = min(count, len(dst))
		if len(src) < (count*width+7)/8 {
			return ErrPage
		}
		unpack(dst[:count], src, width)
		dst, src = dst[count:], src[min(len(src), count/8*width+(count%8*width+7)/8):]
	}
	return nil
}

func fill(dst []int64, v int64) {
	for i := range dst {
		dst[i] = v
	}
}

// unpack reads numbers of 1 to 64 bits, least significant bit first. src holds at least
// len(dst)·width bits.
func unpack(dst []int64, src []byte, width int) {
	mask := ^uint64(0) >> (64 - width)
	for i := range dst {
		bit := i * width
		at, shift := bit>>3, uint(bit&7)
		var v uint64
		if at+8 <= len(src) {
			v = binary.LittleEndian.Uint64(src[at:]) >> shift
		} else {
			var word [8]byte
			copy(word[:], src[at:])
			v = binary.LittleEndian.Uint64(word[:]) >> shift
		}
		if int(shift)+width > 64 {
			v |= uint64(src[at+8]) << (64 - shift)
		}
		dst[i] = int64(v & mask)
	}
}

// delta decodes exactly len(dst) numbers of DELTA_BINARY_PACKED and returns what follows them in src.
// Sums wrap around, as the format has it.
//
// Source: Apache Parquet format, Encodings, "Delta Encoding".
func delta(dst []int64, src []byte) ([]byte, error) {
	in := wire.Reader{Rest: src}
	block, minis, total := in.Uvarint(), in.Uvarint(), in.Uvarint()
	value := in.Varint()
	if in.Bad || total != uint64(len(dst)) || minis == 0 || block > 1<<20 || minis > block || block%minis != 0 || block/minis%8 != 0 {
		return nil, ErrPage
	}
	if total == 0 {
		return in.Rest, nil
	}
	dst[0] = value
	dst = dst[1:]
	per := int(block / minis)
	for len(dst) > 0 {
		least := in.Varint()
		if in.Bad || len(in.Rest) < int(minis) {
			return nil, ErrPage
		}
		widths := in.Rest[:minis]
		in.Rest = in.Rest[minis:]
		for _, w := range widths {
			if len(dst) == 0 { // widths of miniblocks that are not there mean nothing
				break
			}
			width, n := int(w), min(per, len(dst))
			if width > 64 || len(in.Rest) < (n*width+7)/8 {
				return nil, ErrPage
			}
			if width == 0 {
				clear(dst[:n])
			} else {
				unpack(dst[:n], in.Rest, width)
			}
			for i, d := range dst[:n] {
				value += least + d
				dst[i] = value
			}
			// The last miniblock is padded to its full size, but some writers cut it.
			dst, in.Rest = dst[n:], in.Rest[min(len(in.Rest), per*width/8):]
		}
	}
	return in.Rest, nil
}
