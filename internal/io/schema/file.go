package schema

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/dp/domain"
)

// File is what a domain file declares. All of it is public.
type File struct {
	Name     string
	Domain   *domain.Domain
	Workload []WorkloadEntry // empty if the file declares none
	Target   string          // the column that the rows are to predict, in place of a workload; empty: none
	CSV      CSV
	// ExpectedRows is the public estimate of the number of privacy units, for planning; 0: the file gives none.
	ExpectedRows int64
	// Derived lists what was read off the table, and is not known without it.
	Derived []DerivedFacts
	// Charge is what finding the domain has cost; nil: nobody has found it privately.
	Charge *Charge
}

// DerivedFacts names what a domain file has of a column from the table itself: it is NOT private.
type DerivedFacts struct {
	Column string   // or DerivedEvents or DerivedRows
	Facts  []string // such as min, max
}

// DerivedEvents stands for a column in DerivedFacts of the rows of people, and DerivedRows in facts of the expected rows.
const (
	DerivedEvents = "(events)"
	DerivedRows   = "(expected_rows)"
)

func (d DerivedFacts) String() string {
	return d.Column + " (" + strings.Join(d.Facts, ", ") + ")"
}

// MaxBytes is the size of the largest domain file that is read. A reader of YAML needs up to some hundred
// bytes of memory for each byte of it, and people have to review it.
const MaxBytes = 8 << 20

// ReadFile reads a domain file. The error is a Faults, or says why the file cannot be read.
func ReadFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// NoPrivacyID is what a domain file says in place of a column if every record is one privacy unit.
const NoPrivacyID = "none"

// Parse reads the text of a domain file; name stands for it in messages. The error is a Faults.
func Parse(name string, data []byte) (*File, error) {
	return parse(&reader{file: name}, data)
}

func parse(r *reader, data []byte) (*File, error) {
	if len(data) > MaxBytes {
		r.add(&yaml.Node{}, "it is larger than %d MiB; a domain file lists no values that only the data know: name the frequent ones, and set other: true; of a long workload, name the marginals or queries that matter most", MaxBytes>>20)
		return nil, r.err()
	}
	f := &File{Name: r.file, Domain: &domain.Domain{}}
	if root := r.document(data); root != nil {
		if r.open != nil {
			r.open.root = root
		}
		r.root(f, root)
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return f, nil
}

// isDomainFile reports whether a document has a key of a domain file, or could lack all.
func isDomainFile(n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		return false
	}
	return len(n.Content) == 0 || slices.ContainsFunc(fileKeys.names(), func(key string) bool { return valueOf(n, key) != nil })
}

// root reads the outermost mapping.
func (r *reader) root(f *File, n *yaml.Node) {
	if !isDomainFile(n) { // it may be a table, and is not quoted
		r.add(&yaml.Node{Line: 1, Column: 1}, "it is no domain file, which has the key columns; where a command takes a table too, the order is FILE TABLE")
		return
	}
	m, ok := r.mapping(n, "domain file", fileKeys.names()...)
	if !ok {
		return
	}
	before, out, declared := len(r.faults), f, f.Domain
	r.derived, r.derivedColumns = derivedNames(n), map[string]computed{}
	if m.has("privacy_id") {
		if id, _ := r.name(m.values["privacy_id"], "privacy_id"); id != NoPrivacyID {
			f.Domain.PrivacyID = id
		}
	}
	rows := r.whole(m.values["expected_rows"], "expected_rows", "a whole number", MostRows)
	found := r.findsColumns(m)
	if !found {
		r.columns(f.Domain, m.values["columns"])
	}
	if found || len(r.faults) > before {
		f = &File{Name: r.file} // names are unknown: check the rest without them
	}
	if (m.has("constraints") || m.has("generate")) && f.Domain != nil {
		r.relate(f.Domain, m.values["constraints"], m.values["generate"])
	}
	if m.has("impossible") && f.Domain != nil {
		r.impossible(f.Domain, m.values["impossible"])
	}
	if m.has("derived_from_data") {
		f.Derived = r.derivedFacts(m.values["derived_from_data"])
	}
	if m.has("found") {
		f.Charge = r.charge(m.values["found"], declared.PrivacyID)
	}
	if m.has("csv") {
		r.csv(f, m.values["csv"])
	}
	if f.Domain != nil && len(r.faults) == before && len(f.Domain.Orders)+len(f.Domain.Dates) > 0 {
		r.relateCells(f.Domain, scalarsOf(append(r.ungapped, m.values["events"], m.values["workload"])...), m.values["constraints"])
	}
	if m.has("events") {
		r.events(f, m.values["events"])
	}
	r.workload(f, m.values["workload"])
	if !m.has("privacy_id") {
		r.undecided(n, declared.Names())
	}
	f.Domain, f.ExpectedRows = declared, rows
	*out = *f
}

