package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func testDomain() domain.Domain {
	return domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}, Other: true, OtherValue: "other"},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 18, 65, 120}, Resolution: 1, Null: true},
		{Name: "weight", Type: domain.Float64, FloatCuts: []float64{0, 0.1, 1e300}, Null: true},
	}}
}

func universe() *File {
	d := testDomain()
	f := &File{Version: "v0.1.0", Domain: d, Method: "dpam", Guarantee: "ε = 1", Units: 50021.25, Cliques: []domain.Clique{{0, 2}, {1}},
		Model: &population.Model{Sizes: d.Sizes(), StructuralZeros: d.StructuralZeros}}
	for i := range 3 * 4 * 3 {
		f.Model.Weights = append(f.Model.Weights, float64(i)/7)
	}
	return f
}

func listed(n int) *File {
	r := rand.New(rand.NewPCG(1, 2))
	d := testDomain()
	m := &population.Model{Sizes: d.Sizes(), Columns: make([][]domain.Code, 3)}
	for range n {
		m.Weights = append(m.Weights, r.Float64())
		for a, s := range m.Sizes {
			m.Columns[a] = append(m.Columns[a], domain.Code(r.IntN(s)))
		}
	}
	return &File{Version: "v0.1.0", Domain: d, Method: "rake", Model: m}
}

func bytesOf(tb testing.TB, f *File) []byte {
	tb.Helper()
	b := must.Value(f.Encode())(tb)
	return b
}

func TestRoundTrip(t *testing.T) {
	for name, f := range map[string]*File{"universe": universe(), "one": listed(1), "odd": listed(5), "even": listed(1 << 16)} {
		b := bytesOf(t, f)
		must.Hold(t, bytes.Equal(b, bytesOf(t, f)), "%s: other bytes the second time", name)
		got, err := Decode(b)
		must.Need(t, err == nil, "%s: %v", name, err)
		must.Hold(t, reflect.DeepEqual(got, f), "%s: another model came back", name)
	}
}

// The Arrow library of Go, which knows nothing of this package, reads the same columns and metadata.
func TestArrowReadsIt(t *testing.T) {
	for name, f := range map[string]*File{"universe": universe(), "listed": listed(1001)} {
		in, err := ipc.NewFileReader(bytes.NewReader(bytesOf(t, f)))
		must.Need(t, err == nil, "%s: %v", name, err)
		defer in.Close()
		rec, err := in.RecordBatch(0)
		must.Need(t, err == nil && in.NumRecords() == 1, "%s: %d batches, error %v", name, in.NumRecords(), err)
		weights := rec.Column(0).(*array.Float64)
		must.Hold(t, rec.ColumnName(0) == "weight" && weights.NullN() == 0 && slices.Equal(weights.Float64Values(), f.Model.Weights), "%s: other weights", name)
		if want := len(f.Model.Columns); int(rec.NumCols()) != 1+want {
			t.Fatalf("%s: %d columns, want %d", name, rec.NumCols(), 1+want)
		}
		for a, col := range f.Model.Columns {
			codes := rec.Column(1 + a).(*array.Uint16)
			if rec.ColumnName(1+a) != f.Domain.Attributes[a].Name || codes.NullN() != 0 || codes.Len() != len(col) {
				t.Fatalf("%s: column %s has %d rows", name, rec.ColumnName(1+a), codes.Len())
			}
			for i, c := range col {
				must.Need(t, codes.Value(i) == uint16(c), "%s: another code in row %d of column %d", name, i, a)
			}
		}
		meta := in.Schema().Metadata()
		i := meta.FindKey("dapple.method")
		must.Hold(t, slices.Equal(meta.Keys(), keys) && meta.Values()[i] == f.Method, "%s: other metadata", name)
	}
}

// The form must not change between versions of this format: its hash keys the sampling of rows.
func TestBytesArePinned(t *testing.T) {
	for name, c := range map[string]struct {
		file *File
		want string
	}{"universe": {universe(), "ff89a384bcd19a3d"}, "listed": {listed(10), "507535b51d72d817"}} {
		sum := sha256.Sum256(bytesOf(t, c.file))
		must.Equal(t, hex.EncodeToString(sum[:8]), c.want, "%s", name)
	}
}

