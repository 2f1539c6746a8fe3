package csvio

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
)

// TestNoRecordEndsARun: a line that is not well formed is a record all the same, with its ID, and leaves the
// lines around it alone. It is read alike in one piece and byte by byte.
func TestNoRecordEndsARun(t *testing.T) {
	trim := schema.CSV{Trim: true}
	for _, c := range []struct {
		name, line string
		opts       schema.CSV
		want       string
	}{
		{"too few cells", "3,F", schema.CSV{}, "3|F|-|"},
		{"one cell", "3", schema.CSV{}, "3|-|-|"},
		{"too many cells", "3,F,5,6,7", schema.CSV{}, "3|F|5|"},
		{"separators alone", ",,", schema.CSV{}, "-|-|-|"},
		{"many separators", ",,,,,", schema.CSV{}, "-|-|-|"},
		{"quote inside a cell", `3,the "best",5`, schema.CSV{}, `3|the "best"|5|`},
		{"quote at the end", `3,6'5",5`, schema.CSV{}, `3|6'5"|5|`},
		{"quotes alone", `3,F"""",5`, schema.CSV{}, `3|F""""|5|`},
		{"text after quotes", `3,"the "best" one",5`, schema.CSV{}, `3|"the "best" one"|5|`},
		{"separator after that", `3,"a" b,c",5`, schema.CSV{}, `3|"a" b|c"|`},
		{"separator in such quotes", `3,"a,b" c,5`, schema.CSV{}, `3|"a,b" c|5|`},
		{"line end in such quotes", "3,\"a\nb\" c,5", schema.CSV{}, "3|\"a\nb\" c|5|"},
		{"doubled quotes in such quotes", `3,"a""b"c,5`, schema.CSV{}, `3|"a""b"c|5|`},
		{"quote as the ID", `a"b,F,5`, schema.CSV{}, `a"b|F|5|`},
		{"quoted ID with text after it", `"a"b,F,5`, schema.CSV{}, `"a"b|F|5|`},
		{"blank before quotes", `3, "F",5`, schema.CSV{}, `3| "F"|5|`},
		{"blank before quotes, trimmed", `3, "F" ,5`, trim, `3|F|5|`},
		{"NBSP before quotes, trimmed", "3,\u00a0\"F,M\"\u2003,5", trim, `3|F,M|5|`},
		{"text after trimmed quotes", `3, "F" x ,5`, trim, `3|"F" x|5|`},
		{"CR inside a cell", "3,a\rb,5", schema.CSV{}, "3|a\rb|5|"},
		{"CR before a separator", "3,a\r,5", schema.CSV{}, "3|a\r|5|"},
		{"CR after quotes", "3,\"a\"\r,5", schema.CSV{}, "3|\"a\"\r|5|"},
		{"bytes 0", "\x00,\x00F,5", schema.CSV{}, "\x00|\x00F|5|"},
	} {
		for _, end := range []string{"\n", "\r\n"} {
			text := "id,sex,age" + end + "1,F,1" + end + c.line + end + "2,M,2" + end
			lines := strings.Count(c.line, "\n")
			want := fmt.Sprintf("2:1|F|1| 3:%s %d:2|M|2|", c.want, 4+lines)
			got, err := show(t, text, c.opts)
			if err != nil || got != want {
				t.Errorf("%s, %q: got %q, %v; want %q", c.name, end, got, err, want)
			}
			slow, err := read(iotest.OneByteReader(strings.NewReader(text)), c.opts)
			if err != nil || slow != want {
				t.Errorf("%s, %q, byte by byte: got %q, %v; want %q", c.name, end, slow, err, want)
			}
		}
		if alone, err := show(t, "id,sex,age\n"+c.line, c.opts); err != nil || alone != "2:"+c.want {
			t.Errorf("%s as the last line: got %q, %v", c.name, alone, err)
		}
	}
}

// TestLongRecords: what a record holds beyond the limit is NULL, whichever cells it is in; the ID survives, and
// so do the lines after it. What is not needed costs nothing.
func TestLongRecords(t *testing.T) {
	const mib = 1 << 20
	long := strings.Repeat("x", 3*mib)
	opts := schema.CSV{MaxRecord: mib}
	for _, c := range []struct{ name, line, want string }{
		{"a cell", "3," + long + ",5", "3|-|5|"},
		{"the last cell", "3,F," + long, "3|F|-|"},
		{"in quotes", `3,"` + long + "\n" + long + `",5`, "3|-|5|"},
		{"text after quotes", `3,"` + long + `"x,5`, "3|-|5|"},
		{"doubled quotes", `3,"` + strings.Repeat(`""`, mib) + `",5`, "3|-|5|"},
		{"together", "3," + long[:mib/2] + "," + long[:mib/2], "3|" + long[:mib/2] + "|-|"},
		{"just fitting", "3," + long[:mib-2] + ",5", "3|" + long[:mib-2] + "|5|"},
		{"too many cells", "3,F,5," + long, "3|F|5|"},
		{"too many cells in quotes", `3,F,5,"` + long + `"`, "3|F|5|"},
	} {
		text := "id,sex,age\n1,F,1\n" + c.line + "\r\n2,M,2\n"
		want := fmt.Sprintf("2:1|F|1| 3:%s %d:2|M|2|", c.want, 4+strings.Count(c.line, "\n"))
		if got, err := show(t, text, opts); err != nil || got != want {
			t.Errorf("%s: got %.200q, %v; want %.200q", c.name, got, err, want)
		}
	}
}

// TestOpenQuote: a quote that never closes ends the run without its line, and needs no memory for what follows.
func TestOpenQuote(t *testing.T) {
	for _, head := range []string{"id,sex,age\n1,F,5\n\"", "id,sex,age\n1,\"", "id,sex,age,z\n1,2,3,\""} {
		file := &many{head: head, line: "2,M,5\n", left: 8 << 20}
		r, err := NewReader(file, "p.csv", parse(t, twoColumns).Domain, schema.CSV{MaxRecord: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		err = r.Read(&domain.Chunk{})
		if want := "csv: p.csv: a quote opens a cell and never closes; write a quote inside a quoted cell twice, and close the cell (a strict run says on which line)"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if n := len(r.scan.buf); n > 1<<20+window {
			t.Errorf("%d bytes of memory for records of 1 MiB", n)
		}
	}
}

// many is a head and then lines.
type many struct {
	head, line string
	left       int
}

func (m *many) Read(b []byte) (int, error) {
	if m.head != "" {
		n := copy(b, m.head)
		m.head = m.head[n:]
		return n, nil
	}
	n := copy(b, strings.Repeat(m.line, 1000))
	if m.left -= n; m.left < 0 {
		return 0, errReader{}.end()
	}
	return n, nil
}

// TestEndlessHeader: a first line without an end is refused before it is held.
func TestEndlessHeader(t *testing.T) {
	_, err := NewReader(&many{head: "id,sex,age", line: "x", left: 1 << 30}, "p.csv", parse(t, twoColumns).Domain, schema.CSV{})
	if err == nil || !strings.Contains(err.Error(), "the header line is longer than 4 MiB") {
		t.Errorf("got %v", err)
	}
}
