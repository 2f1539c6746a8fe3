package parquetio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// readAll reads every row group; it fails the test only by a panic.
func readAll(b []byte, d *domain.Domain) error {
	r, err := Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{MaxPageBytes: 1 << 20})
	if err != nil {
		return err
	}
	for _, err := range r.Chunks() {
		if err != nil {
			return err
		}
	}
	return nil
}

func smallFile(tb testing.TB) ([]byte, *domain.Domain) {
	d := mixedDomain()
	return fileOf(tb, d, Options{}, randomChunk(d, 300, 0.2, rand.New(rand.NewPCG(5, 6)))), d
}

// oldFile has pages of version 1 that are not packed, by another writer.
func oldFile(tb testing.TB) []byte {
	return textFile(tb, strings.Split("a long text of some length,b,a,,c,b", ","), parquet.WithDataPageVersion(parquet.DataPageV1), parquet.WithCompression(compress.Codecs.Uncompressed))
}

func TestTruncated(t *testing.T) {
	b, d := smallFile(t)
	for n := range b {
		if n%7 == 0 || n > len(b)-20 {
			err := readAll(b[:n], d)
			must.Need(t, err != nil, "%d of %d bytes were read without an error", n, len(b))
		}
	}
}

func TestNotParquet(t *testing.T) {
	d := mixedDomain()
	for _, s := range []string{"", "PAR1", "PAR1PAR1", "PAR1\xff\xff\xff\xffPAR1", "PAR1\x00\x00\x00\x00PAR1", strings.Repeat("x", 1000), "PAR1" + strings.Repeat("\x15", 100) + "\x40\x00\x00\x00PAR1"} {
		err := readAll([]byte(s), d)
		must.Hold(t, err != nil && strings.HasPrefix(err.Error(), "parquet: x.parquet: "), "%q: %v", s, err)
	}
}

// A file whose footer is sound and whose beginning is not is none of Parquet's.
func TestWrongMark(t *testing.T) {
	b, d := smallFile(t)
	copy(b, "XXXX")
	const want = ": it does not begin as Parquet files do; is this a whole Parquet file?"
	err := readAll(b, d)
	must.Hold(t, err != nil && err.Error() == "parquet: x.parquet"+want, "%v", err)
	path := writeFile(t, filepath.Join(t.TempDir(), "x.parquet"), b)
	err = Check(ctx, named(path), d)
	must.Hold(t, err != nil && err.Error() == "parquet: "+path+want, "%v", err)
}

// Flipped bits never end the process, never hang, and never leak the library's words about cells.
func TestFlippedBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ours, mixed := smallFile(t)
	old := oldFile(t)
	for b, d := range map[*[]byte]*domain.Domain{&ours: mixed, &old: only("s", domain.String)} {
		for range 3000 {
			c := bytes.Clone(*b)
			for range 1 + r.IntN(4) {
				c[r.IntN(len(c))] ^= 1 << r.IntN(8)
			}
			err := readAll(c, d)
			must.Need(t, err == nil || strings.HasPrefix(err.Error(), "parquet: x.parquet: "), "%v", err)
		}
	}
}

func FuzzRead(f *testing.F) {
	b, d := smallFile(f)
	f.Add(b)
	f.Add(oldFile(f))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = readAll(b, d), readAll(b, only("s", domain.String)) })
}

func TestMismatchesAreListed(t *testing.T) {
	b, d := smallFile(t)
	bad := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "c00", Type: domain.Int64}, {Name: "c05", Type: domain.String}, {Name: "c13", Type: domain.DateTime},
		{Name: "missing", Type: domain.Bool}, {Name: "C 02", Type: domain.Bool}, {Name: "C-12", Type: domain.Bool}, {Name: "c10", Type: domain.Float64}, {Name: "c12", Type: domain.Date}}}
	_, err := Open(bytes.NewReader(b), "x.parquet", bad, ReadOptions{})
	must.Need(t, err != nil, "no error")
	for _, want := range []string{`column "c00": BYTE_ARRAY String does not read as INT64`, `"c05": INT64 Int(bitWidth=64, isSigned=true) does not read as STRING`,
		`"c13"`, `does not read as DATETIME`, "\"missing\": the file has no such column\n", `"C 02": the file has no such column; did you mean "c02"?`, `"c10"`, `does not read as FLOAT64`} {
		must.Hold(t, strings.Contains(err.Error(), want), "%q is not in %q", want, err)
	}
	must.Hold(t, !strings.Contains(err.Error(), "c12"), "a column that matches is listed")
	must.Passes(Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{}))(t)
}

func TestPageLimit(t *testing.T) {
	b, d := smallFile(t)
	r := must.Value(Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{MaxPageBytes: 1000}))(t)
	for _, err := range r.Chunks() {
		must.Hold(t, errors.Is(err, codec.ErrLarge), "%v", err)
	}
}

// failing is a destination whose n-th write fails once, and which must never be closed.
type failing struct {
	n      int
	short  bool
	closed *bool
}

var errDisk = errors.New("no space left on device")