// findsColumns reports whether all columns are to be found. Where nothing can be found it notes a fault.
func (r *reader) findsColumns(m mapping) bool {
	switch {
	case m.has("columns") && !r.isFind(m.values["columns"], "columns"):
		return false
	case r.open != nil:
		r.open.Whole, r.open.Events = true, m.has("events")
	case !m.has("columns"):
		r.add(m.node, "no columns; declare them under the key columns, or let `dapple synth` or `dapple infer --epsilon` find them")
	}
	return true
}

// undecided refuses a file that leaves open who is protected: without a privacy ID, several records of one person would
// be protected one by one.
func (r *reader) undecided(n *yaml.Node, columns []string) {
	r.add(n, "privacy_id: is required, since it says who is protected; write privacy_id: COLUMN for the column that names the people%s, or privacy_id: %s if every record is another person",
		Suggested(columns), NoPrivacyID)
}

// derivedFacts reads what was read off the data. Its columns need not be there: they may have been left out.
func (r *reader) derivedFacts(n *yaml.Node) (list []DerivedFacts) {
	if n.Kind != yaml.MappingNode {
		r.add(n, "derived_from_data: got %s; a mapping is needed, such as {age: [min, max]}; leave it out once all of it has been reviewed", kind(n))
		return nil
	}
	for key, value := range pairs(n) {
		column, ok := r.text(key, "derived_from_data")
		if facts := r.texts(value, "derived_from_data"); ok {
			list = append(list, DerivedFacts{column, facts})
		}
	}
	return list
}

// name reads a column name.
func (r *reader) name(n *yaml.Node, what string) (string, bool) {
	s, ok := r.text(n, what)
	if !ok {
		return "", false
	}
	if why := domain.NameFault(s); why != "" {
		r.add(n, "%s: got %s; %s", what, quote(s), why)
		return "", false
	}
	return s, true
}

// columns reads the list of columns.
func (r *reader) columns(d *domain.Domain, n *yaml.Node) {
	lines := map[string]int{}
	for _, item := range r.list(n, "columns") {
		a, at, ok := r.column(item)
		if !ok {
			continue
		}
		switch first := lines[a.Name]; {
		case first > 0:
			r.add(at, "column %s appears twice, first on line %d; leave one out", quote(a.Name), first)
		case a.Name == d.PrivacyID:
			r.add(at, "column %s is the privacy_id, which is not among the columns; leave it out", quote(a.Name))
		default:
			lines[a.Name] = at.Line
		}
		if r.derived[a.Name] {
			r.derivedColumns[a.Name] = computed{a, len(d.Attributes) + len(r.derivedColumns)}
			continue
		}
		d.Attributes = append(d.Attributes, a)
	}
}

