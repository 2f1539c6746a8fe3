package wire

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// What is appended is read back, and every shorter input is found out.
func TestReader(t *testing.T) {
	floats := []float64{0, -1.5, math.Inf(1)}
	b := binary.AppendUvarint([]byte{7}, math.MaxUint64)
	b = binary.AppendUvarint(binary.AppendVarint(b, math.MinInt64), math.MaxInt64)
	b = AppendFloats(AppendText(append(b, 2), "ä"), floats)
	read := func(r *Reader) bool {
		ok := r.Byte() == 7 && r.Uvarint() == math.MaxUint64 && r.Varint() == math.MinInt64 && r.Count() == math.MaxInt64
		return r.Length(2) == 2 && r.Text() == "ä" && slices.Equal(r.Floats(3), floats) && ok
	}
	if r := (Reader{Rest: b}); !read(&r) || !r.Done() {
		t.Errorf("%d bytes are not read back: %+v", len(b), r)
	}
	for n := range b {
		r := (Reader{Rest: b[:n]})
		must.Hold(t, !read(&r) && r.Bad && !r.Done(), "%d bytes of %d are taken for all", n, len(b))
	}
	r := (Reader{Rest: append(b, 0)})
	must.Hold(t, read(&r) && !r.Done(), "a byte too many is not found")
}

// Numbers beyond what may follow are refused before anything is made of them.
func TestReaderRefuses(t *testing.T) {
	huge := binary.AppendUvarint(nil, math.MaxUint64)
	for name, read := range map[string]func(*Reader){
		"count":        func(r *Reader) { r.Count() },
		"length":       func(r *Reader) { r.Length(9) },
		"text":         func(r *Reader) { _ = r.Text() },
		"take":         func(r *Reader) { r.Take(math.MaxUint64) },
		"floats":       func(r *Reader) { r.Floats(math.MaxInt) },
		"fewer than 0": func(r *Reader) { r.Floats(-1) },
	} {
		if r := (Reader{Rest: huge}); true {
			read(&r)
			must.Hold(t, r.Bad && r.Rest == nil, "%s: not refused", name)
		}
	}
}

// Many numbers are read as they would be one by one, where some are missing too.
func TestUvarints(t *testing.T) {
	for _, list := range [][]uint64{{}, {0}, {1, 2, 127}, {128}, {1, 300, 2}, {300, 1 << 40, 5, 6, math.MaxUint64}} {
		var b []byte
		for _, v := range list {
			b = binary.AppendUvarint(b, v)
		}
		for n := range len(b) + 1 {
			many, one := Reader{Rest: b[:n]}, Reader{Rest: b[:n]}
			got, want := make([]uint64, len(list)), make([]uint64, len(list))
			many.Uvarints(got)
			for i := range want {
				want[i] = one.Uvarint()
			}
			must.Hold(t, slices.Equal(got, want) && many.Bad == one.Bad && len(many.Rest) == len(one.Rest),
				"%v in %d bytes: %v, bad %v; one by one %v, bad %v", list, n, got, many.Bad, want, one.Bad)
		}
	}
}