func (f *failing) Write(p []byte) (int, error) {
	f.n--
	if f.n == 0 && f.short {
		return len(p) / 2, nil
	}
	if f.n == 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func (f *failing) Close() error { *f.closed = true; return nil }

// Every single failing write is reported by Close, wherever it falls.
func TestNoWriteErrorIsSilent(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 100, 0.1, rand.New(rand.NewPCG(9, 9)))
	failed := 0
	for _, short := range []bool{false, true} {
		for n := 1; ; n++ {
			closed := false
			f := &failing{n: n, short: short, closed: &closed}
			err := writeAll(f, d, c)
			must.Need(t, !closed, "the destination was closed")
			if f.n > 0 { // the failing write was never reached
				must.Do(t, err)
				break
			}
			failed++
			want := map[bool]error{false: errDisk, true: io.ErrShortWrite}[short]
			must.Need(t, errors.Is(err, want), "write %d failed: got %v", n, err)
		}
	}
	must.Hold(t, failed >= 20, "only %d failures were injected", failed)
}

// writeAll writes c three times, in several row groups, and returns Close's error.
func writeAll(w io.Writer, d *domain.Domain, c *domain.Chunk) error {
	p, err := NewWriter(w, d, Options{GroupRows: 70})
	if err != nil {
		return err
	}
	for range 3 {
		_ = p.Write(c)
	}
	_, err = p.Close()
	return err
}

func TestWriteRefuses(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "s", Type: domain.String}, {Name: "d", Type: domain.Date, Null: true}, {Name: "b", Type: domain.Bool}}}
	good := func() *domain.Chunk {
		return &domain.Chunk{Rows: 2, Columns: []domain.Column{
			{Form: domain.Dictionary, Dict: []string{"a"}, Ints: []int64{0, 0}}, {Form: domain.Ints, Ints: []int64{1, 2}},
			{Form: domain.Dictionary, Dict: []string{"true"}, Ints: []int64{0, 0}}}}
	}
	for name, tc := range map[string]struct {
		change func(c *domain.Chunk)
		want   string
	}{
		"columns": {func(c *domain.Chunk) { c.Columns = c.Columns[:1] }, "1 columns for a file of 3"},
		"form":    {func(c *domain.Chunk) { c.Columns[1].Form = domain.Floats }, errForm.Error()},
		"short":   {func(c *domain.Chunk) { c.Columns[1].Ints = c.Columns[1].Ints[:1] }, errLength.Error()},
		"nulls":   {func(c *domain.Chunk) { c.Columns[1].Nulls = []bool{true} }, errLength.Error()},
		"null":    {func(c *domain.Chunk) { c.Columns[0].Nulls = []bool{true, false} }, errNull.Error()},
		"index":   {func(c *domain.Chunk) { c.Columns[0].Ints[1] = 1 }, errIndex.Error()},
		"below":   {func(c *domain.Chunk) { c.Columns[0].Ints[1] = -1 }, errIndex.Error()},
		"literal": {func(c *domain.Chunk) { c.Columns[2].Dict[0] = "x" }, errLiteral.Error()},
		"date":    {func(c *domain.Chunk) { c.Columns[1].Ints[1] = 1 << 40 }, errDate.Error()},
	} {
		w := must.Value(NewWriter(&bytes.Buffer{}, d, Options{}))(t)
		c := good()
		tc.change(c)
		first := w.Write(c)
		if _, err := w.Close(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v", name, err)
		} else if first != nil && !errors.Is(w.Write(good()), first) {
			t.Errorf("%s: a later write forgets the error", name)
		}
	}
	must.Fails(NewWriter(&bytes.Buffer{}, &domain.Domain{}, Options{}))(t, "", "a file without columns was begun")
}

// Files that differ in thousands of columns, whose names are long, are refused in a few lines.
func TestFaultsAreBounded(t *testing.T) {
	var columns []made
	for i := range 5000 {
		columns = append(columns, made{schema: [][]byte{elementOf(parquet.Types.Int64, fmt.Sprint(strings.Repeat("x", 3000), i))}, kind: parquet.Types.Int64, body: words(1)})
	}
	dir := t.TempDir()
	many := writeFile(t, filepath.Join(dir, "many.parquet"), madeFile(1, columns))
	one := writeFile(t, filepath.Join(dir, "one.parquet"), madeFile(1, []made{column1(parquet.Types.Int64, words(7))}))
	d := only("x", domain.Int64)
	for i := range 5000 {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("a", i), Type: domain.Bool})
	}
	for name, list := range map[string][]string{"differences": {one, many}, "missing columns": {one}, "files": slices.Repeat([]string{dir}, 1000)} {
		err := Check(ctx, named(list...), d)
		must.Hold(t, err != nil && len(err.Error()) <= 12000 && strings.Count(err.Error(), "\n") <= 2*errtext.Shown+2 && strings.Contains(err.Error(), " more"),
			"%s: %.300v …", name, err)
	}
	_, err := OpenFile(one, d, ReadOptions{})
	must.Hold(t, err != nil && len(err.Error()) <= 4000 && strings.HasSuffix(err.Error(), "and 4980 more"), "%.300v …", err)
}
