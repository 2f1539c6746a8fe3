package avroio_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamba/avro/v2/ocf"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/avroio"
)

func TestRoundTrip(t *testing.T) { formattest.RoundTrip(t, "avro") }

func TestDamagedFiles(t *testing.T) { formattest.Damaged(t, "avro", 300, true) }

func FuzzReader(f *testing.F) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "s", Type: domain.String, Other: true, Null: true}, {Name: "n", Type: domain.Numeric, Cuts: []int64{0, 9}, Resolution: 1, Scale: 2, Null: true},
	}}
	f.Add([]byte("Obj\x01"))
	for _, fields := range []string{
		`{"name":"id","type":"long"},{"name":"s","type":["null","string"]},{"name":"n","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":1}}`,
		`{"name":"id","type":"string"},{"name":"s","type":{"type":"enum","name":"e","symbols":["a","b"]}},{"name":"n","type":"null"},{"name":"x","type":{"type":"array","items":{"type":"map","values":"row"}}}`,
	} {
		f.Add(container(fields, "\x02a\x02\x04\x00\x02\x02", 1))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = formattest.ReadBytes(t, filepath.Join(t.TempDir(), "f.avro"), b, d) // fails if the error holds the file
	})
}

// container is a file of one block, which is not packed, of up to 60 bytes.
func container(fields, block string, records byte) []byte {
	text := func(s string) string {
		n := 2 * len(s)
		if n < 128 {
			return string([]byte{byte(n)}) + s
		}
		return string([]byte{byte(n) | 0x80, byte(n >> 7)}) + s
	}
	mark := strings.Repeat("m", 16)
	return []byte("Obj\x01\x02" + text("avro.schema") + text(`{"type":"record","name":"row","fields":[`+fields+`]}`) + "\x00" + mark +
		string([]byte{2 * records}) + text(block) + mark)
}

// A record of a file that is whole, and files that would have no end or no bounds.
func TestContainers(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "n", Type: domain.Int64, Cuts: []int64{0, 9}, Resolution: 1, Null: true}}}
	const id, n = `{"name":"id","type":["null","string"]},`, `{"name":"n","type":["int","null"]}`
	name := filepath.Join(t.TempDir(), "a.avro")
	for _, c := range []struct {
		what, fields, block string
		records             byte
		want, fault         string
	}{
		{"two records", id + n, "\x02\x02a\x00\x0e" + "\x00\x02", 2, `"a" "7" |"NULL" "NULL" `, ""},
		{"a field that nobody needs", id + `{"name":"x","type":{"type":"map","values":["null",{"type":"array","items":"double"}]}},` + n,
			"\x00" + "\x02\x02k\x02\x02" + "12345678" + "\x00\x00" + "\x02", 1, `"NULL" "NULL" `, ""},
		{"a map in blocks of known size", id + `{"name":"x","type":{"type":"map","values":"int"}},` + n, "\x00" + "\x01\x06\x02k\x02\x00" + "\x02", 1, `"NULL" "NULL" `, ""},
		{"a record that holds itself", id + n + `,{"name":"x","type":"row"}`, "\x00\x02" + strings.Repeat("\x00\x02", 20), 1, "", "damaged"},
		{"items of no byte", id + `{"name":"x","type":{"type":"array","items":"null"}},` + n, "\x00" + "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01" + "\x00" + "\x02", 1, `"NULL" "NULL" `, ""},
		{"more records than bytes", id + n, "\x00", 9, "", "damaged"},
		{"bytes that are left", id + n, "\x00\x02\x00", 1, "", "damaged"},
		{"a text longer than the block", id + n, "\x02\x7fa", 1, "", "damaged"},
		{"a branch that is none", id + n, "\x06\x02", 1, "", "damaged"},
		{"no such column", n, "\x00\x02", 1, "", `column "id": the file has no such column`},
		{"a type that is another", id + `{"name":"n","type":"string"}`, "\x00\x00", 1, "", `column "n": string does not read as INT64`},
		{"an ID of fractions", `{"name":"id","type":"double"},` + n, "12345678\x02", 1, "", "double cannot be the privacy ID"},
	} {
		rows, err := formattest.ReadBytes(t, name, container(c.fields, c.block, c.records), d)
		switch {
		case c.fault != "":
			must.Fail(t, err, c.fault, "%s: error", c.what)
		case err != nil || strings.Join(rows, "|") != c.want:
			t.Errorf("%s: got %q, %v", c.what, rows, err)
		}
	}
}

