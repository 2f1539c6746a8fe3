package parquetio

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Files of other writers hold the same cells; see testdata/README.md.
func TestForeignFiles(t *testing.T) {
	d := &domain.Domain{}
	for s := range strings.FieldsSeq(`s:STRING hi:STRING i:INT64 i32:INT64 u32:INT64 u64:INT64 i8:INT64 f:FLOAT64
		f32:FLOAT64 d:NUMERIC b:BOOL da:DATE dt:DATETIME ts:TIMESTAMP tn:TIMESTAMP ti:TIME`) {
		name, typ, _ := strings.Cut(s, ":")
		a := domain.Attribute{Name: name, Scale: 2}
		a.Type, _ = domain.ParseType(typ)
		d.Attributes = append(d.Attributes, a)
	}
	want, err := os.ReadFile("testdata/want.tsv")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) != 9 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		for _, most := range []int{1, 7, chunkRows} {
			if got := textOf(t, f, d, most); got != string(want) {
				t.Errorf("%s, %d rows at a time: other cells than want.tsv", f, most)
			}
		}
	}
}

// textOf returns the cells of a file, of which at most so many rows are read at a time.
func textOf(t *testing.T, path string, d *domain.Domain, most int) string {
	r, err := OpenFile(path, d, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b strings.Builder
	var c domain.Chunk
	for g := range r.Groups() {
		rows, err := r.start(g, false)
		if err != nil {
			t.Fatal(err)
		}
		for ; rows > 0; rows -= c.Rows {
			if err := r.take(min(rows, most), &c); err != nil {
				t.Fatal(err)
			}
			for i := range c.Rows {
				for k := range c.Columns {
					b.WriteString(cell(&c.Columns[k], i))
					b.WriteByte("\t\n"[min(1, (k+1)/len(c.Columns))])
				}
			}
		}
	}
	return b.String()
}

// decimal is ⌊v·10^places⌋ held to the range of int64, for every length and sign.
func TestDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 20000 {
		b := make([]byte, r.IntN(17)) // what 38 digits take
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		fill := byte(-(r.Int64() & 1)) // small numbers of both signs
		for i := range r.IntN(len(b) + 1) {
			b[i] = fill
		}
		places := r.IntN(48) - 38
		v := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(places, -places))), nil)
		if places < 0 {
			m := new(big.Int)
			v.DivMod(v, p, m) // Euclidean: floor for a positive divisor
		} else {
			v.Mul(v, p)
		}
		want := saturated(v.Sign() < 0)
		if v.IsInt64() {
			want = v.Int64()
		}
		if got := decimal(b, places); got != want {
			t.Fatalf("%x·10^%d: got %d, want %d", b, places, got, want)
		}
	}
}

// Longer than 128 bits only by their sign, or beyond any int64.
func TestLongDecimal(t *testing.T) {
	long := func(fill byte, tail ...byte) []byte { return append(bytes.Repeat([]byte{fill}, 30), tail...) }
	for _, tc := range []struct {
		b    []byte
		want int64
	}{{long(0, 5), 5}, {long(0xff, 0xfb), -5}, {long(1, 5), 1<<63 - 1}, {long(0x80, 5), -1 << 63}, {nil, 0}} {
		if got := decimal(tc.b, 0); got != tc.want {
			t.Errorf("%x: got %d, want %d", tc.b, got, tc.want)
		}
	}
}

// The floor of division keeps every value on its side of every cut.
func TestUnits(t *testing.T) {
	for _, tc := range []struct{ in, thousandfold, thousandth int64 }{
		{0, 0, 0}, {1, 1000, 0}, {-1, -1000, -1}, {-1000, -1000000, -1}, {-1001, -1001000, -2}, {1999, 1999000, 1},
		{1 << 62, 1<<63 - 1, 4611686018427387}, {-1 << 62, -1 << 63, -4611686018427388}, {-1 << 63, -1 << 63, -9223372036854776},
	} {
		if got := thousandfold(tc.in); got != tc.thousandfold {
			t.Errorf("%d·1000: got %d, want %d", tc.in, got, tc.thousandfold)
		}
		if got := thousandth(tc.in); got != tc.thousandth {
			t.Errorf("%d/1000: got %d, want %d", tc.in, got, tc.thousandth)
		}
	}
	// Of attributes: privacy IDs are in TestPrivacyIDsAreInjective.
	if unsigned32(-1) != 1<<32-1 || unsigned64(-1) != 1<<63-1 || unsigned64(5) != 5 {
		t.Error("unsigned")
	}
}
