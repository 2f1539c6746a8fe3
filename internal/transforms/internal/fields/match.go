// Package fields maps the columns of a domain to the fields of users' structs, in both directions.
//
// A column belongs to the field tagged dapple:"name", else to the one tagged beam:"name", else to the one with the name in a
// bigquery or parquet tag, else to the one of that name, upper and lower case and underscores aside. A column that can be NULL may be a
// pointer, or a struct of a value and Valid as sql.Null is. Fields that no column names are ignored; dapple:"-" hides one.
package fields

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Map says which field holds each column. It is made by Match.
type Map struct {
	structType reflect.Type
	attrs      [][]int // field index of each attribute
	id         []int   // field index of the privacy ID; nil without one
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	bytesType = reflect.TypeFor[[]byte]()
)

// Input checks that records of type t, a struct or a pointer to one, can be encoded in d, and lists
// all columns that cannot.
func Input(t reflect.Type, d *domain.Domain) (*Map, error) {
	m, errs := match(t, d, inputFault)
	if m == nil {
		return nil, joined(errs)
	}
	if d.PrivacyID != "" {
		errs = append(errs, m.matchID(d.PrivacyID))
	}
	return m, joined(errs)
}

// Output checks that rows of d can be written to structs of type t, and lists all columns that cannot.
func Output(t reflect.Type, d *domain.Domain) (*Map, error) {
	m, errs := match(t, d, outputFault)
	return m, joined(errs)
}

// joined lists errors, the first ones of many.
func joined(errs []error) error {
	var all errtext.Errors
	for _, err := range errs {
		all.Add(err)
	}
	return all.Err()
}

// match finds the fields of a domain's columns, and their faults.
func match(t reflect.Type, d *domain.Domain, fault func(*domain.Attribute, reflect.StructField) error) (*Map, []error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if typex.IsComposite(t) {
		return nil, []error{errors.New("the elements are key-value pairs or groups; make structs of them, or drop keys by beam.DropKey")}
	}
	if t.Kind() != reflect.Struct {
		return nil, []error{fmt.Errorf("%v: want a struct or a pointer to one", t)}
	}
	m := &Map{structType: t, attrs: make([][]int, d.Len())}
	var errs []error
	for a := range d.Attributes {
		index, err := m.find(d.Attributes[a].Name)
		m.attrs[a] = index
		errs = append(errs, err)
	}
	for a, index := range m.attrs {
		if index != nil {
			errs = append(errs, fault(&d.Attributes[a], t.FieldByIndex(index)))
		}
	}
	return m, errs
}

func (m *Map) matchID(name string) (err error) {
	if m.id, err = m.find(name); err != nil {
		return err
	}
	f := m.structType.FieldByIndex(m.id)
	switch k := held(f.Type).Kind(); {
	case k == reflect.String, isInt(k), isUint(k):
		return nil
	}
	return fmt.Errorf("privacy ID %q: field %s is a %v; want text or a whole number, which keep distinct IDs apart", name, f.Name, f.Type)
}

// find returns the index of the field that holds the column called name. Two fields that fit equally well are refused.
func (m *Map) find(name string) ([]int, error) {
	best, rank, twin := reflect.StructField{}, unfit, ""
	for _, f := range reflect.VisibleFields(m.structType) {
		switch r := fit(f, name); {
		case !direct(m.structType, f.Index):
		case r < rank:
			best, rank, twin = f, r, ""
		case r == rank && r < unfit:
			twin = f.Name
		}
	}
	if rank == unfit {
		return nil, &noField{name, m.structType}
	}
	if twin != "" {
		return nil, fmt.Errorf("column %q: fields %s and %s of %v are both called so; hide one with `dapple:\"-\"`", name, best.Name, twin, m.structType)
	}
	return best.Index, nil
}

// noField is the error for a column that no field holds.
type noField struct {
	column string
	in     reflect.Type
}

func (e *noField) Error() string {
	return fmt.Sprintf("column %q: no exported field of %v is called so; tag one with `dapple:%q`", e.column, e.in, e.column)
}

// unfit is the rank of a field that does not fit.
const unfit = 5

// fit ranks how well a field's name or tag fits a column: 0 best, unfit not at all.
func fit(f reflect.StructField, name string) int {
	tag, own := f.Tag.Lookup("dapple")
	switch {
	case !f.IsExported() || f.Anonymous:
		return unfit
	case own && tag == name:
		return 0
	case own:
		return unfit
	case tagged(f, "beam") == name:
		return 1
	case otherTag(f) == name:
		return 2
	case f.Name == name:
		return 3
	case strings.EqualFold(strings.ReplaceAll(f.Name, "_", ""), strings.ReplaceAll(name, "_", "")):
		return 4
	}
	return unfit
}

// tagged returns the name in a tag, before its first comma.
func tagged(f reflect.StructField, key string) string {
	name, _, _ := strings.Cut(f.Tag.Get(key), ",")
	return name
}

