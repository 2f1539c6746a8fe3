package csvio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/packed"
	"github.com/dapple-dp/dapple/internal/io/schema"
)

// advise says what a file without a header line may be, if the first block is not what opts declare, and which lines of any
// file have other cells than columns. It looks at records: what it says is NOT private.
func advise(ctx context.Context, f files.Info, opts schema.CSV) (advice string, err error) {
	if len(opts.Columns) > 0 {
		advice, err = headless(ctx, f, opts)
	}
	if advice != "" || err != nil {
		return advice, err
	}
	if err = withFile(ctx, f, func(r io.Reader) error { advice, err = ragged(r, f.Name, opts); return err }); advice != "" {
		advice = fmt.Sprintf("%s: %s", f.Name, advice)
	}
	return advice, err
}

// ragged counts the lines that have more or fewer cells than there are columns, and says how cells that a backslash or Excel
// keeps together can be read.
func ragged(src io.Reader, name string, opts schema.CSV) (string, error) {
	r, err := open(src, name, opts)
	if err != nil {
		return "", err
	}
	block := bytes.Clone(r.scan.buf[:r.scan.end])
	columns, err := r.names()
	if err != nil {
		return "", err
	}
	r.scan.one = len(columns) == 1
	odd, first, cells := 0, 0, 0
	for r.scan.record() {
		line, n := r.scan.line, 1
		for r.scan.next(nothing) {
			n++
		}
		if n == len(columns) {
			continue
		}
		if odd++; odd == 1 {
			first, cells = line, n
		}
	}
	var faults []string
	if odd > 0 {
		faults = append(faults, fmt.Sprintf("lines with fewer or more than %d cells: %d; the first is line %d, with %d; missing cells are NULL, and extra ones are dropped", len(columns), odd, first, cells))
	}
	comma := []byte{r.scan.comma}
	if !opts.Escape && escaped(block, r.scan.comma) {
		faults = append(faults, `backslashes stand before quotes or separators, as MySQL and Spark write them; write csv: {escape: "\\"} in the domain file`)
	}
	if bytes.Contains(block, append(comma, `="`...)) {
		faults = append(faults, `cells are written as Excel's ="001"; the sign and the quotes belong to their values; write them without`)
	}
	return strings.Join(faults, "; "), nil
}

// escaped reports that a backslash stands before a separator, or before a quote that ends no cell.
func escaped(block []byte, comma byte) bool {
	for i := 0; ; {
		at := bytes.IndexByte(block[i:], '\\')
		if at < 0 || i+at+2 >= len(block) {
			return false
		}
		i += at + 1
		switch next, after := block[i], block[i+1]; {
		case next == comma, next == '"' && after != comma && after != '\r' && after != '\n':
			return true
		case next == '\\':
			i++
		}
	}
}

func headless(ctx context.Context, f files.Info, opts schema.CSV) (advice string, err error) {
	err = withFile(ctx, f, func(r io.Reader) error {
		plain, err := packed.Open("csv", r, f.Name)
		if err != nil {
			return err
		}
		raw := newScanner(plain, ',', maxRecord)
		raw.begin()
		if advice = undeclared(raw.buf[:raw.end], opts); advice != "" || raw.err != nil {
			return raw.err
		}
		c, err := open(bytes.NewReader(raw.buf[:raw.end]), "", opts)
		if err == nil {
			c.scan.begin()
			advice = c.scan.misread(len(opts.Columns))
		}
		return err
	})
	if advice != "" {
		advice = fmt.Sprintf("%s: %s", f.Name, advice)
	}
	return advice, err
}

// undeclared compares the first bytes of a file with its encoding and mark as declared, and with other formats.
func undeclared(block []byte, opts schema.CSV) string {
	mark := markOf(opts.Encoding)
	if opts.Mark && !bytes.HasPrefix(block, []byte(mark)) {
		return fmt.Sprintf("it begins with no byte order mark, and csv: mark: true skips its first %d bytes; leave mark out", len(mark))
	}
	for _, m := range marks {
		if !bytes.HasPrefix(block, []byte(m.bytes)) || bytes.HasPrefix(block, []byte(utf32)) || opts.Mark && m.encoding == opts.Encoding {
			continue
		}
		encoding := ""
		if m.encoding != "" {
			encoding = "encoding: " + m.encoding + ", "
		}
		return fmt.Sprintf("it begins with a byte order mark, which is read as a part of its first cell; write csv: {%smark: true} in the domain file", encoding)
	}
	if opts.Encoding == schema.UTF16LE || opts.Encoding == schema.UTF16BE {
		return "" // which has bytes 0
	}
	for _, f := range formats {
		if bytes.HasPrefix(block, []byte(f.mark)) && !(printable([]byte(f.mark)) && printable(block)) {
			return f.fix
		}
	}
	if n := bytes.Count(block, []byte{0}); 8*n >= len(block) && n > 0 {
		return foreign(block)
	}
	if line, _, _ := bytes.Cut(block, []byte{'\n'}); json.Match(line) {
		return foreign(line)
	}
	if bytes.IndexByte(block, '\n') < 0 && bytes.Count(block, []byte{'\r'}) > 1 {
		return macLines
	}
	return ""
}

// misread reports that another separator splits most lines into as many cells as there are columns, and the declared
// one splits none so.
func (s *scanner) misread(columns int) string {
	block := s.buf[s.at:s.end]
	if fit, _ := fitting(block, s.comma, columns); columns < 2 || fit > 0 {
		return ""
	}
	for _, other := range separators {
		if fit, lines := fitting(block, other.comma, columns); fit > 0 && 10*fit >= 9*lines {
			return fmt.Sprintf("its lines are separated by %s; write csv: {comma: %s} in the domain file", other.name, other.yaml)
		}
	}
	return ""
}

// fitting counts the whole lines of a block, and the ones with so many cells.
func fitting(block []byte, comma byte, columns int) (fit, lines int) {
	for line := range bytes.Lines(block) {
		if !bytes.HasSuffix(line, []byte{'\n'}) {
			break
		}
		lines++
		s := newScanner(bytes.NewReader(line), comma, len(line))
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
