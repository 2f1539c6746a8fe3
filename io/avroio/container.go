package avroio

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/golang/snappy"
	"github.com/hamba/avro/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

const (
	magic     = "Obj\x01"
	maxHeader = 16 << 20  // bytes of a file's header
	maxBlock  = 512 << 20 // bytes of a block, packed or not
	markBytes = 16
)

var (
	errDamaged = errors.New("it is damaged or cut off; is the file whole?")
	errLarge   = fmt.Errorf("a block is larger than %d MiB; write the file with smaller blocks", maxBlock>>20)
)

// header is what a file says of itself.
type header struct {
	fields []*avro.Field
	codec  string
	mark   [markBytes]byte // between blocks
	bytes  int64           // that it takes
}

// readHeader reads the beginning of a file.
func readHeader(src io.Reader) (h header, err error) {
	in := &counted{r: bufio.NewReader(src)}
	begin := make([]byte, len(magic))
	if _, err := io.ReadFull(in, begin); err != nil || string(begin) != magic {
		return h, errors.Join(notEnd(err), errors.New("it does not begin as an Avro container file"))
	}
	meta, err := in.metadata()
	if err != nil {
		return h, err
	}
	if _, err := io.ReadFull(in, h.mark[:]); err != nil {
		return h, errors.Join(notEnd(err), errDamaged)
	}
	h.bytes, h.codec = in.n, string(meta["avro.codec"])
	// A cache of its own: files may have different records of one name.
	s, err := avro.ParseBytesWithCache(meta["avro.schema"], "", &avro.SchemaCache{})
	if err != nil {
		return h, errors.New("its schema cannot be read as one of Avro")
	}
	record, ok := s.(*avro.RecordSchema)
	if !ok {
		return h, errors.New("its schema is no record, whose fields would be columns")
	}
	if codecs[h.codec] == nil {
		return h, fmt.Errorf("its blocks are packed by %.20q; pack them by deflate, snappy, zstandard or bzip2", h.codec)
	}
	h.fields = record.Fields()
	return h, nil
}

// notEnd returns an error of reading that is not the end of the file.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// counted counts the bytes that are read.
type counted struct {
	r *bufio.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err //nolint:wrapcheck // passed on
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err //nolint:wrapcheck // passed on
}

// metadata reads the map of a header.
func (c *counted) metadata() (map[string][]byte, error) {
	meta := map[string][]byte{}
	text := func() ([]byte, error) {
		n, err := binary.ReadVarint(c)
		if err != nil || n < 0 || c.n+n > maxHeader {
			return nil, errors.Join(notEnd(err), errDamaged)
		}
		var b bytes.Buffer // which grows as far as the file goes
		if _, err := io.CopyN(&b, c, n); err != nil {
			return nil, errors.Join(notEnd(err), errDamaged)
		}
		return b.Bytes(), nil
	}
	for {
		count, err := binary.ReadVarint(c)
		if err == nil && count < 0 { // its size follows
			count = -count
			_, err = binary.ReadVarint(c)
		}
		switch {
		case err != nil || count < 0 || count > maxHeader:
			return nil, errors.Join(notEnd(err), errDamaged)
		case count == 0:
			return meta, nil
		}
		for range count {
			key, err := text()
			if err != nil {
				return nil, err
			}
			if meta[string(key)], err = text(); err != nil {
				return nil, err
			}
		}
	}
}

// blocks reads the blocks of a part of a file.
type blocks struct {
	in    *counted
	at    int64 // of in's first byte in the file
	to    int64 // a block whose mark begins here or later is of another part
	mark  int64 // where the mark before the next block begins
	h     *header
	data  bytes.Buffer
	plain []byte // a block, unpacked
}

// newBlocks returns the blocks of a part of a file, from … to−1; src reads the file from a position on.
func newBlocks(src func(at int64) io.Reader, h *header, from, to int64) (*blocks, error) {
	b := &blocks{h: h, to: to, at: max(from, h.bytes-markBytes)}
	b.in = &counted{r: bufio.NewReaderSize(src(b.at), 1<<20)}
	for b.at+b.in.n < to {
		window, err := b.in.r.Peek(b.in.r.Size())
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err //nolint:wrapcheck // named by the caller
		}
		i, drop := bytes.Index(window, h.mark[:]), len(window)-markBytes+1
		if i >= 0 {
			drop = i
		}
		if i < 0 && err != nil {
			break
		}
		n, _ := b.in.r.Discard(drop) // they are there
		if b.in.n += int64(n); i < 0 {
			continue
		}
		b.mark = b.at + b.in.n
		n, _ = b.in.r.Discard(markBytes)
		b.in.n += int64(n)
		return b, nil
	}
	b.mark = to
	return b, nil
}

