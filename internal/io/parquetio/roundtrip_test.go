package parquetio

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// cell is one cell of a column as text; "NULL" cannot be confused with a text of the tests.
func cell(c *domain.Column, i int) string {
	if c.Null(i) {
		return "NULL"
	}
	switch c.Form {
	case domain.Dictionary:
		return c.Dict[c.Ints[i]]
	case domain.Text:
		return string(c.Text(i))
	case domain.Floats:
		return fmt.Sprintf("%x", math.Float64bits(c.Floats[i]))
	}
	return fmt.Sprint(c.Ints[i])
}

// unit returns a cell of an attribute in its native unit, also if the column came as texts.
func unit(a *domain.Attribute, c *domain.Column, i int) string {
	if c.Form != domain.Text || c.Null(i) || a.Type == domain.String {
		return cell(c, i)
	}
	if v, ok := a.ParseNative(string(c.Text(i))); ok {
		return fmt.Sprint(v)
	}
	return "unusable"
}

// sameRows fails unless the file holds the rows of the chunks in order.
func sameRows(t *testing.T, b []byte, d *domain.Domain, chunks ...*domain.Chunk) {
	t.Helper()
	r := must.Value(Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{}))(t)
	want := make([][]string, d.Len())
	for _, c := range chunks {
		for k := range c.Columns {
			for i := range c.Rows {
				want[k] = append(want[k], cell(&c.Columns[k], i))
			}
		}
	}
	at := 0
	for c, err := range r.Chunks() {
		must.Do(t, err)
		for k := range c.Columns {
			for i := range c.Rows {
				got := cell(&c.Columns[k], i)
				must.Need(t, at+i < len(want[k]) && got == want[k][at+i], "row %d, column %s: got %s", at+i, d.Attributes[k].Name, got)
			}
		}
		at += c.Rows
	}
	must.Need(t, at == len(want[0]) && r.Rows() == int64(at), "got %d rows, footer %d, want %d", at, r.Rows(), len(want[0]))
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	nullable := mixedDomain()
	plain := mixedDomain()
	for i := range plain.Attributes {
		plain.Attributes[i].Null = false
	}
	for _, tc := range []struct {
		name  string
		d     *domain.Domain
		o     Options
		nulls float64
		rows  []int
	}{
		{"no rows", nullable, Options{}, 0, nil},
		{"empty chunks", nullable, Options{}, 0, []int{0, 0}},
		{"one row", nullable, Options{}, 0.5, []int{1}},
		{"all NULL", nullable, Options{}, 1, []int{100}},
		{"unaligned", nullable, Options{GroupRows: 50000}, 0.05, []int{1, 65535, 0, 7, 65536, 9}},
		{"required", plain, Options{}, 0, []int{1000, 66000}},
		{"many groups", nullable, Options{GroupRows: 10}, 0.3, []int{95}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var chunks []*domain.Chunk
			for _, n := range tc.rows {
				chunks = append(chunks, randomChunk(tc.d, n, tc.nulls, r))
			}
			b := fileOf(t, tc.d, tc.o, chunks...)
			if len(chunks) == 0 {
				chunks = []*domain.Chunk{{Columns: make([]domain.Column, tc.d.Len())}}
			}
			sameRows(t, b, tc.d, chunks...)
		})
	}
}

// Values at the ends of each type's range.
func TestExtremes(t *testing.T) {
	type column struct {
		a      domain.Attribute
		ints   []int64
		floats []float64
	}
	columns := []column{
		{a: domain.Attribute{Name: "i", Type: domain.Int64}, ints: []int64{math.MinInt64, -1, 0, math.MaxInt64}},
		{a: domain.Attribute{Name: "n0", Type: domain.Numeric, Scale: 0}, ints: []int64{math.MinInt64 + 1, -1, 0, math.MaxInt64}},
		{a: domain.Attribute{Name: "n9", Type: domain.Numeric, Scale: 9}, ints: []int64{math.MinInt64 + 1, -1, 1, math.MaxInt64}},
		{a: domain.Attribute{Name: "d", Type: domain.Date}, ints: []int64{domain.Date.Facts().Least, -1, 0, domain.Date.Facts().Most}},
		{a: domain.Attribute{Name: "dt", Type: domain.DateTime}, ints: []int64{-62135596800e6, -1, 0, 253402300799999999}},
		{a: domain.Attribute{Name: "ts", Type: domain.Timestamp}, ints: []int64{-62135596800e6, -1, 0, 253402300799999999}},
		{a: domain.Attribute{Name: "t", Type: domain.Time}, ints: []int64{0, 1, 43200e6, 86400e6 - 1}},
		{a: domain.Attribute{Name: "b", Type: domain.Bool}, ints: []int64{0, 1, 1, 0}},
		{a: domain.Attribute{Name: "f", Type: domain.Float64}, floats: []float64{math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64}},
	}
	d, c := &domain.Domain{}, &domain.Chunk{Rows: 4}
	for _, col := range columns {
		d.Attributes = append(d.Attributes, col.a)
		form := domain.Ints
		if col.floats != nil {
			form = domain.Floats
		}
		c.Columns = append(c.Columns, domain.Column{Form: form, Ints: col.ints, Floats: col.floats})
	}
	sameRows(t, fileOf(t, d, Options{}, c), d, c)
}

