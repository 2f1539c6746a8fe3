package expansion

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx/schema"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// rowTypes are the Go types of the rows that come and of those that go.
type rowTypes struct {
	in, out reflect.Type
	// kept are the fields of a logical type of what goes, as the caller has them.
	kept map[string]*pipepb.FieldType
}

// typesOf returns the types of rows of a schema that are records of d, or all that is wrong with it in the words of
// the caller.
func typesOf(s *pipepb.Schema, d *domain.Domain) (r rowTypes, err error) {
	if err := errors.Join(append(schemaFaults(s), columnFaults(s, d)...)...); err != nil {
		return r, err
	}
	if r.in, err = typeOf(s); err == nil {
		r.out, r.kept = outOf(r.in, s, d)
	}
	return r, err
}

// typeOf returns the Go type of rows of a schema.
func typeOf(s *pipepb.Schema) (reflect.Type, error) {
	t, err := schema.ToType(s)
	if err != nil {
		return nil, fmt.Errorf("the rows have types that are not known here (%w)", err)
	}
	return t, nil
}

// schemaFaults lists what Beam Go does not read of a schema.
func schemaFaults(s *pipepb.Schema) (errs []error) {
	if s.GetEncodingPositionsSet() && !inOrder(s) {
		return []error{errors.New("the fields of the rows are written in another order than their schema's, as an updated pipeline does; Beam Go reads no such rows")}
	}
	for i, f := range s.GetFields() {
		errs = append(errs, fieldFault(f), twin(f.GetName(), s.GetFields()[:i]))
	}
	return errs
}

// outOf returns the type of rows that are written: columns of the schema in its order, then those that are computed or
// made up. The privacy ID is not among them, but for the number of a person who has many rows, nor is a field that is no column.
func outOf(in reflect.Type, s *pipepb.Schema, d *domain.Domain) (reflect.Type, map[string]*pipepb.FieldType) {
	written, read, kept := d.Written(), d.Recorded(), map[string]*pipepb.FieldType{}
	var out []reflect.StructField
	add := func(name string, t reflect.Type) {
		out = append(out, reflect.StructField{Name: strings.ToUpper(name[:1]) + name[1:], Type: t, Tag: reflect.StructTag(fmt.Sprintf("beam:%q", name))})
	}
	for i, f := range s.GetFields() {
		a := read.Index(f.GetName())
		if a < 0 || written.Index(f.GetName()) < 0 {
			continue
		}
		add(f.GetName(), outType(in.Field(i).Type, &read.Attributes[a]))
		if f.GetType().GetLogicalType() != nil {
			kept[f.GetName()] = f.GetType()
		}
	}
	for i := range written.Attributes {
		if a := &written.Attributes[i]; read.Index(a.Name) < 0 {
			add(a.Name, outType(plainTypes[a.Type], a))
		}
	}
	return reflect.StructOf(out), kept
}

// plainTypes are the types of columns that no field of a caller's rows is for.
var plainTypes = map[domain.Type]reflect.Type{
	domain.String: reflect.TypeFor[string](), domain.Int64: reflect.TypeFor[int64](), domain.Float64: reflect.TypeFor[float64](),
	domain.Numeric: reflect.TypeFor[decimal](), domain.Bool: reflect.TypeFor[bool](), domain.Date: reflect.TypeFor[date](),
	domain.Timestamp: reflect.TypeFor[micros](), domain.DateTime: reflect.TypeFor[micros](), domain.Time: reflect.TypeFor[string](),
}

func inOrder(s *pipepb.Schema) bool {
	for i, f := range s.GetFields() {
		if int(f.GetEncodingPosition()) != i {
			return false
		}
	}
	return true
}

// plainName is what a field of a Go struct can be called, its first letter made a capital.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func nameFault(what, name string) error {
	if plainName.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%s %q: want a name of ASCII letters, digits and underscores that begins with a letter; rename it before Synthesize, and in the domain", what, name)
}

// twin refuses names that differ in the case of the first letter alone.
func twin(name string, before []*pipepb.Field) error {
	for _, f := range before {
		if other := f.GetName(); other != "" && name != "" && strings.EqualFold(other[:1], name[:1]) && other[1:] == name[1:] {
			return fmt.Errorf("fields %q and %q differ in the case of the first letter alone, which Go does not tell apart; rename one", other, name)
		}
	}
	return nil
}