// next returns how many records the next block has, and their bytes, valid until the next call; io.EOF at the end.
func (b *blocks) next() (records int64, data []byte, err error) {
	if b.mark >= b.to {
		return 0, nil, io.EOF
	}
	if _, err := b.in.r.Peek(1); errors.Is(err, io.EOF) {
		return 0, nil, io.EOF
	}
	records, err = binary.ReadVarint(b.in)
	size := int64(0)
	if err == nil {
		size, err = binary.ReadVarint(b.in)
	}
	switch {
	case err != nil || records < 0 || size < 0:
		return 0, nil, errors.Join(notEnd(err), errDamaged)
	case size > maxBlock:
		return 0, nil, errLarge
	}
	b.data.Reset()
	if _, err := io.CopyN(&b.data, b.in, size); err != nil {
		return 0, nil, errors.Join(notEnd(err), errDamaged)
	}
	b.mark = b.at + b.in.n
	var mark [markBytes]byte
	if _, err := io.ReadFull(b.in, mark[:]); err != nil || mark != b.h.mark {
		return 0, nil, errors.Join(notEnd(err), errDamaged)
	}
	if b.plain, err = codecs[b.h.codec](b.data.Bytes(), b.plain[:0]); err != nil {
		return 0, nil, err
	}
	if records > int64(len(b.plain)) { // a record of a table takes a byte: that of a union, or of a value
		return 0, nil, errDamaged
	}
	return records, b.plain, nil
}

// codecs unpack blocks into dst, which has no bytes and may have room.
var codecs = map[string]func(b, dst []byte) ([]byte, error){
	"":     func(b, _ []byte) ([]byte, error) { return b, nil },
	"null": func(b, _ []byte) ([]byte, error) { return b, nil },
	"deflate": func(b, dst []byte) ([]byte, error) {
		return unpack(flate.NewReader(bytes.NewReader(b)), dst)
	},
	"bzip2": func(b, dst []byte) ([]byte, error) {
		return unpack(bzip2.NewReader(bytes.NewReader(b)), dst)
	},
	"zstandard": func(b, dst []byte) ([]byte, error) {
		z, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, errDamaged
		}
		defer z.Close()
		return unpack(z, dst)
	},
	"snappy": func(b, dst []byte) ([]byte, error) {
		if len(b) < 4 {
			return nil, errDamaged
		}
		data, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
		const most = 32 // 64 bytes are copied by 3 at best
		switch n, err := snappy.DecodedLen(data); {
		case err != nil || n > most*len(data)+most:
			return nil, errDamaged
		case n > maxBlock:
			return nil, errLarge
		}
		plain, err := snappy.Decode(dst[:cap(dst)], data)
		if err != nil || crc32.ChecksumIEEE(plain) != sum {
			return nil, errDamaged
		}
		return plain, nil
	},
}

// unpack reads a packed block to its end.
func unpack(r io.Reader, dst []byte) ([]byte, error) {
	out := bytes.NewBuffer(dst)
	switch n, err := io.Copy(out, io.LimitReader(r, maxBlock+1)); {
	case err != nil:
		return nil, errDamaged
	case n > maxBlock:
		return nil, errLarge
	}
	return out.Bytes(), nil
}

// input reads the values of a block. After a fault it has nothing left, and all values are zero.
type input struct{ wire.Reader }

// take returns the next n bytes.
func (in *input) take(n int64) []byte {
	if n < 0 {
		in.Fail()
		return nil
	}
	return in.Take(uint64(n))
}

func (in *input) bytes() []byte { return in.take(in.Varint()) }

func (in *input) double() float64 {
	if b := in.take(8); b != nil {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (in *input) float() float64 {
	if b := in.take(4); b != nil {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return 0
}

// truth returns 0 or 1.
func (in *input) truth() int64 {
	b := in.take(1)
	if b == nil || b[0] > 1 {
		in.Fail()
		return 0
	}
	return int64(b[0])
}