// A value of every type that a column reads, and those beyond its type, which no number stands for.
func TestTypes(t *testing.T) {
	decimal := func(of string) string { return `{` + of + `,"logicalType":"decimal","precision":9,"scale":1}` }
	logical := func(of, name string) string { return `{"type":"` + of + `","logicalType":"` + name + `"}` }
	bytes, fixed := decimal(`"type":"bytes"`), decimal(`"type":"fixed","name":"f","size":4`)
	scale := map[domain.Type]int{domain.Numeric: 2}
	name := filepath.Join(t.TempDir(), "a.avro")
	for _, c := range []struct {
		as           domain.Type
		typ, b, want string // "": a damaged file
	}{
		{domain.Int64, `"int"`, "\x03", "-2"}, {domain.Int64, `"long"`, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "9223372036854775807"},
		{domain.Int64, `"float"`, "\x00\x00\x40\xc0", "-3"}, {domain.Float64, `"double"`, "\x00\x00\x00\x00\x00\x00\xf8\x3f", "1.5"},
		{domain.Numeric, bytes, "\x02\xfb", "-50"}, {domain.Numeric, bytes, "\x00", "0"}, {domain.Numeric, fixed, "\x00\x00\x01\x00", "2560"},
		{domain.Numeric, bytes, "\x50" + strings.Repeat("\xff", 39) + "\xfb", "-50"}, {domain.Numeric, bytes, "\x50\x01" + strings.Repeat("\x00", 39), "beyond the type"},
		{domain.Numeric, bytes, "\x12\x01" + strings.Repeat("\x00", 8), "beyond the type"},
		{domain.Bool, `"boolean"`, "\x01", "1"}, {domain.Bool, `"boolean"`, "\x02", ""},
		{domain.Date, logical("int", "date"), "\x03", "-2"}, {domain.Date, logical("int", "date"), "\x80\x80\x80\x80\x20", ""},
		{domain.Date, logical("int", "date"), "\xfe\xff\xff\xff\x0f", "beyond the type"},
		{domain.Time, logical("int", "time-millis"), "\x04", "2000"}, {domain.Time, logical("long", "time-micros"), "\x04", "2"},
		{domain.Timestamp, logical("long", "timestamp-millis"), "\x03", "-2000"}, {domain.Timestamp, logical("long", "timestamp-micros"), "\x03", "-2"},
		{domain.Timestamp, logical("long", "timestamp-nanos"), "\x03", "-1"}, {domain.DateTime, logical("long", "local-timestamp-millis"), "\x03", "-2000"},
		{domain.DateTime, logical("long", "local-timestamp-micros"), "\x03", "-2"}, {domain.DateTime, logical("long", "local-timestamp-nanos"), "\x03", "-1"},
		{domain.DateTime, logical("string", "datetime"), "\x261970-01-01T00:00:01", "1000000"}, {domain.DateTime, logical("string", "datetime"), "\x021", "beyond the type"},
		{domain.String, logical("string", "uuid"), "\x02x", "x"}, {domain.String, `{"type":"enum","name":"e","symbols":["a","b"]}`, "\x02", "b"},
		{domain.String, `{"type":"enum","name":"e","symbols":["a","b"]}`, "\x04", ""}, {domain.String, `["null"]`, "\x00", "NULL"},
	} {
		d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "a", Type: c.as, Null: true, Other: true, Scale: scale[c.as]}}}
		rows, err := formattest.ReadBytes(t, name, container(`{"name":"id","type":"long"},{"name":"a","type":`+c.typ+`}`, "\x02"+c.b, 1), d)
		if want := fmt.Sprintf("%q %q ", "1", c.want); c.want != "" && (err != nil || len(rows) != 1 || rows[0] != want) || c.want == "" && err == nil {
			t.Errorf("%s as %s: %q, %v; want %q", c.typ, c.as, rows, err, c.want)
		}
	}
}

// TestOddRecords: a record of any kind leaves the others as they are, however blocks are packed.
func TestOddRecords(t *testing.T) {
	odd := map[string]oddRecord{
		"empty": {}, "NULL": {null: true}, "bytes": {"\xff\x00", "\xfe", math.MinInt64, false}, "a mark": {"\ufeffp1", "\ufeffx", 1, false},
		formattest.LongText: {"q", strings.Repeat("x", 17<<20), 1, false}, "a long ID": {strings.Repeat("q", 17<<20), "x", 1, false},
	}
	for _, codec := range []string{"null", "deflate", "zstandard", "snappy"} {
		file := func(records []oddRecord) []byte {
			var b bytes.Buffer
			e, err := ocf.NewEncoder(`{"type":"record","name":"row","fields":[{"name":"id","type":["null","string"]},{"name":"s","type":["null","string"]},{"name":"n","type":["long","null"]}]}`,
				&b, ocf.WithCodec(ocf.CodecName(codec)), ocf.WithBlockLength(3))
			must.Do(t, err)
			for _, r := range records {
				row := map[string]any{"id": r.id, "s": r.s, "n": r.n}
				if r.null {
					row = map[string]any{"id": nil, "s": nil, "n": nil}
				}
				must.Do(t, e.Encode(row))
			}
			must.Do(t, e.Close())
			return b.Bytes()
		}
		odd := odd
		if !testing.Short() && codec == "deflate" { // it takes seconds and gigabytes
			odd = map[string]oddRecord{formattest.LongText + " of 600 MiB": {"q", strings.Repeat("x", 600<<20), 1, false}}
		}
		formattest.OddRecords(t, "avro", schema.CSV{}, func(i int) oddRecord { return oddRecord{fmt.Sprint("p", i), "x", int64(i), false} }, odd, file)
		formattest.LongIDs(t, "avro", func(id string) oddRecord { return oddRecord{id, "x", 1, false} }, file)
	}
}

// oddRecord is a record of formattest.OddDomain.
type oddRecord struct {
	id, s string
	n     int64
	null  bool
}
