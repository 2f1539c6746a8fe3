package columns

import (
	"context"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/background"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Reader reads batches of one schema as records of a domain.
type Reader struct {
	columns []Column // the privacy ID, then the attributes
	fields  []int    // of each, among those that are read; −1: it is none
	read    []int    // the fields of the schema that are read
}

// NewReader finds the columns of d in a schema. All mismatches are listed at once; they begin with format and file.
func NewReader(format, file string, s *arrow.Schema, d *domain.Domain) (*Reader, error) {
	names := make([]string, s.NumFields())
	for i := range names {
		names[i] = s.Field(i).Name
	}
	var errs errtext.Errors
	fields, faults := table.Match(names, d)
	r := &Reader{columns: make([]Column, len(fields)), fields: fields}
	for i, field := range fields {
		var ok bool
		switch {
		case faults[i] != "":
			errs.Addf("%s: %s: %s", format, file, faults[i])
		case field < 0:
		case i == 0:
			r.columns[i], ok = ID(s.Field(field).Type)
			if f := s.Field(field); isText(f.Type) && f.HasMetadata() && f.Metadata.FindKey(Hashed) >= 0 {
				r.columns[i].fill = texts(f.Type, category)
			}
			if !ok {
				errs.Addf("%s: %s: column %q: %s cannot be the privacy ID, which is a text or a whole number; convert the column to one of these", format, file, names[field], typeName(s, field))
			}
		default:
			a := &d.Attributes[i-1]
			if r.columns[i], ok = Of(s.Field(field).Type, a); !ok {
				errs.Addf("%s: %s: column %q: %s does not read as %s; change the domain, or convert the column", format, file, a.Name, typeName(s, field), a.Type)
			}
		}
	}
	for i, field := range r.fields {
		if field < 0 {
			continue
		}
		if !slices.Contains(r.read, field) {
			r.read = append(r.read, field)
		}
		r.fields[i] = slices.Index(r.read, field)
	}
	return r, errs.Err()
}

// TypeName is the key in a field's metadata of the type's name in the file, if it is not Arrow's.
const TypeName = "type"

// Hashed is the key in the metadata of a field of privacy IDs that went through lines.ID already.
const Hashed = "hashed"

func typeName(s *arrow.Schema, field int) string {
	f := s.Field(field)
	if name, ok := f.Metadata.GetValue(TypeName); ok {
		return name
	}
	return f.Type.Name()
}

// Fields returns the places in the schema of the columns that are read.
func (r *Reader) Fields() []int { return r.read }

const (
	chunkRows  = 1 << 14  // records of a batch that go on together
	chunkBytes = 32 << 20 // of one column of texts, beyond which fewer go on
)

// Chunks passes records to yield, in chunks of memory of their own. cells has as many of each of Fields.
func (r *Reader) Chunks(rows int, cells []arrow.Array, source string, yield func(*domain.Chunk) error) error {
	for lo, hi := 0, 0; lo < rows; lo = hi {
		hi = min(lo+chunkRows, rows)
		for field, a := range cells {
			hi = within(a, lo, hi, field == r.fields[0])
		}
		c := &domain.Chunk{Rows: hi - lo, Columns: make([]domain.Column, len(r.columns)-1), Source: source}
		err := background.OnAllCores(context.Background(), len(r.columns), func(next func() (int, bool)) {
			for k, ok := next(); ok; k, ok = next() {
				out := &c.ID
				if k > 0 {
					out = &c.Columns[k-1]
				}
				if field := r.fields[k]; field >= 0 {
					r.columns[k].Take(cells[field], lo, hi, out)
				}
			}
		})
		if err == nil {
			err = yield(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// within returns where cells from lo on end whose texts are not too long to go on together; at least one does. Those of a dictionary
// go on once, unless they are privacy IDs.
func within(a arrow.Array, lo, hi int, id bool) int {
	var text func(int) string
	switch a := a.(type) {
	case valued[string]:
		text = a.Value
	case *array.Dictionary:
		list, ok := a.Dictionary().(valued[string])
		if !ok || !id {
			return hi
		}
		text = func(i int) string { return list.Value(a.GetValueIndex(i)) }
	default:
		return hi
	}
	size := 0
	for i := lo; i < hi; i++ {
		if a.IsNull(i) {
			continue
		}
		if size += len(text(i)); size > chunkBytes && i > lo {
			return i
		}
	}
	return hi
}

// Describe returns the columns of a schema.
func Describe(s *arrow.Schema) (list []table.Column) {
	for i, field := range s.Fields() {
		c := table.Column{Name: field.Name, Nullable: field.Nullable, Fault: typeName(s, i) + " is not supported; flatten or convert it, or leave it out"}
		for _, row := range types {
			if _, ok := Of(field.Type, &domain.Attribute{Type: row.Type}); !ok {
				continue
			}
			c.Type, c.Fault = row.Type, ""
			if d, ok := field.Type.(arrow.DecimalType); ok {
				c.Scale, c.Digits = int(min(d.GetScale(), 9)), int(d.GetPrecision())
			}
			break
		}
		list = append(list, c)
	}
	return list
}