// Chunks may come with different dictionaries, or with text.
func TestDictionariesChange(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "s", Type: domain.String, Null: true}}}
	one := &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Dictionary, Dict: []string{"a", "b"}, Ints: []int64{1, 0, 1}}}}
	two := &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Dictionary, Dict: []string{"c", "a", ""}, Ints: []int64{0, 1, 2}}}}
	three := &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Text, Bytes: []byte("bcüa"), Offsets: []uint32{0, 1, 4, 4}}}}
	null := &domain.Chunk{Rows: 2, Columns: []domain.Column{{Form: domain.Dictionary, Dict: []string{"a"}, Ints: []int64{99, 0}, Nulls: []bool{true, false}}}}
	sameRows(t, fileOf(t, d, Options{}, one, two, three, null), d, one, two, three, null)
	sameRows(t, fileOf(t, d, Options{GroupRows: 2}, two, one), d, two, one)

	// More than a batch, so that the dictionary grows after pages were made of the first one.
	big := func(dict ...string) *domain.Chunk {
		c := domain.Column{Form: domain.Dictionary, Dict: dict, Ints: make([]int64, codec.BatchRows)}
		for i := range c.Ints {
			c.Ints[i] = int64(i % len(dict))
		}
		return &domain.Chunk{Rows: codec.BatchRows, Columns: []domain.Column{c}}
	}
	x, y, z := big("a", "b"), big("d", "a", "c"), big("e")
	sameRows(t, fileOf(t, d, Options{}, x, y, z), d, x, y, z)
	sameRows(t, fileOf(t, d, Options{GroupRows: 100000}, x, y, z), d, x, y, z) // a batch meets the end of a group
}

// The types and repetitions stand in the package comment, which other readers go by.
func TestFooter(t *testing.T) {
	d := &domain.Domain{}
	for typ := domain.String; typ <= domain.Time; typ++ {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: typ.String(), Type: typ, Null: typ%2 == 0, Cuts: []int64{0, 9}, FloatCuts: []float64{0, 9}})
	}
	c := randomChunk(d, 100, 0, rand.New(rand.NewPCG(1, 1)))
	c.Columns[0].Dict = []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}
	r := must.Value(file.NewParquetReader(bytes.NewReader(fileOf(t, d, Options{}, c))))(t)
	sc := r.MetaData().Schema
	must.Equal(t, sc.Root().RepetitionType(), parquet.Repetitions.Required, "root")
	want := []string{"BYTE_ARRAY String", "INT64 Int(bitWidth=64, isSigned=true)", "DOUBLE", "FIXED_LEN_BYTE_ARRAY Decimal(precision=1, scale=0)", "BOOLEAN", "INT32 Date",
		"INT64 Timestamp(isAdjustedToUTC=false", "INT64 Timestamp(isAdjustedToUTC=true", "INT64 Time("}
	for i := range sc.NumColumns() {
		col := sc.Column(i)
		got := fmt.Sprint(col.PhysicalType(), " ", col.LogicalType())
		must.Hold(t, strings.HasPrefix(got, want[i]), "%s: got %s, want %s", col.Name(), got, want[i])
		rep := parquet.Repetitions.Required
		if d.Attributes[i].Null {
			rep = parquet.Repetitions.Optional
		}
		must.Equal(t, col.SchemaNode().RepetitionType(), rep, "%s", col.Name())
		chunk := must.Value(r.RowGroup(0).MetaData().ColumnChunk(i))(t)
		few := d.Attributes[i].Type != domain.Bool && d.Attributes[i].Type != domain.Float64
		if got, want := chunk.HasDictionaryPage(), few; got != want {
			t.Errorf("%s: dictionary %v, want %v", col.Name(), got, want)
		}
	}
	ts, ok := sc.Column(6).LogicalType().(schema.TimestampLogicalType)
	must.Hold(t, ok && ts.TimeUnit() == schema.TimeUnitMicros, "DATETIME is not in microseconds")
}

