package csvio

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// names returns the names of the file's columns.
func (r *Reader) names() ([]string, error) {
	if !r.header {
		return r.opts.Columns, nil
	}
	s := r.scan
	if !s.record() {
		if s.err != nil {
			return nil, r.fault(s.err)
		}
		return nil, fmt.Errorf("csv: %s: the file is empty; a header line is needed, or csv: columns in the domain file", r.name)
	}
	var names []string
	size := 0
	s.whole = true
	defer func() { s.whole = false }()
	for more := true; more; {
		more = s.next(theText)
		if size += len(s.text) + 1; s.long || size > s.limit {
			return nil, fmt.Errorf("csv: %s: the header line is longer than %d MiB; is it a CSV file? If it is, raise max_record_mib under csv: in the domain file", r.name, s.limit>>20)
		}
		names = append(names, r.trimmed(string(s.text)))
	}
	if s.err != nil {
		return nil, fmt.Errorf("csv: %s: the header line: %w", r.name, s.err)
	}
	return names, nil
}

// missed is the field of a missing column.
const missed = -2

// match returns the field of each needed column, or an error that lists all that are missing. It does
// not show the first line of the file: without a header, that would be a record.
func (r *Reader) match(columns []string, d *domain.Domain) ([]int, error) {
	need := append([]string{d.PrivacyID}, d.Names()...)
	at := make(map[string]int, len(columns))
	twice := map[string]int{}
	for i, name := range columns {
		if _, known := at[name]; !known {
			at[name] = i
		} else if twice[name] == 0 {
			twice[name] = i
		}
	}
	var errs errtext.Errors
	fields := make([]int, len(need))
	missing, found := 0, 0
	for i, name := range need {
		field, known := at[name]
		switch {
		case i == 0 && name == "":
			field = -1
		case !known:
			missing++
			field = missed
		default:
			found++
			if twice[name] > 0 {
				errs.Addf("csv: %s: columns %d and %d are both called %q; rename one", r.name, field+1, twice[name]+1, name)
			}
		}
		fields[i] = field
	}
	if missing == 0 {
		return fields, errs.Err()
	}
	if r.header && slices.ContainsFunc(columns, func(name string) bool { return !utf8.ValidString(name) }) {
		return nil, fmt.Errorf("csv: %s: the header line is not UTF-8; write csv: {encoding: %s} in the domain file", r.name, schema.Windows1252)
	}
	if r.header && len(columns) == 1 && !r.opts.Header && strings.HasPrefix(columns[0], "#") {
		return nil, fmt.Errorf("csv: %s: %w", r.name, errComment)
	}
	if fix := r.otherSeparator(columns, need, found); fix != "" {
		return nil, fmt.Errorf("csv: %s: %s", r.name, fix)
	}
	for _, name := range need {
		delete(at, name)
	}
	rest := slices.Sorted(maps.Keys(at))
	for i, name := range need {
		if fields[i] != missed {
			continue
		}
		if errs.Full() {
			errs.Count()
		} else {
			errs.Addf("csv: %s: %s no column %q; %s", r.name, r.rule(), name, r.fix(name, rest, found))
		}
	}
	return nil, errs.Err()
}

// separators by the names that people give them.
var separators = []struct {
	comma      byte
	name, yaml string
}{{',', "commas", `","`}, {';', "semicolons", `";"`}, {'\t', "tabs", `"\t"`}, {'|', "bars", `"|"`}, {':', "colons", `":"`}, {' ', "blanks", `" "`}}

// otherSeparator returns advice if another separator finds more of the needed columns in the header line.
func (r *Reader) otherSeparator(columns, need []string, found int) string {
	if !r.header {
		return ""
	}
	line := strings.Join(columns, string(rune(r.scan.comma)))
	for _, other := range separators {
		if other.comma == r.scan.comma || strings.IndexByte(line, other.comma) < 0 {
			continue
		}
		s := newScanner(strings.NewReader(line), other.comma, r.scan.limit)
		s.layout = r.scan.layout
		names := map[string]bool{}
		for more := s.record(); more; {
			more = s.next(theText)
			names[r.trimmed(string(s.text))] = true
		}
		n := 0
		for _, name := range need {
			if name != "" && names[name] {
				n++
			}
		}
		if n > found {
			return fmt.Sprintf("the header line is separated by %s; write csv: {comma: %s} in the domain file", other.name, other.yaml)
		}
	}
	return ""
}

// rule describes where the names and the number of columns come from.
func (r *Reader) rule() string {
	if r.header {
		return "the header line has"
	}
	return "csv: columns in the domain file has"
}

// fix returns advice on a missing column. It shows a name of the header line only if that line cannot be a record: it
// has another needed column, or the name differs only in its spelling.
func (r *Reader) fix(name string, columns []string, found int) string {
	if near := errtext.Nearest(name, columns); near != "" && (!r.header || found > 0 || errtext.SameName(name, near)) {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if r.header {
		return "add it, or name the file's columns under csv: columns in the domain file if it has no such line"
	}
	return "name all columns of the file there, in their order"
}
