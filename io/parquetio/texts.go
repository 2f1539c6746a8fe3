package parquetio

import (
	"encoding/binary"
	"encoding/hex"
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
func (p *textPage) start(e parquet.Encoding, k *numbers, n int, data []byte) (err error) {
	p.src, p.kind, p.width = data, e, 0
	if k.physical == parquet.Types.FixedLenByteArray {
		p.width = k.width
	}
	switch e {
	case parquet.Encodings.Plain:
		return nil
	case byteStreamSplit:
		if p.width == 0 || len(data) != p.width*n {
			return errPage
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
			return nil, errPage
		}
		size, p.src = uint64(binary.LittleEndian.Uint32(p.src)), p.src[4:]
	}
	if size > uint64(len(p.src)) {
		return nil, errPage
	}
	b := p.src[:size]
	p.src = p.src[size:]
	if p.kind != parquet.Encodings.DeltaByteArray {
		return b, nil
	}
	prefix := p.prefixes[0]
	p.prefixes = p.prefixes[1:]
	if uint64(prefix) > uint64(len(p.last)) {
		return nil, errPage
	}
	p.last = append(p.last[:prefix], b...)
	return p.last, nil
}

// eachText calls f for exactly n byte arrays of encoding PLAIN.
func eachText(src []byte, n int, f func(i int, b []byte)) error {
	p := textPage{src: src, kind: parquet.Encodings.Plain}
	for i := range n {
		b, err := p.next()
		if err != nil {
			return err
		}
		f(i, b)
	}
	return nil
}

// appendUUID appends the usual form of the 16 bytes of a UUID.
func appendUUID(dst, b []byte) []byte {
	for i, end := range []int{4, 6, 8, 10, 16} {
		from := []int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[from:end])
	}
	return dst
}

// texts numbers the texts of one column chunk.
type texts struct {
	codes      map[string]int64
	list       []string
	bytes      int64
	limit      int64    // of bytes
	categories []string // of the attribute; nil: none are known
	longest    int      // of them
	other      int64    // the code of a text that is not a category; 0: it has none yet
	full       bool     // no text but a category gets a code of its own
	uuid       bool
	form       []byte
}

// longText is the length from which a text that is longer than every category is not looked at.
const longText = 1 << 16

func newTexts(l *leaf, limit int64) *texts {
	t := &texts{codes: map[string]int64{}, limit: limit, categories: l.values, uuid: l.uuid}
	for _, s := range l.values {
		t.longest = max(t.longest, len(s))
	}
	return t
}

// code returns the number of a text. No text ends the reading: those that are no categories of the attribute
// share a number once they would take too much memory, as they share a cell.
func (t *texts) code(b []byte) int64 {
	if t.uuid {
		t.form = appendUUID(t.form[:0], b)
		b = t.form
	}
	if t.categories != nil && len(b) > max(longText, t.longest) {
		return t.standIn()
	}
	if c, ok := t.codes[string(b)]; ok {
		return c
	}
	if !t.full && t.categories != nil && t.bytes+int64(len(b)) > t.limit {
		t.full = true
		for _, s := range t.categories {
			if _, ok := t.codes[s]; !ok {
				t.add(s)
			}
		}
		if c, ok := t.codes[string(b)]; ok {
			return c
		}
	}
	if t.full {
		return t.standIn()
	}
	return t.add(string(b))
}

func (t *texts) add(s string) int64 {
	c := int64(len(t.list))
	t.codes[s], t.list, t.bytes = c, append(t.list, s), t.bytes+int64(len(s))
	return c
}

// standIn returns the number of a text that is longer than every category.
func (t *texts) standIn() int64 {
	if t.other == 0 {
		t.list = append(t.list, string(make([]byte, t.longest+1))) // not among codes: it is no text of the file
		t.other = int64(len(t.list))
	}
	return t.other - 1
}
