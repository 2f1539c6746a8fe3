package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// codecs are the codecs by their numbers in the footer, each with a compressor of zeros.
var codecs = []struct {
	name   string
	number int
	zeros  func(n int) []byte
}{
	{"uncompressed", 0, func(n int) []byte { return make([]byte, n) }},
	{"snappy", 1, snappyZeros},
	{"gzip", 2, func(n int) []byte {
		return streamZeros(n, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) })
	}},
	{"brotli", 4, func(n int) []byte {
		return streamZeros(n, func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 1), nil })
	}},
	{"lz4", 5, func(n int) []byte {
		block := lz4Zeros(n)
		return append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(n)), uint32(len(block))), block...)
	}},
	{"lz4_raw", 7, lz4Zeros},
	{"zstd", 6, func(n int) []byte {
		return streamZeros(n, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) })
	}},
}

// streamZeros compresses n zeros as one stream, whose header says nothing of their number.
func streamZeros(n int, open func(io.Writer) (io.WriteCloser, error)) []byte {
	var b bytes.Buffer
	w, err := open(&b)
	part := make([]byte, min(n, 1<<16))
	for ; n > 0 && err == nil; n -= len(part) {
		_, err = w.Write(part[:min(n, len(part))])
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// snappyZeros writes one zero and copies of 64 zeros before them: the most that the format expands.
func snappyZeros(n int) []byte {
	if n%64 != 1 {
		return snappy.Encode(nil, make([]byte, n))
	}
	b := append(binary.AppendUvarint(nil, uint64(n)), 0, 0)
	return append(b, bytes.Repeat([]byte{63<<2 | 2, 1, 0}, n/64)...)
}

// lz4Zeros writes one zero, a copy of zeros before them as long as there are, and five zeros to end with.
func lz4Zeros(n int) []byte {
	if n < 30 {
		return append([]byte{byte(n) << 4}, make([]byte, n)...)
	}
	b := []byte{1<<4 | 15, 0, 1, 0}
	rest := n - 6 - 4 - 15
	b = append(append(b, bytes.Repeat([]byte{255}, rest/255)...), byte(rest%255))
	return append(b, 5<<4, 0, 0, 0, 0, 0)
}

// blind are codecs whose library does not tell a page that goes on from one that is damaged.
var blind = map[string]bool{"zstd": true, "lz4": true, "lz4_raw": true}

// oldHeader is the header of a page of version 1.
func oldHeader(p page) []byte {
	rle := int(parquet.Encodings.RLE)
	b := append(appendInts(nil, 0, p.plain, p.packed), 2<<4|thriftStruct)
	return append(appendInts(b, p.cells, int(p.encoding), rle, rle), 0, 0)
}

// pageFile is a file of one column of 125 integers in the one page given, whose footer states total bytes.
func pageFile(tb testing.TB, codec, total int, p page, v2 bool, body []byte) []byte {
	tb.Helper()
	p.packed, p.cells = len(body), 125
	header := oldHeader(p)
	if v2 {
		header = p.appendHeader(nil)
	}
	file := slices.Concat([]byte(Magic), header, body)
	size := int64(len(file) - len(Magic))

	root := must.Value(schema.NewGroupNode("schema", parquet.Repetitions.Required, schema.FieldList{schema.NewInt64Node("n", parquet.Repetitions.Required, -1)}, -1))(tb)
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Compression(codec)))
	footer := metadata.NewFileMetadataBuilder(schema.NewSchema(root), props, nil)
	g := footer.AppendRowGroup()
	g.SetNumRows(125)
	info := metadata.ChunkMetaInfo{NumValues: 125, IndexPageOffset: -1, DataPageOffset: int64(len(Magic)), CompressedSize: size, UncompressedSize: int64(total)}
	must.Do(tb, errors.Join(g.NextColumnChunk().Finish(info, false, false, metadata.EncodingStats{}), g.Finish(int64(total), 0)))
	m := must.Value(footer.Finish())(tb)
	b := bytes.NewBuffer(file)
	n := must.Value(m.WriteTo(b, nil))(tb)
	return append(binary.LittleEndian.AppendUint32(b.Bytes(), uint32(n)), Magic...)
}

// readNumbers reads a file of one column of numbers, whose pages may unpack to most bytes.
func readNumbers(b []byte, most int64) error {
	f, err := Open(bytes.NewReader(b), int64(len(b)), most)
	if err != nil {
		return err
	}
	rows, err := f.TurnTo(0)
	if err != nil {
		return err
	}
	var d Arrays
	if err := d.Start(f, 0, int(rows), 0, Values{Type: arrow.PrimitiveTypes.Int64}); err != nil {
		return err
	}
	_, err = d.Take(int(rows))
	return err
}

