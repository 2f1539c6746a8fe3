package csvio

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestNoRecordEndsARun: a line that is not well formed, or looks like another format, is a record all the same, with its
// ID, and leaves the lines around it alone, also as the first line of a file without a header line. It is read alike
// in one piece and byte by byte.
func TestNoRecordEndsARun(t *testing.T) {
	trim := schema.CSV{Trim: true}
	type hostile struct {
		name, line string
		opts       schema.CSV
		want       string
	}
	cases := []hostile{
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
		{"many bytes 0", "3," + strings.Repeat("\x00", 1024) + ",5", schema.CSV{}, "3|" + strings.Repeat("\x00", 1024) + "|5|"},
		{"UTF-16", "\x003\x00,\x00F\x00,\x005\x00", schema.CSV{}, "\x003\x00|\x00F\x00|\x005\x00|"},
		{"semicolons", "3;F;5", schema.CSV{}, "3;F;5|-|-|"},
		{"tabs", "3\tF\t5", schema.CSV{}, "3\tF\t5|-|-|"},
		{"JSON", `{"id": 3, "sex": "F"}`, schema.CSV{}, `{"id": 3| "sex": "F"}|-|`},
		{"CR ends", "3\r4\r5", schema.CSV{}, "3\r4\r5|-|-|"},
		{"names", "id,sex,age", schema.CSV{}, "id|sex|age|"},
	}
	for _, f := range formats {
		cases = append(cases, hostile{f.mark, f.mark + "q,F,5", schema.CSV{}, f.mark + "q|F|5|"}, hostile{f.mark + " and zeros", f.mark + "\x00,F,5", schema.CSV{}, f.mark + "\x00|F|5|"})
	}
	for _, m := range marks {
		for _, e := range []string{"", schema.Windows1252} { // which has no mark
			id := m.bytes + "q"
			if e != "" {
				id = map[string]string{"\ufeff": "ï»¿q", "\xff\xfe": "ÿþq", "\xfe\xff": "þÿq"}[m.bytes]
			}
			cases = append(cases, hostile{m.bytes, m.bytes + "q,F,5", schema.CSV{Encoding: e}, id + "|F|5|"})
		}
	}
	two, declared := parse(t, twoColumns).Domain, []string{"id", "sex", "age"}
	for _, c := range cases {
		for _, end := range []string{"\n", "\r\n"} {
			for _, where := range []string{"%s2,M,2\n", "1,F,1\n%s2,M,2\n", "1,F,1\n%s", "%s"} {
				for _, header := range []string{"", "id,sex,age\n"} {
					opts := c.opts
					if header == "" {
						opts.Columns = declared
					} else if opts.Encoding != "" {
						continue
					}
					first, rest, _ := strings.Cut(header+where, "%s")
					line := 1 + strings.Count(first, "\n")
					text := strings.ReplaceAll(first, "\n", end) + c.line
					want := fmt.Sprintf("%d:%s", line, c.want)
					if strings.Contains(first, "1,F,1") {
						want = fmt.Sprintf("%d:1|F|1| %s", line-1, want)
					}
					if rest != "" {
						text += end + strings.ReplaceAll(rest, "\n", end)
						want += fmt.Sprintf(" %d:2|M|2|", line+1+strings.Count(c.line, "\n"))
					}
					for name, r := range map[string]io.Reader{"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text))} {
						got, err := records(r, "p.csv", two, opts)
						must.Hold(t, err == nil && got == want, "%q in %q, %q, %s: got %q, %v; want %q", c.name, header+where, end, name, got, err, want)
					}
				}
			}
		}
	}
}

// TestHeaderLikeAMark: a header line that begins with the mark of another format, made of letters, is read, whatever its
// records hold.
func TestHeaderLikeAMark(t *testing.T) {
	n := 0
	for _, f := range formats {
		if !printable([]byte(f.mark)) {
			continue
		}
		n++
		d := parse(t, fmt.Sprintf("privacy_id: %q\ncolumns: [{name: sex, type: STRING, values: [F], other: true}]", f.mark)).Domain
		for _, record := range []string{"q,F", "\x00,F", strings.Repeat("\x00", 2000), "a\rb\r", "{\"a\": 1}"} {
			rows := 0
			err := Each(strings.NewReader(f.mark+",sex\n"+record+"\np,F\n"), "p.csv", d, schema.CSV{}, func(c *domain.Chunk) error {
				rows += c.Rows
				return nil
			})
			must.Hold(t, err == nil && rows == 2, "%s, %.10q: %d records, %v", f.mark, record, rows, err)
		}
	}
	must.Hold(t, n >= 5, "%d marks of letters", n)
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
		got, err := show(t, text, opts)
		must.Hold(t, err == nil && got == want, "%s: got %.200q, %v; want %.200q", c.name, got, err, want)
	}
}

