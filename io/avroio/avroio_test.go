package avroio_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/formattest"
	_ "github.com/dapple-dp/dapple/io/avroio"
	"github.com/dapple-dp/dapple/io/table"
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
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error %v, want %q", c.what, err, c.fault)
			}
		case err != nil || strings.Join(rows, "|") != c.want:
			t.Errorf("%s: got %q, %v", c.what, rows, err)
		}
	}
}

func TestNames(t *testing.T) {
	f, _ := table.FormatOf("avro")
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "ok_1"}, {Name: "Größe"}, {Name: "1st"}, {Name: "a b"}}}
	err := f.CheckOutput(d, "")
	if err == nil || strings.Count(err.Error(), "Avro's names are") != 3 || strings.Contains(err.Error(), "ok_1") {
		t.Errorf("got %v", err)
	}
}
