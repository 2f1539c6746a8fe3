package parquetio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// resident returns the memory of the process in bytes.
func resident(t *testing.T) (held int) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("missing: /proc, which Linux has")
	}
	must.Value(fmt.Sscan(string(b), new(int), &held))(t)
	return held * os.Getpagesize()
}

// TestOddFiles: a file of a few kilobytes can stand for gigabytes of texts, and takes 200 MB at most, as a column and as the
// privacy ID.
func TestOddFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for gigabytes of texts; make integration reads them")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	long := strings.Repeat("x", 1<<20)
	var shared []string
	for i := range 900 {
		shared = append(shared, long+fmt.Sprint(i))
	}
	keep, none, zstd := parquet.WithDictionaryPageSizeLimit(1<<30), parquet.WithDictionaryDefault(false), parquet.WithCompression(compress.Codecs.Zstd)
	for name, tc := range map[string]struct {
		file []byte
		rows int
	}{
		"three texts of 256 kB":     {threeTexts(long[:256_000], 90_000), 90_000},
		"900 texts that share 1 MB": {textFile(t, shared, zstd, none, parquet.WithEncoding(parquet.Encodings.DeltaByteArray)), 900},
		"a dictionary of 20 MB":     {textFile(t, append(shared[:20:20], shared[:20]...), zstd, keep), 40},
		"a page of 40 MB":           {textFile(t, shared[:40], zstd, none), 40},
	} {
		b := tc.file
		for _, d := range []*domain.Domain{only("s", domain.String), {PrivacyID: "s"}} {
			took := math.MaxInt
			for range 5 { // where the collector waits for a core, one reading in some takes half as much again
				if took = min(took, readingTakes(t, b, d, tc.rows)); took <= 200 {
					break
				}
			}
			if took > 200 {
				t.Errorf("%s, ID %q: a file of %d bytes took %d MB", name, d.PrivacyID, len(b), took)
			} else {
				t.Logf("%s, ID %q: a file of %d bytes: %d MB", name, d.PrivacyID, len(b), took)
			}
		}
	}
}

// readingTakes reads a file and returns by how many MB the process grew meanwhile.
func readingTakes(t *testing.T, b []byte, d *domain.Domain, want int) int {
	t.Helper()
	r := must.Value(Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{}))(t)
	debug.FreeOSMemory()
	before, most, rows := resident(t), 0, 0
	for c, err := range r.Chunks() {
		must.Do(t, err)
		rows, most = rows+c.Rows, max(most, resident(t))
	}
	must.Hold(t, rows == want, "%d rows, want %d", rows, want)
	return (most - before) >> 20
}

// threeTexts is a file whose rows repeat three texts, which begin with long.
func threeTexts(long string, rows int) []byte {
	entries := plainTexts(long+"a", long+"b", long+"c")
	c := made{schema: [][]byte{elementOf(parquet.Types.ByteArray, "s", 6, 0)}, kind: parquet.Types.ByteArray}
	c.pages = append(structOf(1, 2, 2, len(entries), 3, len(entries), 7, structOf(1, 3, 2, 0)), entries...)
	run := append(binary.AppendUvarint(nil, uint64(rows)<<1), 1) // none is NULL
	page := append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...)
	page = binary.AppendUvarint(append(page, 8), uint64(rows/8)<<1|1)
	for i := range rows {
		page = append(page, byte(i%3))
	}
	c.pages = append(append(c.pages, structOf(1, 0, 2, len(page), 3, len(page), 5, structOf(1, rows, 2, 8, 3, 3, 4, 3))...), page...)
	return madeFile(rows, []made{c})
}
