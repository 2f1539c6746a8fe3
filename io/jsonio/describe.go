package jsonio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
)

// maxFields is how many names of fields are kept: a map that is written as an object would have one for each key.
const maxFields = 10_000

// field is what the records have of a field.
type field struct {
	name                          string
	records                       int
	null, nested, number, numeral bool // some value is null, nested, a number, or a text of digits
	text                          bool
}

// describe reads all records for the names of their fields: what it says is NOT private.
func describe(ctx context.Context, f files.Info, _ schema.CSV) (columns []table.Column, form schema.CSV, err error) {
	fields, records, bad, err := survey(ctx, f, -1)
	if err != nil {
		return nil, form, err
	}
	if bad.list {
		return nil, form, fmt.Errorf("jsonio: %s: %s", f.Name, oneList)
	}
	for _, s := range fields {
		c := table.Column{Name: s.name, Untyped: true, Nullable: s.null || s.records < records}
		switch {
		case s.nested:
			c.Fault = "it is nested; flatten it, such as by " + flatten(f.Name, []string{s.name})
		case s.text && s.numeral && !s.number: // digits that are meant as a text
			c.Untyped, c.Type = false, domain.String
		}
		columns = append(columns, c)
	}
	return columns, form, nil
}

// advised is how many records advice is based on.
const advised = 10_000

// advise says what is wrong with the first records of a file: it is NOT private.
func advise(ctx context.Context, f files.Info, _ schema.CSV) (string, error) {
	fields, _, bad, err := survey(ctx, f, advised)
	if err != nil {
		return "", err
	}
	var faults, nested []string
	switch {
	case bad.list:
		faults = append(faults, oneList)
	case bad.line > 0:
		faults = append(faults, fmt.Sprintf("line %d is no JSON object of one line; such a record has NULL in all columns", bad.line))
	}
	for _, s := range fields {
		if s.nested {
			nested = append(nested, s.name)
		}
	}
	if len(nested) > 0 {
		faults = append(faults, fmt.Sprintf("nested fields cannot be used; flatten them, such as by %s", flatten(f.Name, nested)))
	}
	if len(faults) == 0 {
		return "", nil
	}
	return f.Name + ": " + strings.Join(faults, "; "), nil
}

// flatten returns the command that makes columns of nested fields.
func flatten(name string, nested []string) string {
	quoted := make([]string, len(nested))
	unnested := make([]string, len(nested))
	for i, n := range nested {
		quoted[i] = `\"` + strings.ReplaceAll(n, `"`, `\"\"`) + `\"`
		unnested[i] = "unnest(" + quoted[i] + ", recursive := true)"
	}
	return fmt.Sprintf(`duckdb -c "COPY (SELECT * EXCLUDE (%s), %s FROM '%s') TO 'FILE.parquet'"`, strings.Join(quoted, ", "), strings.Join(unnested, ", "), strings.ReplaceAll(name, "'", "''"))
}

// oneList is what a file is that begins with a list.
const oneList = "it is one JSON list; write one object a line, or turn it into Parquet, such as by duckdb -c \"COPY (FROM 'FILE.json') TO 'FILE.parquet'\""

// malformed is the first line that is no record.
type malformed struct {
	line int  // its number; 0: all are records
	list bool // the file begins with a list
}

// survey looks at the fields of the first records, or of all if most is below 0.
func survey(ctx context.Context, f files.Info, most int) (fields []*field, records int, bad malformed, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the transfer of an object
	in, src, err := open(ctx, f, 0, 1)
	if err != nil {
		return nil, 0, bad, err
	}
	defer src.Close() // only read from
	first, _ := in.In.Peek(1)
	bad.list = string(first) == "["
	known := map[string]*field{}
	r := newReader(in, f.Name, &domain.Domain{}, schema.CSV{})
	for ; records != most; records++ {
		line, err := next(in)
		switch {
		case errors.Is(err, io.EOF):
			return fields, records, bad, nil
		case err != nil:
			return nil, 0, bad, fmt.Errorf("jsonio: %s: %w", f.Name, err)
		case !r.record(line):
			if bad.line == 0 {
				bad.line = in.Number
			}
			continue
		}
		eachField(line, func(name, value []byte) {
			s := known[string(name)]
			if s == nil {
				s = &field{name: string(name)}
				known[s.name], fields = s, append(fields, s)
			}
			s.see(value)
		})
		if len(fields) > maxFields {
			return nil, 0, bad, fmt.Errorf("jsonio: %s: more than %d different fields; write what their names mean into one field", f.Name, maxFields)
		}
	}
	return fields, records, bad, ctx.Err()
}

// see notes a value of the field.
func (s *field) see(value []byte) {
	s.records++
	switch value[0] {
	case 'n':
		s.null = true
	case '{', '[':
		s.nested = true
	case '"':
		s.text = true
		_, float := domain.ParseFloat(string(value[1 : len(value)-1]))
		s.numeral = s.numeral || float && !slices.Contains(value, '.') // decimals are often written as texts
	default:
		s.number = true
	}
}
