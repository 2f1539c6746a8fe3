package avroio

import (
	"crypto/sha256"
	"errors"
	"io"
	"slices"

	"github.com/hamba/avro/v2"

	"github.com/dapple-dp/dapple/internal/io/lines"
)

// piece is how much of a block, and of a text that is passed over, is in memory at a time.
const piece = 1 << 16

// input reads the values of a block. After a fault, which is in Error, they say nothing.
type input struct {
	*avro.Reader
	taken int64 // bytes at least
	buf   []byte
}

// turn begins with a block.
func (in *input) turn(block io.Reader) { in.Reader = avro.NewReader(block, piece) }

// ended reports whether the block has no further byte.
func (in *input) ended() bool {
	in.Peek()
	return errors.Is(in.Error, io.EOF)
}

func (in *input) fail() { in.ReportError("dapple", "damaged") }

func (in *input) long() int64 {
	in.taken++
	return in.ReadLong()
}

func (in *input) float() float32 {
	in.taken += 4
	return in.ReadFloat()
}

func (in *input) double() float64 {
	in.taken += 8
	return in.ReadDouble()
}

func (in *input) truth() bool {
	in.taken++
	return in.ReadBool()
}

// skip passes over n bytes.
func (in *input) skip(n int64) {
	if n < 0 {
		in.fail()
		return
	}
	in.taken += n
	in.SkipNBytes(int(n))
}

// bytes returns the next n bytes, valid until the next value. Those that are more than a text may have are passed over, and
// their SHA-256 is returned.
func (in *input) bytes(n int64) (b, sum []byte) {
	if n < 0 || in.Error != nil {
		in.fail()
		return nil, nil
	}
	in.taken += n
	if n <= lines.Most {
		in.buf = slices.Grow(in.buf[:0], int(n))[:n]
		in.Read(in.buf)
		return in.buf, nil
	}
	h := sha256.New()
	for in.buf = slices.Grow(in.buf[:0], piece); n > 0 && in.Error == nil; n -= int64(len(b)) {
		b = in.buf[:min(n, piece)]
		in.Read(b)
		h.Write(b)
	}
	return nil, h.Sum(nil)
}

func (in *input) text() (b, sum []byte) { return in.bytes(in.long()) }

// id returns a privacy ID, or what stands for one that is long.
func (in *input) id() string {
	b, sum := in.text()
	if sum != nil {
		return string(lines.AppendHashed(nil, sum))
	}
	return lines.ID(string(b))
}

// maxDepth is how deep values are nested at most. A record that holds itself would have no end.
const maxDepth = 100

// pass passes over a value of any type.
func (in *input) pass(s avro.Schema, depth int) {
	if depth > maxDepth {
		in.fail()
	}
	if in.Error != nil {
		return
	}
	switch s := resolve(s).(type) {
	case *avro.RecordSchema:
		for _, f := range s.Fields() {
			in.pass(f.Type(), depth+1)
		}
	case *avro.UnionSchema:
		if branch := in.long(); branch >= 0 && branch < int64(len(s.Types())) {
			in.pass(s.Types()[branch], depth+1)
		} else {
			in.fail()
		}
	case *avro.ArraySchema:
		in.items(func() { in.pass(s.Items(), depth+1) })
	case *avro.MapSchema:
		in.items(func() { in.skip(in.long()); in.pass(s.Values(), depth+1) })
	case *avro.FixedSchema:
		in.skip(int64(s.Size()))
	case *avro.EnumSchema:
		in.long()
	case *avro.PrimitiveSchema:
		switch s.Type() {
		case avro.String, avro.Bytes:
			in.skip(in.long())
		case avro.Int, avro.Long:
			in.long()
		case avro.Float:
			in.skip(4)
		case avro.Double:
			in.skip(8)
		case avro.Boolean:
			in.skip(1)
		}
	}
}

// items passes over the items of an array or a map. Those that take no byte need no walk.
func (in *input) items(item func()) {
	for in.Error == nil {
		n := in.long()
		if n < 0 {
			in.skip(in.long()) // the size of a block of them, which is passed over whole
			continue
		}
		if n == 0 {
			return
		}
		for range n {
			before := in.taken
			if item(); in.Error != nil || in.taken == before {
				break
			}
		}
	}
}
