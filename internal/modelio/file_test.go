package modelio

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
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
	f := &File{Domain: d, Method: "dpam", Sizes: d.Sizes(), Metadata: map[string]string{"rows": "50021", "a": "ü"}}
	for i := range 3 * 4 * 3 {
		f.Weights = append(f.Weights, float64(i)/7)
	}
	return f
}

func listed(n int) *File {
	r := rand.New(rand.NewPCG(1, 2))
	d := testDomain()
	f := &File{Domain: d, Method: "rake", Sizes: d.Sizes(), Columns: make([][]domain.Code, 3)}
	for range n {
		f.Weights = append(f.Weights, r.Float64())
		for a, s := range f.Sizes {
			f.Columns[a] = append(f.Columns[a], domain.Code(r.IntN(s)))
		}
	}
	return f
}

func bytesOf(tb testing.TB, f *File) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := Write(&b, f); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for name, f := range map[string]*File{"universe": universe(), "one": listed(1), "batches": listed(2*batchRows + 5), "a batch": listed(batchRows)} {
		b := bytesOf(t, f)
		if !bytes.Equal(b, bytesOf(t, f)) {
			t.Errorf("%s: other bytes the second time", name)
		}
		got, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, f) {
			t.Errorf("%s: another model came back", name)
		}
	}
}

// The hash stands in reports and keys the sampling of rows: it must not change between versions.
func TestHashIsPinned(t *testing.T) {
	h, err := universe().Hash()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(h[:8]), "916da6fbd951d445"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Every single change of content changes the hash.
func TestHashDiffers(t *testing.T) {
	seen := map[[32]byte]string{}
	for name, change := range map[string]func(f *File){
		"nothing":  func(f *File) {},
		"domain":   func(f *File) { f.Domain.Attributes[0].Values[0] = "female" },
		"method":   func(f *File) { f.Method = "dpfw" },
		"metadata": func(f *File) { f.Metadata = map[string]string{"a": ""} },
		"sizes":    func(f *File) { f.Sizes[0]++ },
		"code":     func(f *File) { f.Columns[2][7] ^= 1 },
		"weight":   func(f *File) { f.Weights[7] = math.Nextafter(f.Weights[7], 9) },
		"fewer":    func(f *File) { f.Weights = f.Weights[1:] },
		"swapped":  func(f *File) { f.Columns[0], f.Columns[1] = f.Columns[1], f.Columns[0] },
	} {
		f := listed(10)
		change(f)
		h, err := f.Hash()
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[h] = name
	}
}

func TestInvalidIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(f *File){
		"size":          func(f *File) { f.Sizes[1] = 7 },
		"code":          func(f *File) { f.Columns[0][3] = 3 },
		"short column":  func(f *File) { f.Columns[0] = f.Columns[0][1:] },
		"columns":       func(f *File) { f.Columns = f.Columns[1:] },
		"negative":      func(f *File) { f.Weights[2] = -1e-300 },
		"NaN":           func(f *File) { f.Weights[2] = math.NaN() },
		"infinite":      func(f *File) { f.Weights[2] = math.Inf(1) },
		"all 0":         func(f *File) { clear(f.Weights) },
		"infinite sum":  func(f *File) { f.Weights[2], f.Weights[3] = math.MaxFloat64, math.MaxFloat64 },
		"universe":      func(f *File) { f.Columns = nil },
		"reserved key":  func(f *File) { f.Metadata = map[string]string{"dapple.format": "2"} },
		"no UTF-8":      func(f *File) { f.Metadata = map[string]string{"a": "\xff"} },
		"broken domain": func(f *File) { f.Domain.Attributes[0].Name = "" },
	} {
		f := listed(10)
		change(f)
		var b bytes.Buffer
		if err := Write(&b, f); err == nil || b.Len() > 0 {
			t.Errorf("%s: %d bytes were written, error %v", name, b.Len(), err)
		}
	}
}

// Any flipped bit of the content is found, and any of the rest does no harm.
func TestDamage(t *testing.T) {
	f := listed(50)
	b := bytesOf(t, f)
	for n := range b {
		if n%5 == 0 {
			if _, err := Read(bytes.NewReader(b[:n]), int64(n)); err == nil {
				t.Fatalf("%d of %d bytes were read without an error", n, len(b))
			}
		}
		for _, bit := range []byte{1, 0x80} {
			c := bytes.Clone(b)
			c[n] ^= bit
			if got, err := Read(bytes.NewReader(c), int64(len(c))); err == nil && !reflect.DeepEqual(got, f) {
				t.Fatalf("byte %d: another model was read without an error", n)
			}
		}
	}
	// Words that are lengths and offsets somewhere.
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		c := bytes.Clone(b)
		at := r.IntN(len(c)/4) * 4
		copy(c[at:], []byte{byte(r.Uint32()), 0xff, 0xff, byte(0x7f + r.IntN(129))})
		if got, err := Read(bytes.NewReader(c), int64(len(c))); err == nil && !reflect.DeepEqual(got, f) {
			t.Fatalf("word at %d: another model was read without an error", at)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(bytesOf(f, universe()))
	f.Add(bytesOf(f, listed(3)))
	f.Add([]byte("ARROW1\x00\x00\x10\x00\x00\x00ARROW1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Read(bytes.NewReader(b), int64(len(b)))
		if err == nil && m.Validate() != nil {
			t.Error("an invalid model was read")
		}
	})
}

type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (w *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), w.left)
	w.left -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestWriteErrors(t *testing.T) {
	f := listed(100)
	n := len(bytesOf(t, f))
	for left := range n {
		if err := Write(&fullDisk{left}, f); !errors.Is(err, errFull) {
			t.Fatalf("after %d of %d bytes: %v", left, n, err)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "_model.arrow")
	if _, err := ReadFile(context.Background(), path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(context.Background(), path); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if err := os.WriteFile(path, bytesOf(t, universe()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(context.Background(), path); err != nil {
		t.Error(err)
	}
}

func ExampleWrite() {
	d := domain.Domain{Attributes: []domain.Attribute{{Name: "sex", Type: domain.String, Values: []string{"Female", "Male"}, Null: true}}}
	var b bytes.Buffer
	if err := Write(&b, &File{Domain: d, Method: "dpam", Sizes: d.Sizes(), Weights: []float64{0.5, 0.4, 0.1}}); err != nil {
		fmt.Println(err)
		return
	}
	f, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Method, f.Weights)
	// Output: dpam [0.5 0.4 0.1]
}
