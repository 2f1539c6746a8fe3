package parquetio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/golang/snappy"

	"github.com/dapple-dp/dapple/dp/domain"
	tables "github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func words(v ...int64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func plainTexts(texts ...string) (b []byte) {
	for _, s := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

func only(name string, typ domain.Type) *domain.Domain {
	return &domain.Domain{Attributes: []domain.Attribute{{Name: name, Type: typ, Scale: 2, Null: true}}}
}

// described returns what Describe says of the columns of a file.
func described(t *testing.T, file []byte) string {
	t.Helper()
	list := must.Value(Describe(ctx, named(writeFile(t, filepath.Join(t.TempDir(), "x.parquet"), file))[0]))(t)
	var b strings.Builder
	for _, c := range list {
		if c.Fault != "" {
			fmt.Fprintf(&b, "%s: %s\n", c.Name, c.Fault)
		} else {
			fmt.Fprintf(&b, "%s: %v\n", c.Name, c.Type)
		}
	}
	return b.String()
}

// A column of a type that came into the format later, or that nobody has thought of yet, does not hide the
// others, and is named for what it is. Nor do fields of footers that are not known.
func TestNewLogicalTypes(t *testing.T) {
	column := func(name string, number int, member ...any) made {
		return made{schema: [][]byte{elementOf(parquet.Types.ByteArray, name, logicalOf(number, member...)...)}, kind: parquet.Types.ByteArray, body: plainTexts("a", "b", "c")}
	}
	deep := structOf(1, structOf(1, structOf(7, 2.5)))
	columns := []made{
		column("geometry", 17, 1, "OGC:CRS84"),
		column("geography", 18, 1, "OGC:CRS84", 2, 1),
		column("future", 99, 1, deep, 2, [][]byte{deep, deep}, 3, []int64{1, 2}, 20, true, 21, int8(3)),
		{schema: [][]byte{structOf(append([]any{3, 1, 4, "variant", 5, 2}, logicalOf(16, 1, int8(1))...)...), elementOf(parquet.Types.ByteArray, "metadata"), elementOf(parquet.Types.ByteArray, "value")},
			leaves: 2, kind: parquet.Types.ByteArray, body: plainTexts("a", "b", "c")},
		{schema: [][]byte{elementOf(parquet.Types.Int64, "n")}, kind: parquet.Types.Int64, body: words(7, -8, 9)},
	}
	file := madeFile(3, columns, 40, deep, 41, []int64{1}, 42, 1.5)
	must.Equal(t, must.Value(cellsIn(file, only("n", domain.Int64)))(t), "7 -8 9 ")
	const want = `geometry: BYTE_ARRAY Geometry is not supported; flatten or convert it, or leave it out
geography: BYTE_ARRAY Geography is not supported; flatten or convert it, or leave it out
future: BYTE_ARRAY of a logical type that dapple does not know (number 99) is not supported; flatten or convert it, or leave it out
variant: Variant is not supported; flatten or convert it, or leave it out
n: INT64
`
	got := described(t, file)
	must.Hold(t, got == want, "got\n%swant\n%s", got, want)
	for name, want := range map[string]string{"geometry": "BYTE_ARRAY Geometry does not read as STRING", "future": "(number 99) does not read as STRING", "variant": "Variant does not read as STRING"} {
		must.Fails(cellsIn(file, only(name, domain.String)))(t, want, "%s", name)
	}
	must.Pass(t, Check(ctx, named(writeFile(t, filepath.Join(t.TempDir(), "x.parquet"), file)), only("n", domain.Int64)))
}

// A group without columns, as parquet-go writes an empty struct.
func TestEmptyGroup(t *testing.T) {
	n := made{schema: [][]byte{structOf(3, 1, 4, "empty", 5, 0), elementOf(parquet.Types.Int64, "n")}, kind: parquet.Types.Int64, body: words(7, -8, 9)}
	file := madeFile(3, []made{n})
	// The root has two columns: one is the empty group.
	file = bytes.Replace(file, structOf(4, "schema", 5, 1), structOf(4, "schema", 5, 2), 1)
	must.Equal(t, must.Value(cellsIn(file, only("n", domain.Int64)))(t), "7 -8 9 ")
	must.Equal(t, described(t, file), "n: INT64\n")
}

