package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// CSV says how a CSV file is written. The zero value is the usual form: a header line, commas, and NULL
// as an empty cell or \N.
type CSV struct {
	Columns   []string // the names of all columns in order, for files without a header line
	Header    bool     `json:",omitempty"` // the first line holds names, though some look like numbers or dates
	Null      []string // further texts that mean NULL; not in the privacy ID
	Trim      bool     // cells have blanks around them that do not belong to them; blanks of the privacy ID do
	NullID    []string // further texts that mean that a record has no privacy ID
	TrimID    bool     // the privacy ID has blanks around it that do not belong to it
	Comma     rune     // what separates cells; 0 means a comma
	MaxRecord int      // bytes that the cells of one record hold at most; 0 means 4 MiB
	Encoding  string   `json:",omitempty"` // Windows1252, UTF16LE or UTF16BE, or UTF-8 if it is empty
	Escape    bool     `json:",omitempty"` // a backslash makes a quote, a separator, a line end or a backslash literal
	// Suggested is what records suggest where the header line leaves it open: of descriptions that are NOT private.
	Suggested struct {
		Encoding string
		Escape   bool
	} `json:"-"`
	Mark bool `json:",omitempty"` // files without a header line begin with a byte order mark

	// Written says of columns how their cells are written, if not as 1234.5 or 2024-12-31. What is written otherwise
	// is read as ever.
	Written map[string]Written `json:",omitempty"`

	// Strict refuses a line that is not well formed, with its number. No key of the file asks for it: it is
	// an option of the run, for the owner's eyes.
	Strict bool
}

// WithHeader returns the form of another file of the same making, which has a header line.
func (c CSV) WithHeader() CSV {
	c.Header, c.Columns, c.Mark = c.Header || len(c.Columns) > 0, nil, false
	return c
}

// Encodings of CSV files other than UTF-8.
const (
	Windows1252 = "windows-1252" // Excel's in western Europe, and ISO 8859-1
	UTF16LE     = "utf-16le"     // the lower byte first
	UTF16BE     = "utf-16be"     // the higher byte first
)

var encodings = []string{Windows1252, UTF16LE, UTF16BE}

// Written is how people write the cells of a column, by an example: a number of thousands with a fraction, or the last
// day of 2024. Its method Canonical reads a cell that is written so.
type Written = cellkind.Written

// The forms that cells can have besides the usual ones.
const (
	PointNumbers = cellkind.PointNumbers
	CommaNumbers = cellkind.CommaNumbers
	DayFirst     = cellkind.DayFirst
	MonthFirst   = cellkind.MonthFirst
	NamedMonth   = cellkind.NamedMonth
	DateDigits   = cellkind.DateDigits
)

// WrittenForms are all forms, numbers first.
var WrittenForms = cellkind.WrittenForms

// written reads the forms of columns.
func (r *reader) written(f *File, n *yaml.Node) {
	if r.open != nil && r.open.Whole {
		r.add(n, "csv: written: names columns, which are to be found, also how they are written; leave it out, or declare columns")
	}
	if f.Domain == nil {
		return
	}
	columns, types := f.Domain.Names(), map[string]domain.Type{}
	for i, name := range columns {
		types[name] = f.Domain.Attributes[i].Type
	}
	for _, d := range f.Domain.Derived { // which check and evaluate read
		name := d.Column.Name
		columns = append(columns, name)
		if _, declared := r.derivedColumns[name]; declared || len(r.faults) == 0 { // else nobody knows its type
			types[name] = d.Column.Type
		}
	}
	m, ok := r.mapping(n, "csv: written", columns...)
	if !ok {
		return
	}
	f.CSV.Written = map[string]Written{}
	for _, name := range columns {
		if !m.has(name) {
			continue
		}
		s, ok := r.text(m.values[name], "csv: written: "+name)
		w, t := Written(s), types[name]
		_, known := types[name]
		switch {
		case !ok:
		case !slices.Contains(WrittenForms, w):
			r.add(m.values[name], "csv: written: %s: got %s; the forms are %s", name, quote(s), formList(nil))
		case known && !w.Fits(t):
			fits := formList(&t)
			if fits == "" {
				r.add(m.keys[name], "csv: written: column %s is a %v, which is written in one way only; leave it out", quote(name), t)
				continue
			}
			r.add(m.values[name], "csv: written: column %s is a %v, whose forms are %s", quote(name), t, fits)
		default:
			f.CSV.Written[name] = w
		}
	}
}

// formList names the forms that fit a type, all of them for nil.
func formList(t *domain.Type) string {
	var s []string
	for _, w := range WrittenForms {
		if t == nil || w.Fits(*t) {
			s = append(s, strconv.Quote(string(w)))
		}
	}
	return strings.Join(s, ", ")
}

// formEnum lists the forms as JSON has them. Eight digits need no quotes in YAML, and are a number then.
func formEnum() []any {
	list := []any{json.Number(DateDigits)}
	for _, w := range WrittenForms {
		list = append(list, w)
	}
	return list
}

// Keys returns the keys that say how all cells are written: the separator, the encoding, whether there are blanks around them,
// and which texts mean NULL.
func (c CSV) Keys() (keys []string) {
	if c.Comma != 0 {
		keys = append(keys, "comma: "+strconv.Quote(string(c.Comma)))
	}
	if c.Encoding != "" {
		keys = append(keys, "encoding: "+c.Encoding)
	}
	if c.Escape {
		keys = append(keys, `escape: "\\"`)
	}
	if c.Trim {
		keys = append(keys, "trim: true")
	}
	if len(c.Null) > 0 {
		quotes := lists.Of(c.Null, strconv.Quote)
		keys = append(keys, "null: ["+strings.Join(quotes, ", ")+"]")
	}
	return keys
}
