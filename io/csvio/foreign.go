package csvio

import (
	"bytes"
	"fmt"
)

// formats are the first bytes of files that are not CSV. A mark made of letters counts only if zero bytes follow it:
// a column may be called ORCID.
var formats = []struct{ mark, fix string }{
	{"\x1f\x8b", "it is compressed by gzip; add .gz to its name"},
	{"\x28\xb5\x2f\xfd", "it is compressed by Zstandard; add .zst to its name"},
	{"BZh", "it is compressed by bzip2; unpack it first, or compress it by gzip"},
	{"\xfd7zXZ\x00", "it is compressed by xz; unpack it first, or compress it by gzip"},
	{"\x04\x22\x4d\x18", "it is compressed by LZ4; unpack it first, or compress it by gzip"},
	{"PK\x03\x04", "it is a zip archive, or a workbook of a spreadsheet program; unpack it, or save the sheet as CSV"},
	{"\xd0\xcf\x11\xe0", "it is a workbook of a spreadsheet program; save the sheet as CSV"},
	{"PAR1", "it is a Parquet file; let its name end in .parquet"},
	{"ARROW1", "it is an Arrow file; write it as Parquet or CSV"},
	{"ORC", "it is an ORC file; write it as Parquet or CSV"},
	{"Obj\x01", "it is an Avro file; write it as Parquet or CSV"},
	{"SQLite format 3\x00", "it is an SQLite database; export the table as CSV"},
	{"%PDF-", "it is a PDF document; a CSV file is needed"},
	{"\xff\xfe\x00\x00", "it is UTF-32; save it as UTF-8"},
	{"\x00\x00\xfe\xff", "it is UTF-32; save it as UTF-8"},
}

// foreign says what a file is that is no CSV as it stands, and what to do; "" for CSV. It looks at the first
// block that was read: at its first line if that is a header line. Of a file without one, which has records
// alone, it judges by the whole block, so that no cell decides.
func (s *scanner) foreign(header bool, columns []string) string {
	block := s.buf[s.at:s.end]
	zeros := bytes.Count(block, []byte{0})
	for _, f := range formats {
		letters := true
		for _, c := range []byte(f.mark) {
			letters = letters && ' ' <= c && c <= '~'
		}
		if bytes.HasPrefix(block, []byte(f.mark)) && (!letters || zeros > 0) {
			return f.fix
		}
	}
	first := block
	if end := bytes.IndexByte(block, '\n'); header && end >= 0 {
		first = block[:end]
	}
	if n := bytes.Count(first, []byte{0}); n > 0 && (header || len(block) >= 1024 && n >= len(block)/8) {
		if halves(block) {
			return "it is UTF-16 without a byte order mark; save it as UTF-8"
		}
		return "it holds bytes 0 and is no text; is it a CSV file?"
	}
	if header && loneCR(first) || !header && bytes.IndexByte(block, '\n') < 0 && bytes.Count(block, []byte{'\r'}) > 1 {
		return "its lines end in CR alone, as on old Macs; turn each CR into LF, such as by tr '\\r' '\\n'"
	}
	if !header {
		return s.misread(block, len(columns))
	}
	return ""
}

// halves reports whether every other byte is 0 in most of a text, which then is UTF-16.
func halves(block []byte) bool {
	var zeros [2]int
	for i, c := range block {
		if c == 0 {
			zeros[i&1]++
		}
	}
	return 2*max(zeros[0], zeros[1]) > len(block)/2 && min(zeros[0], zeros[1])*8 < max(zeros[0], zeros[1])
}

// loneCR reports whether a line contains a CR outside quotes that does not end it.
func loneCR(line []byte) bool {
	quoted := false
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\r' && !quoted && i+1 < len(line):
			return true
		}
	}
	return false
}

// misread reports that another separator splits the lines of a file without a header line, while the declared one
// splits none. It needs ten lines, so that a single line does not decide.
func (s *scanner) misread(block []byte, columns int) string {
	const enough = 10
	if fit, lines := fitting(block, s.comma, columns); columns < 2 || fit > 0 || lines < enough {
		return ""
	}
	for _, other := range separators {
		if fit, lines := fitting(block, other.comma, columns); fit >= enough && 10*fit >= 9*lines {
			return fmt.Sprintf("its lines are separated by %s; write csv: {comma: %s} in the domain file", other.name, other.yaml)
		}
	}
	return ""
}

// fitting counts the lines of a block, but the last one, and those of them with so many cells.
func fitting(block []byte, comma byte, columns int) (fit, lines int) {
	for line := range bytes.Lines(block) {
		if !bytes.HasSuffix(line, []byte{'\n'}) {
			break
		}
		lines++
		s := &scanner{src: errReader{}, comma: comma, limit: len(line), buf: line, end: len(line), ended: true, line: 1}
		if !s.record() {
			continue
		}
		n := 1
		for s.next(nothing) {
			n++
		}
		if n == columns && s.err == nil {
			fit++
		}
	}
	return fit, lines
}