// otherTag returns the name in the tags that Beam's bigqueryio and parquetio read: bigquery:"name" and parquet:"name=…, …".
func otherTag(f reflect.StructField) string {
	if name := tagged(f, "bigquery"); name != "" {
		return name
	}
	for part := range strings.SplitSeq(f.Tag.Get("parquet"), ",") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(part), "name="); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// Has reports whether t is a struct, or a pointer to one, with a field for a column.
func Has(t reflect.Type, column string) bool {
	if t = base(t); t.Kind() != reflect.Struct {
		return false
	}
	_, err := (&Map{structType: t}).find(column)
	_, none := errors.AsType[*noField](err)
	return !none
}

// direct reports whether a field is reached without a pointer, which could be nil.
func direct(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() != reflect.Struct {
			return false
		}
	}
	return true
}

func base(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func isInt(k reflect.Kind) bool   { return reflect.Int <= k && k <= reflect.Int64 }
func isUint(k reflect.Kind) bool  { return reflect.Uint <= k && k <= reflect.Uint64 }
func isFloat(k reflect.Kind) bool { return k == reflect.Float32 || k == reflect.Float64 }

// goKinds says which fields hold a type of column, besides texts, which hold all, []byte, which holds texts, time.Time, which holds what
// is on a calendar, and the types of package civil, which civilOf knows.
var goKinds = map[domain.Type]struct{ whole, real, truth, rat bool }{
	domain.String:    {whole: true},
	domain.Int64:     {whole: true, real: true},
	domain.Float64:   {whole: true, real: true},
	domain.Numeric:   {whole: true, real: true, rat: true},
	domain.Bool:      {truth: true},
	domain.Date:      {},
	domain.DateTime:  {},
	domain.Timestamp: {},
	domain.Time:      {},
}

// holds reports whether a field of type t can hold a type of column.
func holds(t reflect.Type, as domain.Type) bool {
	if c, ok := civilOf(t); ok {
		return c == as
	}
	switch k := t.Kind(); {
	case t == ratType:
		return goKinds[as].rat
	case t == timeType:
		return as.Facts().Calendar
	case k == reflect.String:
		return true
	case t == bytesType:
		return as == domain.String
	case isInt(k), isUint(k):
		return goKinds[as].whole
	case isFloat(k):
		return goKinds[as].real
	}
	return t.Kind() == reflect.Bool && goKinds[as].truth
}

func inputFault(a *domain.Attribute, f reflect.StructField) error {
	if f.Type != ratType && holds(held(f.Type), a.Type) {
		return nil
	}
	if f.Type == ratType {
		return fmt.Errorf("column %q: field %s is a big.Rat, which must not be copied; make it a *big.Rat", a.Name, f.Name)
	}
	return fmt.Errorf("column %q is %v, and field %s is a %v, which does not hold it; make it a string", a.Name, a.Type, f.Name, f.Type)
}

// outputFault is stricter: numbers are not written as text or into fields that they do not fit, nor NULL
// into a field that cannot say so.
func outputFault(a *domain.Attribute, f reflect.StructField) error {
	if err := inputFault(a, f); err != nil {
		return err
	}
	if a.Null && !optional(f.Type) {
		return fmt.Errorf("column %q can be NULL; make field %s a *%v", a.Name, f.Name, f.Type)
	}
	if overflows(a, held(f.Type)) {
		return fmt.Errorf("column %q holds values that field %s, a %v, does not", a.Name, f.Name, f.Type)
	}
	return nil
}

// overflows reports whether some value of a cannot be written to a field of type t: it is too large, or
// a category that is no number, or has decimal places.
func overflows(a *domain.Attribute, t reflect.Type) bool {
	k := t.Kind()
	whole := isInt(k) || isUint(k)
	if !whole && !isFloat(k) {
		return false
	}
	switch a.Type {
	case domain.String:
		return true
	case domain.Float64:
		return k != reflect.Float64
	case domain.Numeric:
		if a.Scale > 0 && k != reflect.Float64 {
			return true
		}
	}
	values := slices.Clone(a.Cuts)
	for _, s := range append(slices.Clone(a.Values), otherValue(a)...) {
		v, ok := a.ParseNative(s)
		if !ok {
			return true
		}
		values = append(values, v)
	}
	return slices.ContainsFunc(values, func(v int64) bool {
		if isFloat(k) {
			limit := map[reflect.Kind]int64{reflect.Float32: 1 << 24, reflect.Float64: maxDigits}[k]
			return v < -limit || v > limit
		}
		if isUint(k) {
			return v < 0 || reflect.Zero(t).OverflowUint(uint64(v))
		}
		return reflect.Zero(t).OverflowInt(v)
	})
}

// maxDigits bounds the numbers of 15 digits, which a float64 tells apart wherever their point is.
const maxDigits = 1e15 - 1

func otherValue(a *domain.Attribute) []string {
	if a.Other {
		return []string{a.OtherValue}
	}
	return nil
}
