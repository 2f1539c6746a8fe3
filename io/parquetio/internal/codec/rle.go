package codec

import (
	"encoding/binary"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// runs reads numbers of width bits, in pieces, from the RLE and bit-packed hybrid of src.
//
// Source: Apache Parquet format, Encodings, "Run Length Encoding / Bit-Packing Hybrid".
type runs struct {
	src    []byte // behind the run; the run and what is behind it, if it is packed
	width  int
	left   int // numbers that were not read, of all
	run    int // of the run
	packed bool
	value  int64 // of a run that is not packed
	from   int   // which number of a packed run is next
}

// newRuns returns a reader of exactly n numbers.
func newRuns(src []byte, width, n int) (runs, error) {
	if width < 0 || width > 32 {
		return runs{}, ErrPage
	}
	if width == 0 {
		return runs{left: n, run: n}, nil
	}
	return runs{src: src, width: width, left: n}, nil
}

// packedRun returns a reader of n numbers that are bit-packed without a header; src holds that many.
func packedRun(src []byte, width, n int) runs {
	return runs{src: src, width: width, left: n, run: n, packed: true}
}

// turn reads the header of the next run.
func (r *runs) turn() error {
	header, n := binary.Uvarint(r.src)
	if n <= 0 || header>>1 == 0 {
		return ErrPage
	}
	r.src, r.packed, r.from = r.src[n:], header&1 == 1, 0
	r.run = int(min(header>>1, uint64(r.left)))
	if r.packed {
		// The last group may be cut short after the last number.
		if r.run = min(8*r.run, r.left); len(r.src) < (r.run*r.width+7)/8 {
			return ErrPage
		}
		return nil
	}
	bytes := (r.width + 7) / 8
	if len(r.src) < bytes {
		return ErrPage
	}
	var word [8]byte
	copy(word[:], r.src[:bytes])
	r.value, r.src = int64(binary.LittleEndian.Uint64(word[:])), r.src[bytes:]
	return nil
}

// pass goes on by n numbers of the run.
func (r *runs) pass(n int) {
	r.run, r.left, r.from = r.run-n, r.left-n, r.from+n
	if r.run == 0 && r.packed {
		r.src = r.src[min(len(r.src), (r.from*r.width+7)/8):]
	}
}

// read sets dst to the next numbers, of which there are as many.
func (r *runs) read(dst []int64) error {
	for len(dst) > 0 {
		if r.run == 0 {
			if err := r.turn(); err != nil {
				return err
			}
		}
		n := min(r.run, len(dst))
		if r.packed {
			unpack(dst[:n], r.src, r.from*r.width, r.width)
		} else {
			fill(dst[:n], r.value)
		}
		r.pass(n)
		dst = dst[n:]
	}
	return nil
}

// ones returns how many of all numbers that are left are not zero, and leaves them where they are.
func (r runs) ones() (n int, err error) {
	var piece [512]int64
	for r.left > 0 {
		if r.run == 0 {
			if err := r.turn(); err != nil {
				return 0, err
			}
		}
		if !r.packed {
			if r.value != 0 {
				n += r.run
			}
			r.pass(r.run)
			continue
		}
		k := min(r.run, len(piece))
		if err := r.read(piece[:k]); err != nil {
			return 0, err
		}
		n += count(piece[:k])
	}
	return n, nil
}

func fill(dst []int64, v int64) {
	for i := range dst {
		dst[i] = v
	}
}

// unpack reads numbers of 1 to 64 bits, least significant bit first, from a bit of src on. src holds at least
// len(dst)·width bits from there.
func unpack(dst []int64, src []byte, from, width int) {
	mask := ^uint64(0) >> (64 - width)
	if width <= 8 && from&7 == 0 { // eight numbers end with a byte, and are within a word
		n, src, shift := 0, src[from>>3:], uint(width)&15 // which shifts without a check for 64
		for ; n+8 <= len(dst) && len(src) >= 8; n += 8 {
			word, out := binary.LittleEndian.Uint64(src), (*[8]int64)(dst[n:])
			for k := range out {
				out[k] = int64(word & mask)
				word >>= shift
			}
			src = src[width:]
		}
		dst, from = dst[n:], from+n*width
	}
	for i := range dst {
		bit := from + i*width
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
				unpack(dst[:n], in.Rest, 0, width)
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
