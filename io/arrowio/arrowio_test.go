package arrowio_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/arrowio"
)

func TestRoundTrip(t *testing.T) { formattest.RoundTrip(t, "arrow") }

func TestDamagedFiles(t *testing.T) { formattest.Damaged(t, "arrow", 400, true) }

func FuzzReader(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := formattest.Domain()
	b := must.Value(os.ReadFile(formattest.File(f, "arrow", d, formattest.Chunk(rng, d, 3))))(f)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = formattest.ReadBytes(t, filepath.Join(t.TempDir(), "f.arrow"), b, d) // fails if the error holds the file
	})
}

// No number of a footer makes the library take memory for entries that are not there.
func TestListsOfTheFooter(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	d := formattest.Domain()
	b := must.Value(os.ReadFile(formattest.File(t, "arrow", d, formattest.Chunk(rng, d, 3))))(t)
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
	must.Hold(t, refused >= (end-from)/16, "%d of %d changed footers are refused", refused, (end-from)/4)
}

// oddRecord is a record of formattest.OddDomain.
type oddRecord struct {
	id, s string
	n     uint64
	null  bool
}

// TestOddRecords: a record of any kind leaves the others as they are, in a column of texts and in one of categories.
func TestOddRecords(t *testing.T) {
	odd := map[string]oddRecord{
		"NULL": {null: true}, "empty": {}, "a number beyond INT64": {"q", "x", 1 << 63, false}, "bytes": {"\xff\x00", "\xfe", 1, false},
		"a mark": {"\ufeffp1", "\ufeffx", 1, false}, formattest.LongText: {"q", strings.Repeat("x", 17<<20), 1, false}, "a long ID": {strings.Repeat("q", 17<<20), "x", 1, false},
	}
	for _, texts := range []arrow.DataType{arrow.BinaryTypes.String, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}} {
		fields := arrow.NewSchema([]arrow.Field{{Name: "id", Type: arrow.BinaryTypes.LargeString, Nullable: true}, {Name: "s", Type: texts, Nullable: true}, {Name: "n", Type: arrow.PrimitiveTypes.Uint64, Nullable: true}}, nil)
		file := func(records []oddRecord) []byte {
			var b bytes.Buffer
			w := must.Value(ipc.NewFileWriter(&b, ipc.WithSchema(fields), ipc.WithZstd(), ipc.WithCompressConcurrency(1)))(t)
			build := array.NewRecordBuilder(memory.DefaultAllocator, fields)
			for part := range slices.Chunk(records, dictionaryOrThree(texts, len(records))) {
				for _, r := range part {
					for k, text := range []string{r.id, r.s, strconv.FormatUint(r.n, 10)} {
						if r.null {
							build.Field(k).AppendNull()
						} else if err := build.Field(k).AppendValueFromString(text); err != nil {
							t.Fatal(err)
						}
					}
				}
				must.Do(t, w.Write(build.NewRecordBatch()))
			}
			must.Do(t, w.Close())
			return b.Bytes()
		}
		odd := odd
		if !testing.Short() && texts.ID() == arrow.STRING { // it takes seconds and gigabytes
			odd = map[string]oddRecord{formattest.LongText + " of 1.1 GiB": {"q", strings.Repeat("x", 1100<<20), 1, false}}
		}
		formattest.OddRecords(t, "arrow", schema.CSV{}, func(i int) oddRecord { return oddRecord{fmt.Sprint("p", i), "x", uint64(i), false} }, odd, file)
		formattest.LongIDs(t, "arrow", func(id string) oddRecord { return oddRecord{id, "x", 1, false} }, file)
	}
}

// dictionaryOrThree is how many records make a batch: all, if their dictionary may not change on the way.
func dictionaryOrThree(t arrow.DataType, all int) int {
	if t.ID() == arrow.DICTIONARY {
		return all
	}
	return 3
}

func TestMismatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	d := formattest.Domain()
	b, err := os.ReadFile(formattest.File(t, "arrow", d, formattest.Chunk(rng, d, 3)))
	must.Do(t, err)
	name := filepath.Join(t.TempDir(), "a.feather")
	other := &domain.Domain{PrivacyID: "float64", Attributes: []domain.Attribute{{Name: "sting", Type: domain.String}, {Name: "date", Type: domain.Int64}}}
	_, err = formattest.ReadBytes(t, name, b, other)
	for _, want := range []string{`did you mean "string"?`, `column "date": date32 does not read as INT64`, "float64\": float64 cannot be the privacy ID"} {
		must.Fail(t, err, want)
	}
	must.Fails(formattest.ReadBytes(t, name, []byte("\xff\xff\xff\xff\x10\x00\x00\x00"), d))(t, "it is a stream of Arrow", "a stream")
}
