package csvio

import (
	"bytes"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// formats are the first bytes of files that are not CSV. A mark made of letters counts only if the line is not text.
var formats = []struct{ mark, fix string }{
	{"\x1f\x8b", "it is compressed by gzip; add .gz to its name"},
	{"\x28\xb5\x2f\xfd", "it is compressed by Zstandard; add .zst to its name"},
	{"BZh", "it is compressed by bzip2; unpack it first, or compress it by gzip"},
	{"\xfd7zXZ\x00", "it is compressed by xz; unpack it first, or compress it by gzip"},
	{"\x04\x22\x4d\x18", "it is compressed by LZ4; unpack it first, or compress it by gzip"},
	{"PK\x03\x04", "it is an Excel workbook, or a zip archive; unpack the archive, save the sheet as CSV, or turn it into Parquet, such as by duckdb -c \"LOAD excel; COPY (FROM read_xlsx('FILE.xlsx')) TO 'FILE.parquet'\""},
	{"\xd0\xcf\x11\xe0", "it is an Excel workbook; save the sheet as CSV"},
	{"PAR1", "it is a Parquet file; let its name end in .parquet"},
	{"ARROW1", "it is an Arrow file; let its name end in .arrow"},
	{"ORC", orc},
	{"Obj\x01", "it is an Avro file; let its name end in .avro"},
	{"SQLite format 3\x00", "it is an SQLite database; turn the table into Parquet, such as by duckdb -c \"COPY (FROM sqlite_scan('FILE', 'TABLE')) TO 'FILE.parquet'\""},
	{"%PDF-", "it is a PDF document; a CSV file is needed"},
	{"\x89PNG", "it is a picture; a CSV file is needed"},
	{"\x89HDF", "it is an HDF5 file; write the table as Parquet, such as by pandas: read_hdf('FILE').to_parquet('FILE.parquet')"},
	{"\xff\xfe\x00\x00", "it is UTF-32; save it as UTF-8"},
	{"\x00\x00\xfe\xff", "it is UTF-32; save it as UTF-8"},
}

// json matches the first line of JSON: an object, or a list of objects, lists or texts.
var json = regexp.MustCompile(`^\s*(\{\s*("|\}|$)|\[\s*([{\["\]]|$))`)

// pdf matches the first line of a PDF document.
var pdf = regexp.MustCompile(`^%PDF-\d\.\d$`)

// markup matches the first line of HTML and of XML.
var markup = regexp.MustCompile(`(?i)^\s*<(!doctype|html|table|\?xml)\b`)

const orc = "it is an ORC file; write it as Parquet or CSV"

// foreign says what a file is that is no CSV as it stands, and what to do; "" for CSV. It judges by the header line.
func foreign(line []byte) string {
	for _, f := range formats {
		if bytes.HasPrefix(line, []byte(f.mark)) && (!printable([]byte(f.mark)) || !printable(line)) {
			return f.fix
		}
	}
	switch zeros := bytes.IndexByte(line, 0) >= 0; {
	case json.Match(line):
		return "it is JSON; let its name end in .jsonl if it has one object a line, or turn it into Parquet, such as by duckdb -c \"COPY (FROM 'FILE.json') TO 'FILE.parquet'\""
	case pdf.Match(line):
		return "it is a PDF document; a CSV file is needed"
	case string(line) == "ORC": // such a file may go on with a line end
		return orc
	case markup.Match(line):
		return "it is HTML or XML; save the table as CSV"
	case zeros && halves(line):
		return "it is UTF-16 without a byte order mark; save it as UTF-8, or write csv: {encoding: utf-16le} or {encoding: utf-16be} in the domain file"
	case zeros || controls(line):
		return "it holds bytes that no text has; name a CSV file"
	case bytes.HasSuffix(line, []byte{'\r'}):
		return macLines
	}
	return ""
}

const macLines = "its lines end in CR alone, as on old Macs; turn each CR into LF, such as by tr '\\r' '\\n'"

// controls reports whether so many bytes of a line are control characters that it is no text, whatever the separator is.
func controls(line []byte) bool {
	n := 0
	for _, c := range line {
		if c != '\t' && c != '\r' && c != '\n' && c < 0x1c { // the separators of ASCII are beyond
			n++
		}
	}
	return n > 1 && leastText*n > len(line)
}

// leastText is how many bytes a text has to each control character at least. Of random bytes each tenth is one.
const leastText = 20

// printable reports whether a line is text: a column may be called ORCID, and an ORC file goes on in other bytes.
func printable(line []byte) bool {
	return utf8.Valid(line) && !bytes.ContainsFunc(line, func(r rune) bool { return r != '\t' && r != '\r' && r != '\n' && unicode.IsControl(r) })
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