func TestInvalidIsNotEncoded(t *testing.T) {
	for name, change := range map[string]func(f *File){
		"size":          func(f *File) { f.Model.Sizes[1] = 7 },
		"code":          func(f *File) { f.Model.Columns[0][3] = 3 },
		"short column":  func(f *File) { f.Model.Columns[0] = f.Model.Columns[0][1:] },
		"columns":       func(f *File) { f.Model.Columns = f.Model.Columns[1:] },
		"negative":      func(f *File) { f.Model.Weights[2] = -1e-300 },
		"NaN":           func(f *File) { f.Model.Weights[2] = math.NaN() },
		"infinite":      func(f *File) { f.Model.Weights[2] = math.Inf(1) },
		"all 0":         func(f *File) { clear(f.Model.Weights) },
		"infinite sum":  func(f *File) { f.Model.Weights[2], f.Model.Weights[3] = math.MaxFloat64, math.MaxFloat64 },
		"universe":      func(f *File) { f.Model.Columns = nil },
		"clique":        func(f *File) { f.Cliques = []domain.Clique{{0, 3}} },
		"order":         func(f *File) { f.Cliques = []domain.Clique{{1, 0}} },
		"broken domain": func(f *File) { f.Domain.Attributes[0].Name = "" },
		"impossible": func(f *File) {
			first, second := f.Model.Columns[0][0], f.Model.Columns[1][0]
			f.Domain.StructuralZeros = domain.Exclusions{{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{first}, {second}}}}
			if err := f.Domain.Validate(); err != nil {
				t.Fatal(err) // the domain is valid, and the model does not fit to it
			}
		},
	} {
		f := listed(10)
		change(f)
		b, err := f.Encode()
		must.Hold(t, err != nil, "%s: %d bytes, no error", name, len(b))
	}
}

// Any flipped bit is found.
func TestDamage(t *testing.T) {
	f := listed(50)
	b := bytesOf(t, f)
	for n := range b {
		if n%5 == 0 {
			_, err := Decode(b[:n])
			must.Need(t, err != nil, "%d of %d bytes were read without an error", n, len(b))
		}
		for _, bit := range []byte{1 << (n % 8)} {
			c := bytes.Clone(b)
			c[n] ^= bit
			_, err := Decode(c)
			must.Need(t, err != nil, "byte %d: a changed model was read without an error", n)
		}
	}
	// Words that are lengths and offsets somewhere.
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		c := bytes.Clone(b)
		at := r.IntN(len(c)/4) * 4
		copy(c[at:], []byte{byte(r.Uint32()), 0xff, 0xff, byte(0x7f + r.IntN(129))})
		_, err := Decode(c)
		must.Need(t, err != nil || bytes.Equal(c, b), "word at %d: a changed model was read without an error", at)
	}
}

// What stands in memory behind the data is none of it.
func TestMetadataEndsWithTheData(t *testing.T) {
	whole := bytesOf(t, universe())
	end := len(magic) + 8 + int(binary.LittleEndian.Uint32(whole[len(magic)+4:]))
	for n := range end {
		values, err := metadata(whole[:n])
		must.Need(t, err != nil, "%d of %d bytes say %q", n, end, values)
	}
	must.Passes(metadata(whole[:end]))(t)
}

func FuzzDecode(f *testing.F) {
	f.Add(bytesOf(f, universe()))
	f.Add(bytesOf(f, listed(3)))
	f.Add([]byte("ARROW1\x00\x00\xff\xff\xff\xff\x10\x00\x00\x00ARROW1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m *File
		dptest.WithinMemory(t, 1<<16+1024*uint64(len(b)), func() { m, _ = Decode(b) })
		if m == nil {
			return
		}
		again, err := m.Encode()
		must.Hold(t, err == nil && bytes.Equal(again, b), "a model came back different: %v", err)
	})
}

func ExampleFile_Encode() {
	d := domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}, Null: true}}}
	b, err := (&File{Domain: d, Method: "dpam", Model: &population.Model{Sizes: d.Sizes(), Weights: []float64{0.5, 0.4, 0.1}}}).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := Decode(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Method, f.Model.Weights)
	// Output: dpam [0.5 0.4 0.1]
}