// readWithin reads a file and returns its error and the bytes that were allocated meanwhile.
func readWithin(b []byte, most int64) (took uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = readNumbers(b, most)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// A gigabyte of zeros in a page takes no memory, whatever its header and the footer say of it.
func TestBombs(t *testing.T) {
	const bomb, limit = 1<<30 + 1, 1 << 20
	// Ring buffers and tables of the decoders, and a chunk's bytes.
	const allowed = 24 << 20
	for _, c := range codecs[1:] {
		body := c.zeros(bomb)
		for name, tc := range map[string]struct {
			plain, total int
			max          int64
			v2           bool
			want         error
		}{
			"header of 1 kB":                 {1000, 1000, math.MaxInt32, false, errSize},
			"header of 1 kB, V2":             {1000, 1000, math.MaxInt32, true, errSize},
			"true header, true footer":       {bomb, bomb, 512 << 20, false, ErrLarge},
			"true header, false footer":      {bomb, 1000, 512 << 20, false, ErrLarge},
			"true header below the limit":    {bomb, 1000, 2 << 30, false, errStated},
			"header at the limit":            {limit, limit, limit, false, errSize},
			"header and footer at the limit": {limit, limit, limit, true, errSize},
		} {
			b := pageFile(t, c.number, tc.total, page{plain: tc.plain}, tc.v2, body)
			took, err := readWithin(b, tc.max)
			excess := errors.Is(err, tc.want) || blind[c.name] && errors.Is(tc.want, errSize) && errors.Is(err, ErrPage)
			must.Hold(t, excess, "%s: %s: got %v, want %v", c.name, name, err, tc.want)
			must.Hold(t, took <= allowed+uint64(len(body)), "%s: %s: %d bytes were allocated for a file of %d", c.name, name, took, len(b))
		}
	}
}

// Pages of all codecs read, and one that holds a byte more or fewer than its header states does not.
func TestStatedSizes(t *testing.T) {
	for _, c := range codecs {
		for _, v2 := range []bool{false, true} {
			for n, want := range map[int]error{999: errSize, 1000: nil, 1001: errSize, 0: errSize} {
				b := pageFile(t, c.number, 1000, page{plain: 1000}, v2, c.zeros(n))
				_, err := readWithin(b, math.MaxInt32)
				must.Hold(t, errors.Is(err, want) || c.name == "lz4" && errors.Is(err, ErrPage) && n != 1000,
					"%s: %d bytes in a page of 1000: got %v, want %v", c.name, n, err, want)
			}
		}
		b := pageFile(t, c.number, 1000, page{plain: 1000}, false, c.zeros(1000)[:3])
		must.Fails(readWithin(b, math.MaxInt32))(t, "", "%s: a page that was cut was read", c.name)
	}
}

// A footer that names another codec than the pages have ends in an error of the column.
func TestWrongCodec(t *testing.T) {
	for _, c := range codecs {
		body := c.zeros(1000)
		for number := range 9 {
			if number == c.number || c.number == int(compress.Codecs.Lz4Raw) && number == 5 { // older files have it so
				continue
			}
			b := pageFile(t, number, 1000, page{plain: 1000}, false, body)
			took, err := readWithin(b, math.MaxInt32)
			must.Hold(t, err != nil, "%s read as codec %d", c.name, number)
			must.Hold(t, took <= 24<<20, "%s read as codec %d: %d bytes were allocated", c.name, number, took)
		}
	}
}

// The pages of a chunk share one buffer and one decoder.
func TestUnpackAllocatesOnce(t *testing.T) {
	for _, c := range codecs {
		u, body := &unpacker{}, c.zeros(1000)
		allocs := testing.AllocsPerRun(100, func() {
			if out, err := u.unpack(compress.Compression(c.number), body, 1000); err != nil || len(out) != 1000 {
				t.Fatal(c.name, err) // arguments of must.Need would be allocations
			}
		})
		// brotli makes its tables anew for each stream
		must.Hold(t, allocs <= map[string]float64{"brotli": 12}[c.name], "%s: %v allocations a page", c.name, allocs)
	}
}

func FuzzUnpack(f *testing.F) {
	for _, c := range codecs {
		f.Add(uint8(c.number), false, int32(1000), c.zeros(1000))
		f.Add(uint8(c.number), true, int32(1000), c.zeros(1001))
	}
	f.Fuzz(func(t *testing.T, codec uint8, v2 bool, plain int32, body []byte) {
		b := pageFile(t, int(codec%9), 1000, page{plain: int(plain)}, v2, body)
		_ = readNumbers(b, math.MaxInt32)
	})
}
