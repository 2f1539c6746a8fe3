package arrowio_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	_ "github.com/dapple-dp/dapple/io/arrowio"
)

func TestRoundTrip(t *testing.T) { formattest.RoundTrip(t, "arrow") }

func TestDamagedFiles(t *testing.T) { formattest.Damaged(t, "arrow", 400, true) }

func FuzzReader(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := formattest.Domain()
	b, err := os.ReadFile(formattest.File(f, "arrow", d, formattest.Chunk(rng, d, 3)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = formattest.ReadBytes(t, filepath.Join(t.TempDir(), "f.arrow"), b, d) // fails if the error holds the file
	})
}

// No number of a footer makes the library take memory for entries that are not there.
func TestListsOfTheFooter(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := formattest.Domain()
	b, err := os.ReadFile(formattest.File(t, "arrow", d, formattest.Chunk(rng, d, 3)))
	if err != nil {
		t.Fatal(err)
	}
	end := len(b) - 10
	from := end - int(binary.LittleEndian.Uint32(b[end:]))
	name := filepath.Join(t.TempDir(), "f.arrow")
	refused := 0
	for at := from; at+4 <= end; at += 4 {
		wrong := slices.Clone(b)
		binary.LittleEndian.PutUint32(wrong[at:], 0x57fffef8)
		if _, err := formattest.ReadBytes(t, name, wrong, d); err != nil {
			refused++
		}
	}
	if refused < (end-from)/16 {
		t.Errorf("%d of %d changed footers are refused", refused, (end-from)/4)
	}
}

func TestMismatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	d := formattest.Domain()
	b, err := os.ReadFile(formattest.File(t, "arrow", d, formattest.Chunk(rng, d, 3)))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.feather")
	other := &domain.Domain{PrivacyID: "float64", Attributes: []domain.Attribute{{Name: "sting", Type: domain.String}, {Name: "date", Type: domain.Int64}}}
	_, err = formattest.ReadBytes(t, name, b, other)
	for _, want := range []string{`did you mean "string"?`, `column "date": date32 does not read as INT64`, "float64\": float64 cannot be the privacy ID"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := formattest.ReadBytes(t, name, []byte("\xff\xff\xff\xff\x10\x00\x00\x00"), d); err == nil || !strings.Contains(err.Error(), "it is a stream of Arrow") {
		t.Errorf("a stream: %v", err)
	}
}
