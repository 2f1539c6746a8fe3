package codec

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
)

// textPage reads the byte arrays of a page one after the other.
type textPage struct {
	src      []byte
	width    int // of a FIXED_LEN_BYTE_ARRAY of encoding PLAIN
	kind     parquet.Encoding
	lengths  []int64 // of those still to come, if the encoding has them apart
	prefixes []int64 // DELTA_BYTE_ARRAY: bytes that they share with the one before
	last     []byte
	memory   []int64
}

// start turns to n byte arrays of an encoding.
func (p *textPage) start(e parquet.Encoding, v *Values, n int, data []byte) (err error) {
	p.src, p.kind, p.width = data, e, 0
	if v.Physical == parquet.Types.FixedLenByteArray {
		p.width = v.Width
	}
	switch e {
	case parquet.Encodings.Plain:
		return nil
	case byteStreamSplit:
		if p.width == 0 || len(data) != p.width*n {
			return ErrPage
		}
		p.src, p.kind = joined(data, p.width), parquet.Encodings.Plain
		return nil
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
	default:
		return unsupported(e)
	}
	if n == 0 {
		return nil
	}
	p.memory = sized(p.memory, 2*n)
	p.lengths, p.prefixes, p.last = p.memory[:n], p.memory[n:], p.last[:0]
	if e == parquet.Encodings.DeltaByteArray {
		if p.src, err = delta(p.prefixes, p.src); err != nil {
			return err
		}
	}
	p.src, err = delta(p.lengths, p.src)
	return err
}

func unsupported(e parquet.Encoding) error {
	return fmt.Errorf("encoding %s is not supported here; rewrite the file", e)
}

// next returns the next byte array, which is valid until the one after it.
func (p *textPage) next() ([]byte, error) {
	size := uint64(p.width)
	switch {
	case p.kind != parquet.Encodings.Plain:
		size, p.lengths = uint64(p.lengths[0]), p.lengths[1:]
	case p.width == 0:
		if len(p.src) < 4 {
			return nil, ErrPage
		}
		size, p.src = uint64(binary.LittleEndian.Uint32(p.src)), p.src[4:]
	}
	if size > uint64(len(p.src)) {
		return nil, ErrPage
	}
	b := p.src[:size]
	p.src = p.src[size:]
	if p.kind != parquet.Encodings.DeltaByteArray {
		return b, nil
	}
	prefix := p.prefixes[0]
	p.prefixes = p.prefixes[1:]
	if uint64(prefix) > uint64(len(p.last)) {
		return nil, ErrPage
	}
	p.last = append(p.last[:prefix], b...)
	return p.last, nil
}