// TestOpenQuote: a quote that never closes ends the run without its line, and needs no memory for what follows.
func TestOpenQuote(t *testing.T) {
	for _, head := range []string{"id,sex,age\n1,F,5\n\"", "id,sex,age\n1,\"", "id,sex,age,z\n1,2,3,\""} {
		file := &many{head: head, line: "2,M,5\n", left: 8 << 20}
		r, err := NewReader(file, "p.csv", parse(t, twoColumns).Domain, schema.CSV{MaxRecord: 1 << 20})
		must.Do(t, err)
		err = r.Read(&domain.Chunk{})
		want := "csv: p.csv: a quote opens a cell and never closes; write a quote inside a quoted cell twice, and close the cell (a strict run says on which line)"
		must.Hold(t, err != nil && err.Error() == want, "got %v, want %s", err, want)
		must.Hold(t, len(r.scan.buf) <= 1<<20+window, "%d bytes of memory for records of 1 MiB", len(r.scan.buf))
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
		return 0, io.EOF
	}
	return n, nil
}

// TestEndlessHeader: a first line without an end is refused before it is held.
func TestEndlessHeader(t *testing.T) {
	_, err := NewReader(&many{head: "id,sex,age", line: "x", left: 1 << 30}, "p.csv", parse(t, twoColumns).Domain, schema.CSV{})
	must.Fail(t, err, "the header line is longer than 4 MiB")
}

// TestEscapes: what a program writes with backslashes is read as the program meant it: quoted or not, whatever the separator,
// in pieces of any size, and each record has the line that it begins on.
func TestEscapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		comma := ",;\t"[rng.IntN(3)]
		var want [][]string
		var lines []int
		var file []byte
		for range 1 + rng.IntN(4) {
			lines = append(lines, 1+bytes.Count(file, []byte{'\n'}))
			cells := make([]string, 2+rng.IntN(2))
			for i := range cells {
				for range rng.IntN(6) {
					cells[i] += []string{"a", `"`, `\`, string(comma), "\n", "\r\n", "N", "é"}[rng.IntN(8)]
				}
				quoted, text := rng.IntN(2) == 0, cells[i]
				for _, c := range []string{`\`, `"`, string(comma), "\r\n", "\n"} {
					if (c == "\r\n" || c == "\n" || c == string(comma)) && quoted && rng.IntN(2) == 0 {
						continue // needs no escape
					}
					text = strings.ReplaceAll(text, c, `\`+c)
					if c == "\r\n" {
						text = strings.ReplaceAll(text, "\r\n", "\r\x00") // so that LF is not escaped again
					}
				}
				text = strings.ReplaceAll(text, "\x00", "\n")
				if quoted {
					text = `"` + text + `"`
				}
				if file = append(file, text...); i < len(cells)-1 {
					file = append(file, comma)
				}
			}
			file = append(file, "\n"...)
			want = append(want, cells)
		}
		s := newScanner(&pieces{slices.Clone(file), 1 + rng.IntN(5)}, comma, 1<<20)
		s.escape, s.strict = true, true
		for i := 0; s.record(); i++ {
			line, got := s.line, []string(nil)
			for more := true; more; {
				more = s.next(theText)
				got = append(got, string(s.text))
			}
			must.Need(t, i < len(want) && slices.Equal(got, want[i]) && line == lines[i] && !s.stray,
				"%q: record %d on line %d is %q, %v; want %q on line %d", file, i, line, got, s.stray, want[min(i, len(want)-1)], lines[min(i, len(want)-1)])
		}
		must.Need(t, s.err == nil, "%q: %v", file, s.err)
	}
}