// Types as they are, and as infer proposes them.
func TestKinds(t *testing.T) {
	day := func(ns int64, number uint32) []byte { return binary.LittleEndian.AppendUint32(words(ns), number) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	float := func(v ...float64) (b []byte) {
		for _, f := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
		}
		return b
	}
	hex := func(f float64) string { return fmt.Sprintf("%x", math.Float64bits(f)) }
	flba, bytesKind := parquet.Types.FixedLenByteArray, parquet.Types.ByteArray
	stamps := join(day(0, 2440588), day(1999, 2440587), day(-1, 2440588), day(0, 1<<31-1), day(0, 1<<31))
	const stamped = "0 -86399999999 -1 unusable unusable "
	for name, tc := range map[string]struct {
		column   made
		rows     int
		as       domain.Type
		want     string
		proposed string
	}{
		"INT96 as an instant":    {column1(parquet.Types.Int96, stamps), 5, domain.Timestamp, stamped, "TIMESTAMP"},
		"INT96 without a zone":   {column1(parquet.Types.Int96, stamps), 5, domain.DateTime, stamped, "TIMESTAMP"},
		"bytes as text":          {column1(bytesKind, plainTexts("a", "\xff")), 2, domain.String, "a \xff ", "STRING"},
		"JSON":                   {column1(bytesKind, plainTexts(`{"a":1}`, "[]"), logicalOf(12)...), 2, domain.String, `{"a":1} [] `, "STRING"},
		"old JSON":               {column1(bytesKind, plainTexts("[]"), 6, 19), 1, domain.String, "[] ", "STRING"},
		"UUID":                   {column1(flba, []byte("\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00"), append([]any{2, 16}, logicalOf(14)...)...), 1, domain.String, "123e4567-e89b-12d3-a456-426614174000 ", "STRING"},
		"floats of 16 bits":      {column1(flba, []byte{0, 0x3c, 1, 0x80, 0, 0x7c, 0xff, 0x7b, 0, 0x04}, append([]any{2, 2}, logicalOf(15)...)...), 5, domain.Float64, strings.Join([]string{hex(1), hex(-0x1p-24), hex(math.Inf(1)), hex(65504), hex(0x1p-14)}, " ") + " ", "FLOAT64"},
		"whole floats":           {column1(parquet.Types.Double, float(2, -3)), 2, domain.Int64, hex(2) + " " + hex(-3) + " ", "FLOAT64"},
		"old text":               {column1(bytesKind, plainTexts("a"), 6, 0), 1, domain.String, "a ", "STRING"},
		"old unsigned":           {column1(parquet.Types.Int64, words(-1), 6, 14), 1, domain.Int64, "unusable ", "INT64"},
		"old decimal":            {column1(parquet.Types.Int64, words(12345), 6, 5, 7, 3, 8, 9), 1, domain.Numeric, "1234 ", "NUMERIC"},
		"old instant in ms":      {column1(parquet.Types.Int64, words(5), 6, 9), 1, domain.Timestamp, "5000 ", "TIMESTAMP"},
		"NULL":                   {made{schema: [][]byte{elementOf(parquet.Types.Int32, "x", logicalOf(11)...)}, kind: parquet.Types.Int32, nulls: true}, 2, domain.Numeric, "NULL NULL ", "STRING"},
		"NULL as text":           {made{schema: [][]byte{elementOf(parquet.Types.Int32, "x", logicalOf(11)...)}, kind: parquet.Types.Int32, nulls: true}, 2, domain.String, "NULL NULL ", "STRING"},
		"NULL as floats":         {made{schema: [][]byte{elementOf(parquet.Types.Int32, "x", logicalOf(11)...)}, kind: parquet.Types.Int32, nulls: true}, 2, domain.Float64, "NULL NULL ", "STRING"},
		"an interval":            {column1(flba, make([]byte, 12), 2, 12, 6, 21), 1, domain.String, "", "FIXED_LEN_BYTE_ARRAY Interval is not supported; flatten or convert it, or leave it out"},
		"bytes of one length":    {column1(flba, make([]byte, 4), 2, 4), 1, domain.String, "", "FIXED_LEN_BYTE_ARRAY of 4 bytes without a logical type is not supported; flatten or convert it, or leave it out"},
		"BSON":                   {column1(bytesKind, plainTexts("a"), logicalOf(13)...), 1, domain.String, "", "BYTE_ARRAY BSON is not supported; flatten or convert it, or leave it out"},
		"a decimal of 39 digits": {column1(flba, make([]byte, 17), append([]any{2, 17}, logicalOf(5, 1, 2, 2, 39)...)...), 1, domain.Numeric, "", "FIXED_LEN_BYTE_ARRAY Decimal(precision=39, scale=2) is not supported; flatten or convert it, or leave it out"},
	} {
		file := madeFile(tc.rows, []made{tc.column})
		got, err := cellsIn(file, only("x", tc.as))
		if refused := tc.want == ""; refused && (err == nil || !strings.Contains(err.Error(), "does not read as")) || !refused && (err != nil || got != tc.want) {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, tc.want)
		}
		got = described(t, file)
		must.Hold(t, got == "x: "+tc.proposed+"\n", "%s: described as %q, want %q", name, got, tc.proposed)
	}
}

// Whole numbers that became floats in a column with NULLs are in the cells of the numbers.
func TestWholeFloatsEncode(t *testing.T) {
	body := words(int64(math.Float64bits(2)), int64(math.Float64bits(2.5)), int64(math.Float64bits(math.NaN())))
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Values: []string{"1", "2"}, Null: true, Other: true, OtherValue: "9"}}}
	r := must.Value(Open(bytes.NewReader(madeFile(3, []made{column1(parquet.Types.Double, body)})), "x.parquet", d, ReadOptions{}))(t)
	c := onlyChunk(t, r)
	other, _ := d.Attributes[0].OtherCode()
	got := encoded(d, c)
	must.Hold(t, got[0] == 1 && got[1] == other && got[2] == other, "%v", got)
}