// fieldFault refuses what Beam Go does not read, also in fields that are no column: they lie in the same bytes.
func fieldFault(f *pipepb.Field) error {
	if err := nameFault("field", f.GetName()); err != nil {
		return err
	}
	switch t := f.GetType(); t.GetTypeInfo().(type) {
	case *pipepb.FieldType_AtomicType:
		if t.GetAtomicType() == pipepb.AtomicType_INT16 {
			return fmt.Errorf("field %q is INT16 (numpy.int16), which Beam Go decodes wrongly (apache/beam issue 40151); make it an int", f.GetName())
		}
	case *pipepb.FieldType_LogicalType:
		if logicalOf(t) == nil {
			if t.GetLogicalType().GetUrn() == "beam:logical:pythonsdk_any:v1" {
				return fmt.Errorf("field %q is of any type, or of one that Beam has no name for, such as datetime.datetime; give the rows a schema "+
					"of plain types (beam.Row, a NamedTuple, or Select with types): str, int, float, bool, datetime.date, Decimal or beam's Timestamp", f.GetName())
			}
			return fmt.Errorf("field %q is of the logical type %s, which is not known here; want str, int, float, bool, bytes, a date, Beam's Timestamp or a decimal", f.GetName(), t.GetLogicalType().GetUrn())
		}
	default:
		return fmt.Errorf("field %q is a list, a map or a row of its own; want plain fields: drop it, or flatten it", f.GetName())
	}
	return nil
}

func logicalOf(t *pipepb.FieldType) *logical {
	i := slices.IndexFunc(logicals, func(l logical) bool { return l.urn == t.GetLogicalType().GetUrn() })
	if i < 0 {
		return nil
	}
	return &logicals[i]
}

// columnFaults lists the columns that no field can stand for.
func columnFaults(s *pipepb.Schema, d *domain.Domain) (errs []error) {
	var names []string
	byName := map[string]*pipepb.FieldType{}
	for _, f := range s.GetFields() {
		names = append(names, f.GetName())
		byName[f.GetName()] = f.GetType()
	}
	missing := func(what, name string) {
		fix := "the rows have " + strings.Join(names, ", ")
		if near := errtext.Nearest(name, names); near != "" {
			fix = fmt.Sprintf("did you mean %q?", near)
		}
		errs = append(errs, fmt.Errorf("%s %q of the domain is no field of the rows; %s", what, name, fix))
	}
	for _, a := range d.Recorded().Attributes {
		if t, ok := byName[a.Name]; !ok {
			missing("column", a.Name)
		} else if held := heldBy(t); held.fits != nil && !slices.Contains(held.fits, a.Type) {
			errs = append(errs, fmt.Errorf("column %q is %v in the domain and %s in the rows; declare it as %s, or make it a str", a.Name, a.Type, held.name, anyOf(held.fits)))
		}
	}
	if d.PrivacyID != "" {
		if t, ok := byName[d.PrivacyID]; !ok {
			missing("privacy_id", d.PrivacyID)
		} else {
			errs = append(errs, heldBy(t).idFault(d.PrivacyID))
		}
	}
	return errs
}

func anyOf(types []domain.Type) string {
	var names []string
	for _, t := range types {
		names = append(names, fmt.Sprint(t))
	}
	return strings.Join(names, " or ")
}

// held says what a field is called in Python, and which columns it can stand for; fits is nil if for all.
type held struct {
	name string
	fits []domain.Type
}

// idFault refuses a privacy ID whose distinct values may become one.
func (h held) idFault(id string) error {
	if h.name == "a str" || h.name == "an int" {
		return nil
	}
	return fmt.Errorf("privacy_id %q is %s in the rows; want a str or an int, which keep distinct IDs apart", id, h.name)
}

func heldBy(t *pipepb.FieldType) held {
	if l := logicalOf(t); l != nil {
		return held{l.name, l.fits}
	}
	switch t.GetAtomicType() {
	case pipepb.AtomicType_STRING:
		return held{"a str", nil}
	case pipepb.AtomicType_BYTES:
		return held{"bytes", []domain.Type{domain.String}}
	case pipepb.AtomicType_BOOLEAN:
		return held{"a bool", []domain.Type{domain.Bool}}
	case pipepb.AtomicType_FLOAT, pipepb.AtomicType_DOUBLE:
		return held{"a float", []domain.Type{domain.Float64, domain.Int64, domain.Numeric}}
	}
	return held{"an int", []domain.Type{domain.Int64, domain.Float64, domain.Numeric}}
}

// outType is the type of a written column. Whole numbers become INT64: Beam Go writes a negative INT32 as uncompiled
// Python and Java do not read it (apache/beam issue 40159), and noise can make a value of any bin. Reals become DOUBLE.
// What can be NULL in the domain or in the rows can be so in what is written.
func outType(t reflect.Type, a *domain.Attribute) reflect.Type {
	nullable := a.Null
	if t.Kind() == reflect.Pointer {
		nullable, t = true, t.Elem()
	}
	switch t.Kind() {
	case reflect.Uint8, reflect.Int32, reflect.Int64:
		if t = reflect.TypeFor[int64](); a.Type != domain.Int64 {
			t = reflect.TypeFor[float64]()
		}
	case reflect.Float32:
		t = reflect.TypeFor[float64]()
	}
	if nullable {
		return reflect.PointerTo(t)
	}
	return t
}