// csv reads how a CSV file is written.
func (r *reader) csv(f *File, n *yaml.Node) {
	m, ok := r.mapping(n, "csv", csvKeys.names()...)
	if !ok {
		return
	}
	if m.has("columns") {
		f.CSV.Columns = r.texts(m.values["columns"], "csv: columns")
		r.covers(f, m.values["columns"])
	}
	if f.CSV.Header = r.flag(m.values["header"], "csv: header"); f.CSV.Header && m.has("columns") {
		r.add(m.keys["header"], "csv: header: files with a header line have no csv: columns; leave out one of them")
	}
	f.CSV.Null = r.texts(m.values["null"], "csv: null")
	r.marks(f, m.values["null"])
	f.CSV.Trim = r.flag(m.values["trim"], "csv: trim")
	for _, key := range []string{"null_id", "trim_id"} {
		if m.has(key) && f.Domain != nil && f.Domain.PrivacyID == "" {
			r.add(m.keys[key], "csv: %s: the file declares no privacy_id; declare one, or leave %s out", key, key)
		}
	}
	f.CSV.NullID = r.texts(m.values["null_id"], "csv: null_id")
	f.CSV.TrimID = r.flag(m.values["trim_id"], "csv: trim_id")
	f.CSV.MaxRecord = int(r.whole(m.values["max_record_mib"], "csv: max_record_mib", "a whole number of MiB", 1024)) << 20
	r.encoding(f, m)
	if m.has("written") {
		r.written(f, m.values["written"])
	}
	f.CSV.Comma = r.comma(m.values["comma"])
	if s, ok := r.text(m.values["escape"], "csv: escape"); ok {
		if f.CSV.Escape = s == `\`; !f.CSV.Escape {
			r.add(m.values["escape"], `csv: escape: got %s; only a backslash is read as one: "\\"; doubled quotes need no escape`, quote(s))
		} else if f.CSV.Comma == '\\' {
			r.add(m.values["escape"], "csv: escape: a backslash separates cells already; leave out one of them")
		}
	}
}

// encoding reads how the text of a file is encoded.
func (r *reader) encoding(f *File, m mapping) {
	if m.has("encoding") {
		s, ok := r.text(m.values["encoding"], "csv: encoding")
		if f.CSV.Encoding = s; ok && !slices.Contains(encodings, s) {
			r.add(m.values["encoding"], "csv: encoding: got %s; it is one of %s, or left out for UTF-8", quote(s), strings.Join(encodings, ", "))
		}
	}
	if f.CSV.Mark = r.flag(m.values["mark"], "csv: mark"); f.CSV.Mark && !m.has("columns") {
		r.add(m.keys["mark"], "csv: mark: it is for files without a header line, with csv: columns; leave it out, since a mark before a header line is found")
	} else if f.CSV.Mark && f.CSV.Encoding == Windows1252 {
		r.add(m.keys["mark"], "csv: mark: %s has no byte order mark; leave out one of them", Windows1252)
	}
}

// covers checks that the columns of a file without a header hold all that are needed.
func (r *reader) covers(f *File, n *yaml.Node) {
	if f.Domain == nil {
		return
	}
	for _, c := range append([]string{f.Domain.PrivacyID}, f.Domain.Names()...) {
		if c != "" && !slices.Contains(f.CSV.Columns, c) {
			r.add(n, "csv: columns: %s is missing; name all columns of the file, in their order", quote(c))
		}
	}
}

// marks checks that no text that means NULL is a category.
func (r *reader) marks(f *File, n *yaml.Node) {
	if f.Domain == nil {
		return
	}
	for i := range f.Domain.Attributes {
		a := &f.Domain.Attributes[i]
		for _, s := range f.CSV.Null {
			if slices.Contains(a.Values, s) {
				r.add(n, "csv: null: %s is a value of column %s; take it out of one of them", quote(s), quote(a.Name))
			}
		}
	}
}

// comma reads what separates cells.
func (r *reader) comma(n *yaml.Node) rune {
	s, ok := r.text(n, "csv: comma")
	if !ok {
		return 0
	}
	if s == `\t` {
		s = "\t"
	}
	c, size := utf8.DecodeRuneInString(s)
	if size != len(s) || size != 1 || strings.ContainsRune("\"\r\n\x00", c) {
		r.add(n, `csv: comma: got %s; one ASCII character is needed, such as ";" or "\t", and not a quote or a line end`, quote(s))
		return 0
	}
	return c
}
