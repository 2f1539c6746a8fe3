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

	"github.com/golang/snappy"
	"github.com/hamba/avro/v2"
	"github.com/hamba/avro/v2/ocf"
	"github.com/klauspost/compress/zstd"
)

const (
	magic     = "Obj\x01"
	maxHeader = 16 << 20 // bytes of a file's header
	markBytes = 16
)

var errDamaged = errors.New("it is damaged or cut off; is the file whole?")

// source reads a file from a place on. It keeps its error: errors of the library do not tell a damaged file from one that cannot
// be read.
type source struct {
	*bufio.Reader
	n   int64 // bytes read
	err error
}

func (s *source) kept(n int, err error) error {
	if s.n += int64(n); err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return err
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	return n, s.kept(n, err)
}

func (s *source) ReadByte() (byte, error) {
	b, err := s.Reader.ReadByte()
	if err != nil {
		return 0, s.kept(0, err)
	}
	return b, s.kept(1, nil)
}

func (s *source) peek(n int) ([]byte, error) {
	b, err := s.Peek(n)
	return b, s.kept(0, err)
}

func (s *source) drop(n int) {
	n, _ = s.Discard(n) // they are there
	s.n += int64(n)
}

func (s *source) damaged() error { return errors.Join(s.err, errDamaged) }

// header is what a file says of itself.
type header struct {
	fields []*avro.Field
	unpack func(io.Reader) (io.Reader, error)
	mark   [markBytes]byte // between blocks
	bytes  int64           // that it takes
}

// readHeader reads the beginning of a file.
func readHeader(file io.Reader) (h header, err error) {
	in := &source{Reader: bufio.NewReader(io.LimitReader(file, maxHeader))}
	defer func() {
		if recover() != nil {
			err = in.damaged()
		}
	}()
	if begin, _ := in.peek(len(magic)); string(begin) != magic {
		return h, errors.Join(in.err, errors.New("it does not begin as an Avro container file"))
	}
	var said ocf.Header
	r := avro.NewReader(in, 1, avro.WithReaderConfig(avro.Config{MaxByteSliceSize: maxHeader}.Freeze())) // 1: it reads no byte behind
	if r.ReadVal(ocf.HeaderSchema, &said); r.Error != nil {
		return h, in.damaged()
	}
	h.mark, h.bytes = said.Sync, in.n
	// A cache of its own: files may have different records of one name.
	s, err := avro.ParseBytesWithCache(said.Meta["avro.schema"], "", &avro.SchemaCache{})
	if err != nil {
		return h, errors.New("its schema cannot be read as one of Avro")
	}
	record, ok := s.(*avro.RecordSchema)
	if !ok {
		return h, errors.New("its schema is no record, whose fields would be columns")
	}
	codec := string(said.Meta["avro.codec"])
	if h.unpack = codecs[codec]; h.unpack == nil {
		return h, fmt.Errorf("its blocks are packed by %.20q; pack them by deflate, snappy, zstandard or bzip2", codec)
	}
	h.fields = record.Fields()
	return h, nil
}

// blocks reads the blocks of a part of a file.
type blocks struct {
	in   source
	at   int64 // of in's first byte in the file
	to   int64 // a block whose mark begins here or later is of another part
	mark int64 // where the mark before the next block begins
	h    *header
	body *io.LimitedReader // of the block, packed
}

// newBlocks returns the blocks of a part of a file, from … to−1; file reads it from a position on.
func newBlocks(file func(at int64) io.Reader, h *header, from, to int64) (*blocks, error) {
	b := &blocks{h: h, to: to, at: max(from, h.bytes-markBytes)}
	b.in.Reader = bufio.NewReaderSize(file(b.at), 1<<20)
	for b.mark = b.at; b.mark < to; b.mark = b.at + b.in.n {
		window, err := b.in.peek(b.in.Size())
		if i := bytes.Index(window, h.mark[:]); i >= 0 {
			b.in.drop(i)
			b.mark = b.at + b.in.n
			b.in.drop(markBytes)
			return b, nil
		}
		if err != nil {
			b.mark = to
			return b, b.in.err
		}
		b.in.drop(len(window) - markBytes + 1)
	}
	return b, nil
}

// next returns how many records the next block has, and its bytes, which are to be read before end; io.EOF at the end.
func (b *blocks) next() (records int64, data io.Reader, err error) {
	if b.mark >= b.to {
		return 0, nil, io.EOF
	}
	if _, err := b.in.peek(1); errors.Is(err, io.EOF) {
		return 0, nil, io.EOF
	}
	records, err = binary.ReadVarint(&b.in)
	size := int64(0)
	if err == nil {
		size, err = binary.ReadVarint(&b.in)
	}
	if err != nil || records < 0 || size < 0 {
		return 0, nil, b.in.damaged()
	}
	b.body = &io.LimitedReader{R: &b.in, N: size}
	if data, err = b.h.unpack(b.body); err != nil {
		return 0, nil, b.in.damaged()
	}
	return records, data, nil
}

// end reads what is left of a block, and the mark behind it.
func (b *blocks) end() error {
	if _, err := io.Copy(io.Discard, b.body); err != nil || b.body.N > 0 {
		return b.in.damaged()
	}
	b.mark = b.at + b.in.n
	var mark [markBytes]byte
	if _, err := io.ReadFull(&b.in, mark[:]); err != nil || mark != b.h.mark {
		return b.in.damaged()
	}
	return nil
}

// codecs unpack blocks as they are read, so that a record may be longer than memory.
var codecs = map[string]func(io.Reader) (io.Reader, error){
	"":        func(r io.Reader) (io.Reader, error) { return r, nil },
	"null":    func(r io.Reader) (io.Reader, error) { return r, nil },
	"deflate": func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil },
	"bzip2":   func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil },
	"zstandard": func(r io.Reader) (io.Reader, error) {
		// One goroutine, the reader's own: nothing is left behind if a block is not read to its end.
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20)) //nolint:wrapcheck // replaced by the caller
	},
	"snappy": unsnapped,
}

// unsnapped unpacks a block of Snappy, which is unpacked as a whole, and has 4 GiB at most.
func unsnapped(r io.Reader) (io.Reader, error) {
	b, err := io.ReadAll(r) // which grows as far as the file goes
	if err != nil || len(b) < 4 {
		return nil, errDamaged
	}
	data, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	const most = 32 // 64 bytes are copied by 3 at best
	if n, err := snappy.DecodedLen(data); err != nil || n > most*len(data)+most {
		return nil, errDamaged
	}
	plain, err := snappy.Decode(nil, data)
	if err != nil || crc32.ChecksumIEEE(plain) != sum {
		return nil, errDamaged
	}
	return bytes.NewReader(plain), nil
}
