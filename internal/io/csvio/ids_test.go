package csvio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// idsOf returns the IDs of a file with the columns id and sex; NULL is a text of its own.
func idsOf(t *testing.T, text string, opts schema.CSV) (ids []string) {
	t.Helper()
	d := parse(t, "privacy_id: id\ncolumns: [{name: sex, type: STRING, values: [F], null: true}]").Domain
	must.Do(t, Each(strings.NewReader(text), "p.csv", d, opts, func(c *domain.Chunk) error {
		for i := range c.Rows {
			id := "no ID"
			if !c.ID.Null(i) {
				id = "ID " + string(c.ID.Text(i))
			}
			ids = append(ids, id)
		}
		return nil
	}))
	return ids
}

// hardIDs are IDs that a careless reader takes for each other.
var hardIDs = []string{
	"9223372036854775807", "9223372036854775808", "18446744073709551614", "18446744073709551615", "-9223372036854775808", "-9223372036854775809",
	"7", "07", "007", "+7", "7.0", "7e0", "-0", "0", "1", "1.", "9007199254740992", "9007199254740993",
	"A1", "A1 ", " A1", "\tA1", "A1\t", "\u00a0A1", "A1\u00a0", "\u2003A1", "\ufeffA1", "a1", "\u0041\u0301", "\u00c1",
	"a\nb", "a\r\nb", "a\rb", "a\n\nb", "a\r\n\r\nb", "a\n", "a\r\n", "\n", "\r\n", "\r",
	"NA", "N/A", "?", "null", "NULL", "None", "nan", "-", "n", "N", "\\n", "\\N ",
	`"`, `""`, `"a"`, `a"b`, `a""b`, `"a"b`, `a"`, "a,b", "a;b", ",", ",,", " ", "  ", "\x00", "\x00\x00", "\xff", "\xfe", "\xff\xfe", "\xc3",
	lines.HashedID, lines.HashedID + "x", lines.HashedID + string(make([]byte, 32)), strings.Repeat("x", 100), strings.Repeat("x", 101),
}

// TestIDsStayDistinct: distinct bytes are distinct IDs, whatever is trimmed and taken for NULL in the columns.
func TestIDsStayDistinct(t *testing.T) {
	ids := append([]string(nil), hardIDs...)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 { // random texts of the bytes that mean something
		b := make([]byte, 1+rng.IntN(6))
		for i := range b {
			b[i] = "a\"\n\r, \\N\x00\xa0\xc2"[rng.IntN(11)]
		}
		ids = append(ids, string(b))
	}
	for _, n := range []int{1<<20 - 1, 1 << 20, 1<<20 + 1, 1<<20 + window, 3 << 20} { // about a record's limit
		ids = append(ids, strings.Repeat("y", n), strings.Repeat("y", n-1)+"z", "z"+strings.Repeat("y", n-1))
	}
	known := map[string]bool{"": true, nullText: true}
	for _, end := range []string{"\n", "\r\n"} {
		for _, opts := range []schema.CSV{{}, {Trim: true, Null: []string{"?", "NA", "-", "7"}}} {
			opts.MaxRecord = 1 << 20
			var text strings.Builder
			text.WriteString("id,sex" + end)
			seen, n := map[string]string{}, 0
			for _, id := range ids {
				if !known[id] {
					fmt.Fprintf(&text, `"%s",F%s`, strings.ReplaceAll(id, `"`, `""`), end)
				}
			}
			got := idsOf(t, text.String(), opts)
			for _, id := range ids {
				if known[id] {
					continue
				}
				other, is := seen[got[n]]
				must.Hold(t, !is || other == id, "%.40q and %.40q are one ID", other, id)
				seen[got[n]] = id
				n++
			}
			must.Need(t, n == len(got), "%d IDs of %d", len(got), n)
		}
	}
}

// TestUnquotedIDsStayDistinct: so are IDs without quotes, as far as CSV can say them so.
func TestUnquotedIDsStayDistinct(t *testing.T) {
	for _, opts := range []schema.CSV{{}, {Trim: true}} {
		seen := map[string]string{}
		for _, id := range hardIDs {
			if strings.ContainsAny(id, ",\n\r") || strings.HasPrefix(strings.TrimSpace(id), `"`) {
				continue
			}
			got := idsOf(t, "sex,id\nF,"+id+"\n", opts)
			other, is := seen[got[0]]
			must.Hold(t, !is && len(got) == 1 && got[0] != "no ID", "%q and %q are one ID", other, id)
			seen[got[0]] = id
		}
	}
}

// TestNoID: an ID is missing if its cell is empty, \N, or not there; other texts mean that only if an option
// of their own says so, and blanks are taken off only if one does.
func TestNoID(t *testing.T) {
	const text = "sex,id\nF,\nF,\"\"\nF,\\N\nF\nF,NA\nF, A1 \nF, \"A1\"\nF,\"A1\"\nF, \n"
	for _, c := range []struct {
		opts schema.CSV
		want string
	}{
		{schema.CSV{}, `no ID|no ID|no ID|no ID|ID NA|ID  A1 |ID  "A1"|ID A1|ID  `},
		{schema.CSV{Trim: true, Null: []string{"NA", "A1"}}, `no ID|no ID|no ID|no ID|ID NA|ID  A1 |ID  "A1"|ID A1|ID  `},
		{schema.CSV{NullID: []string{"NA"}}, `no ID|no ID|no ID|no ID|no ID|ID  A1 |ID  "A1"|ID A1|ID  `},
		{schema.CSV{TrimID: true}, `no ID|no ID|no ID|no ID|ID NA|ID A1|ID A1|ID A1|no ID`},
	} {
		must.Equal(t, strings.Join(idsOf(t, text, c.opts), "|"), c.want, "%+v", c.opts)
	}
}

// TestTrimIDLeavesColumns: trim_id takes no blank off a column.
func TestTrimIDLeavesColumns(t *testing.T) {
	got, err := show(t, "id,sex,age\n 1 , \"F\" , \n", schema.CSV{TrimID: true, NullID: []string{""}})
	want := `2:1| "F" | |`
	must.Hold(t, err == nil && got == want, "got %q, %v; want %q", got, err, want)
}

// TestSplitReads: where a read ends changes nothing, line ends at the border included.
func TestSplitReads(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("id,sex,age\r\n")
	for i := 0; b.Len() < 3*window; i++ {
		fmt.Fprintf(&b, "%d,\"a\"\"\r\n%s\",%d\r\n", i, strings.Repeat("é", i%7), i%9)
	}
	two := parse(t, twoColumns).Domain
	want := must.Value(records(bytes.NewReader(b.Bytes()), "p.csv", two, schema.CSV{Trim: true}))(t)
	for size := range 40 {
		got, err := records(&pieces{b.Bytes(), 1 + size*size}, "p.csv", two, schema.CSV{Trim: true})
		must.Hold(t, err == nil && got == want, "pieces of %d: %v, or other records", 1+size*size, err)
	}
}

// pieces gives some bytes at a time.
type pieces struct {
	left []byte
	n    int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.n)], p.left)
	p.left = p.left[n:]
	return n, nil
}