// onlyChunk returns the rows of a short file.
func onlyChunk(t *testing.T, r *Reader) (only *domain.Chunk) {
	t.Helper()
	for c, err := range r.Chunks() {
		must.Need(t, err == nil && only == nil, "several chunks %v", err)
		only = c
	}
	return only
}

// A page whose checksum is wrong is refused; one without is read.
func TestChecksums(t *testing.T) {
	c := column1(parquet.Types.Int64, words(7))
	page := c.levelled(1)
	c.page = summed(goodSum, page)
	must.Equal(t, must.Value(cellsIn(madeFile(1, []made{c}), only("x", domain.Int64)))(t), "7 ")
	c.page = summed(func(b []byte) uint32 { return goodSum(b) ^ 1 }, page)
	_, err := cellsIn(madeFile(1, []made{c}), only("x", domain.Int64))
	want := `column "x": a page does not have the checksum that its header states: the file is damaged`
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), want), "%v", err)
}

// pyarrow before 3 compressed pages of version 2 and said that it had not.
func TestOldPagesV2(t *testing.T) {
	packed := snappy.Encode(nil, words(7, 7, 7, 7))
	c := column1(parquet.Types.Int64, nil)
	c.codec = 1
	c.pages = structOf(1, 3, 2, 34, 3, 2+len(packed), 8, structOf(1, 4, 2, 0, 3, 4, 4, 0, 5, 2, 6, 0, 7, false))
	c.pages = append(append(c.pages, 4<<1, 1), packed...)
	for creator, want := range map[string]bool{"parquet-cpp-arrow version 2.0.0": true, "parquet-cpp-arrow version 3.0.0": false, "parquet-mr version 1.0": false, "": false} {
		got, err := cellsIn(madeFile(4, []made{c}, 6, creator), only("x", domain.Int64))
		must.Hold(t, want == (err == nil) && (!want || got == "7 7 7 7 "), "%q: %q, %v", creator, got, err)
	}
}

// Encrypted columns are named; the others of their file are read.
func TestEncryptedColumn(t *testing.T) {
	x := column1(parquet.Types.Int64, words(7))
	x.chunk = []any{8, structOf(1, structOf())}
	y := made{schema: [][]byte{elementOf(parquet.Types.Int64, "y")}, kind: parquet.Types.Int64, body: words(8)}
	file := madeFile(1, []made{x, y}, 8, structOf(1, structOf()))
	must.Equal(t, must.Value(cellsIn(file, only("y", domain.Int64)))(t), "8 ")
	_, err := cellsIn(file, only("x", domain.Int64))
	want := `column "x": an encrypted column does not read as INT64; change the domain, or convert the column`
	must.Hold(t, err != nil && strings.HasSuffix(err.Error(), want), "%v", err)
	must.Equal(t, described(t, file), "x: an encrypted column is not supported; flatten or convert it, or leave it out\ny: INT64\n")
}

// Two columns of one name are named for what they are.
func TestTwoColumnsOfOneName(t *testing.T) {
	c := column1(parquet.Types.Int64, words(7))
	file := madeFile(1, []made{c, c})
	must.Fails(cellsIn(file, only("x", domain.Int64)))(t, `column "x": the file has several columns of this name; rename all but one`)
	must.Equal(t, described(t, file), "x: INT64\nx: INT64\n")
}

// Every type has a row, whole, and a physical type that pages can be made of.
func TestEveryTypeHasARow(t *testing.T) {
	physical := []parquet.Type{parquet.Types.ByteArray, parquet.Types.FixedLenByteArray, parquet.Types.Double,
		parquet.Types.Int64, parquet.Types.Int32, parquet.Types.Boolean}
	for _, typ := range domain.Types() {
		if int(typ) >= len(types) {
			t.Errorf("%v has no row in types.go", typ)
			continue
		}
		row := types[typ]
		if !slices.Contains(physical, row.physical) || row.logical == nil {
			t.Errorf("%v: physical or logical is missing in types.go", typ)
			continue
		}
		must.Passes(newColumn("x", typ, 0, true).Node())(t, "%v", typ)
	}
}

// Every type is described as it was written.
func TestDescribe(t *testing.T) {
	b, d := smallFile(t)
	path := writeFile(t, filepath.Join(t.TempDir(), "x.parquet"), b)
	got, err := Describe(ctx, named(path)[0])
	must.Need(t, err == nil && len(got) == d.Len(), "%d columns, want %d: %v", len(got), d.Len(), err)
	for i, c := range got {
		a := &d.Attributes[i]
		want := tables.Column{Name: a.Name, Type: a.Type, Nullable: true}
		if a.Type == domain.Numeric {
			want.Scale, want.Digits = a.Scale, 13
		}
		must.Hold(t, c == want, "%+v, want %+v", c, want)
	}
	writeFile(t, path, b[:len(b)/2])
	must.Fails(Describe(ctx, named(path)[0]))(t, "the footer cannot be read", "half a file")
}