// What domain.Decoder makes is written, and reads and encodes back to the same codes.
func TestDecoded(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "s", Type: domain.String, Values: []string{"a", "b"}, Other: true, OtherValue: "other", Null: true},
		{Name: "i", Type: domain.Int64, Values: []string{"7", "-3"}, Other: true, OtherValue: "99"},
		{Name: "b", Type: domain.Bool, Values: []string{"false", "true"}, Null: true},
		{Name: "n", Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 100, 1000}, Resolution: 10, Null: true},
		{Name: "f", Type: domain.Float64, FloatCuts: []float64{0, 0.5, 1}, Null: true},
		{Name: "d", Type: domain.Date, Cuts: []int64{-5, 0, 5}, Resolution: 1, Null: true},
	}}
	must.Do(t, d.Validate())
	r := rand.New(rand.NewPCG(1, 3))
	const rows = 500
	var codes []domain.Code
	for range rows {
		for _, n := range d.Sizes() {
			codes = append(codes, domain.Code(r.IntN(n)))
		}
	}
	var c domain.Chunk
	domain.NewDecoder(d).Decode(&c, codes, func(int, int) uint64 { return r.Uint64() })
	file := must.Value(Open(bytes.NewReader(fileOf(t, d, Options{}, &c)), "x.parquet", d, ReadOptions{}))(t)
	got := make([]domain.Code, len(codes))
	domain.NewEncoder(d).Encode(onlyChunk(t, file), got)
	must.Hold(t, slices.Equal(got, codes), "other codes came back")
}

func TestPrivacyID(t *testing.T) {
	file := &domain.Domain{Attributes: []domain.Attribute{{Name: "id", Type: domain.String, Null: true}, {Name: "num", Type: domain.Int64}, {Name: "x", Type: domain.Int64}}}
	c := &domain.Chunk{Rows: 3, Columns: []domain.Column{
		{Form: domain.Text, Bytes: []byte("abcdab"), Offsets: []uint32{0, 2, 4, 6}, Nulls: []bool{false, true, false}},
		{Form: domain.Ints, Ints: []int64{7, 8, 9}}, {Form: domain.Ints, Ints: []int64{1, 2, 3}}}}
	b := fileOf(t, file, Options{}, c)
	for id, want := range map[string]string{"id": "ab NULL ab", "num": "7 8 9"} {
		d := &domain.Domain{PrivacyID: id, Attributes: file.Attributes[2:]}
		c := onlyChunk(t, must.Value(Open(bytes.NewReader(b), "x.parquet", d, ReadOptions{}))(t))
		got := fmt.Sprint(cell(&c.ID, 0), " ", cell(&c.ID, 1), " ", cell(&c.ID, 2))
		must.Hold(t, got == want && len(c.Columns) == 1, "%s: got %s, want %s", id, got, want)
	}
}

func TestOpenFile(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 10, 0.1, rand.New(rand.NewPCG(1, 1)))
	path := filepath.Join(t.TempDir(), "a.parquet")
	b := fileOf(t, d, Options{}, c)
	must.Do(t, os.WriteFile(path, b, 0o600))
	r := must.Value(OpenFile(path, d, ReadOptions{Size: int64(len(b))}))(t)
	must.Hold(t, r.Rows() == 10 && r.Groups() == 1, "%d rows, %d groups", r.Rows(), r.Groups())
	must.Pass(t, r.Close())
	must.Fails(OpenFile(path, d, ReadOptions{Size: 7}))(t, "has changed")
	must.Fails(OpenFile(path+"x", d, ReadOptions{}))(t, "", "a file that is not there opened")
}

// Equal rows make equal bytes, however they come in chunks: a part that is written again is the same file.
func TestSameBytes(t *testing.T) {
	d := mixedDomain()
	c := randomChunk(d, 70000, 0.1, rand.New(rand.NewPCG(1, 2)))
	whole := fileOf(t, d, Options{}, c)
	must.Hold(t, bytes.Equal(whole, fileOf(t, d, Options{}, copyRows(c, 0, 1234), copyRows(c, 1234, 66000), copyRows(c, 66000, 70000))), "chunks show in the file")
}
