package fields

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Columns returns the columns that a struct type has without a domain: one for each exported field, but for dapple:"-", by
// the name in its first tag, else by its own. Pointers, and structs of a value and Valid such as sql.Null, can be NULL.
func Columns(t reflect.Type) (*domain.Domain, error) {
	t = base(t)
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v: want a struct or a pointer to one", t)
	}
	d := &domain.Domain{}
	var errs []error
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous || !direct(t, f.Index) || f.Tag.Get("dapple") == "-" {
			continue
		}
		a := domain.Attribute{Name: nameOf(f), Null: optional(f.Type)}
		var ok bool
		if a.Type, ok = typeOf(f.Type); !ok {
			errs = append(errs, fmt.Errorf(`field %s is a %v, which no column holds; make it a string, or hide it by dapple:"-"`, f.Name, f.Type))
		}
		if a.Type == domain.Numeric {
			a.Scale = rationalScale
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d, errors.Join(errs...)
}

// Written is Columns of structs that are written: a column can be NULL where its field can hold what the column cannot.
func Written(t reflect.Type) (*domain.Domain, error) {
	d, err := Columns(t)
	if err != nil {
		return nil, err
	}
	m := &Map{structType: base(t)}
	for a := range d.Attributes {
		index, _ := m.find(d.Attributes[a].Name)
		f := held(m.structType.FieldByIndex(index).Type)
		_, civil := civilOf(f)
		d.Attributes[a].Null = d.Attributes[a].Null || civil || isUint(f.Kind()) && f.Bits() == 64
	}
	return d, nil
}

// ColumnOf returns which column that Columns gives belongs to the field of a name; empty: no field is called so.
func ColumnOf(t reflect.Type, name string) string {
	m := &Map{structType: base(t)}
	index, err := m.find(name)
	if err != nil {
		return ""
	}
	return nameOf(m.structType.FieldByIndex(index))
}

// rationalScale is how many decimal places of a big.Rat a column holds: as many as BigQuery's NUMERIC.
const rationalScale = 9

// nameOf returns the name of a field's column.
func nameOf(f reflect.StructField) string {
	for _, tag := range []string{f.Tag.Get("dapple"), tagged(f, "beam"), otherTag(f)} {
		if tag != "" {
			return tag
		}
	}
	return f.Name
}

// typeOf returns the type of column that is made for a field.
func typeOf(t reflect.Type) (domain.Type, bool) {
	t = held(t)
	if c, ok := civilOf(t); ok {
		return c, true
	}
	switch k := t.Kind(); {
	case t == ratType:
		return domain.Numeric, true
	case t == timeType:
		return domain.Timestamp, true
	case k == reflect.String, t == bytesType:
		return domain.String, true
	case isInt(k), isUint(k):
		return domain.Int64, true
	case isFloat(k):
		return domain.Float64, true
	case k == reflect.Bool:
		return domain.Bool, true
	}
	return 0, false
}

// Found returns, of the columns of a table, those that fields of t are called after, as attributes with the table's
// Type, or the field's if the table is text. It lists fields that no column is for, and those that do not hold theirs.
func Found(t reflect.Type, names []string, attribute func(i int) (a domain.Attribute, untyped bool)) (*domain.Domain, error) {
	own, err := Columns(t)
	if err != nil {
		return nil, err
	}
	t = base(t)
	d, m := &domain.Domain{}, &Map{structType: t}
	var errs []error
	for i, name := range names {
		index, err := m.find(name)
		if _, none := errors.AsType[*noField](err); none {
			continue // a column that the struct does not have
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f := t.FieldByIndex(index)
		a, untyped := attribute(i)
		if untyped {
			if a.Type, _ = typeOf(f.Type); a.Type == domain.Numeric {
				a.Scale = rationalScale
			}
		}
		a.Name, a.Null = name, true
		errs = append(errs, inputFault(&a, f), narrow(a, f))
		d.Attributes = append(d.Attributes, a)
	}
	for _, a := range own.Attributes {
		if fieldIndex, err := m.find(a.Name); err == nil && !m.reached(d, fieldIndex) {
			errs = append(errs, fmt.Errorf("field of column %q: the table has no such column; its columns are %s", a.Name, strings.Join(names, ", ")))
		}
	}
	return d, errors.Join(errs...)
}

// Holds returns the least and the greatest whole number that the field of a column of t holds, if it holds fewer than the column's
// type. It refuses a field that does not hold each number of its column, however few are found.
func Holds(t reflect.Type, name string) (least, most string, err error) {
	t = base(t)
	index, err := (&Map{structType: t}).find(name)
	if err != nil {
		return "", "", err
	}
	f := t.FieldByIndex(index)
	switch k := held(f.Type); {
	case k.Kind() == reflect.Float32:
		err = fmt.Errorf("column %q: field %s, a %v, does not hold every number that is found; make it a float64", name, f.Name, f.Type)
	case isUint(k.Kind()):
		least = "0"
		if bits := k.Bits(); bits < 64 {
			most = fmt.Sprint(uint64(1)<<bits - 1)
		}
	case isInt(k.Kind()) && k.Bits() < 64:
		end := int64(1) << (k.Bits() - 1)
		least, most = fmt.Sprint(-end), fmt.Sprint(end-1)
	}
	return least, most, err
}

// reached reports whether some column of d belongs to a field.
func (m *Map) reached(d *domain.Domain, index []int) bool {
	for _, a := range d.Attributes {
		if i, err := m.find(a.Name); err == nil && reflect.DeepEqual(i, index) {
			return true
		}
	}
	return false
}

// narrow refuses fields of fewer bits than a number of a table has.
func narrow(a domain.Attribute, f reflect.StructField) error {
	switch held(f.Type).Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint, reflect.Uint64, reflect.Float32:
		return fmt.Errorf("column %q: field %s, a %v, does not hold every number of a table; make it an int64 or a float64", a.Name, f.Name, f.Type)
	}
	return nil
}

// Reading returns the map from columns that Found returned to the fields of t.
func Reading(t reflect.Type, d *domain.Domain) (*Map, error) {
	m, errs := match(t, d, inputFault)
	return m, joined(errs)
}

// Appender appends structs to chunks. It is not safe for concurrent use.
type Appender struct {
	holder reflect.Value
	d      *domain.Domain
	fields []reflect.Value
	texts  []map[string]int64 // of the dictionary of each column of text
}

// NewAppender returns an appender of structs of type t to chunks of the columns that Columns returned.
func NewAppender(t reflect.Type, d *domain.Domain) (*Appender, error) {
	m, err := Reading(t, d)
	if err != nil {
		return nil, err
	}
	w := &Appender{holder: reflect.New(base(t)).Elem(), d: d, texts: make([]map[string]int64, d.Len())}
	for _, index := range m.attrs {
		w.fields = append(w.fields, w.holder.FieldByIndex(index))
	}
	return w, nil
}

// NewChunk returns an empty chunk, to which Append appends.
func (w *Appender) NewChunk() *domain.Chunk {
	c := &domain.Chunk{Columns: make([]domain.Column, w.d.Len())}
	for a := range c.Columns {
		switch w.d.Attributes[a].Type.Facts().Form {
		case domain.Text:
			c.Columns[a].Form, w.texts[a] = domain.Dictionary, map[string]int64{}
		case domain.Floats:
			c.Columns[a].Form = domain.Floats
		default:
			c.Columns[a].Form = domain.Ints
		}
	}
	return c
}

// Append appends a record to the chunk that NewChunk returned last.
func (w *Appender) Append(c *domain.Chunk, record any) {
	v := reflect.ValueOf(record)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	assign(w.holder, v)
	for a, field := range w.fields {
		w.cell(&c.Columns[a], a, field, c.Rows)
	}
	c.Rows++
}

// cell appends the value of a field to column a of a chunk, which has n rows.
func (w *Appender) cell(col *domain.Column, a int, field reflect.Value, n int) {
	null := field.Kind() == reflect.Pointer && field.IsNil()
	if v, valid := nullable(field.Type()); v >= 0 {
		null, field = !field.Field(valid).Bool(), field.Field(v)
	}
	if field.Kind() == reflect.Pointer && !null && field.Type() != reflect.TypeFor[*big.Rat]() {
		field = field.Elem()
	}
	var x int64
	var y float64
	if !null {
		x, y, null = w.value(a, field)
	}
	if null && col.Nulls == nil {
		col.Nulls = make([]bool, n)
	}
	if col.Nulls != nil {
		col.Nulls = append(col.Nulls, null)
	}
	if col.Form == domain.Floats {
		col.Floats = append(col.Floats, y)
		return
	}
	if col.Form == domain.Dictionary && !null {
		text := textField(field)
		var known bool
		if x, known = w.texts[a][text]; !known {
			x = int64(len(col.Dict))
			w.texts[a][text] = x
			col.Dict = append(col.Dict, text)
		}
	}
	if col.Form == domain.Dictionary && len(col.Dict) == 0 {
		col.Dict = []string{""} // for NULL, which has a number too
		w.texts[a][""] = 0
	}
	col.Ints = append(col.Ints, x)
}

func textField(field reflect.Value) string {
	if field.Kind() == reflect.Slice {
		return string(field.Bytes())
	}
	return field.String()
}

// value returns a field as a number of its column: whole, in the native unit, or real. null: it is no such number.
func (w *Appender) value(a int, field reflect.Value) (x int64, y float64, null bool) {
	at := &w.d.Attributes[a]
	switch k := field.Kind(); {
	case field.Type() == reflect.TypeFor[*big.Rat]():
		x, ok := at.ParseNative(field.Interface().(*big.Rat).FloatString(at.Scale))
		return x, 0, !ok
	case field.Type() == timeType:
		x, ok := at.Type.FromTime(field.Interface().(time.Time))
		return x, 0, !ok
	case k == reflect.Struct:
		moment, exists := momentOf(civilParts(at.Type, field))
		x, ok := at.Type.FromTime(moment)
		return x, 0, !exists || !ok
	case k == reflect.Bool:
		if field.Bool() {
			x = 1
		}
	case isInt(k):
		x = field.Int()
	case isUint(k):
		x, null = int64(field.Uint()), field.Uint() > math.MaxInt64
	case isFloat(k):
		y = field.Float()
	}
	return x, y, null
}

// Typed turns the cells of text of a raw chunk into numbers where the columns of d are numbers, and into a dictionary where
// they are text. A cell that its column cannot hold is NULL.
func Typed(c *domain.Chunk, d *domain.Domain) {
	for a := range d.Attributes {
		col, at := &c.Columns[a], &d.Attributes[a]
		if col.Form != domain.Text {
			continue
		}
		out := domain.Column{Nulls: make([]bool, c.Rows)}
		switch at.Type.Facts().Form {
		case domain.Text:
			out.Form, out.Ints, out.Dict = domain.Dictionary, make([]int64, c.Rows), make([]string, c.Rows)
		case domain.Floats:
			out.Form, out.Floats = domain.Floats, make([]float64, c.Rows)
		default:
			out.Form, out.Ints = domain.Ints, make([]int64, c.Rows)
		}
		for i := range c.Rows {
			ok := !col.Null(i)
			switch text := string(col.Text(i)); {
			case !ok:
			case out.Form == domain.Dictionary:
				out.Ints[i], out.Dict[i] = int64(i), text
			case out.Form == domain.Floats:
				out.Floats[i], ok = domain.ParseFloat(text)
			default:
				out.Ints[i], ok = at.ParseNative(text)
			}
			out.Nulls[i] = !ok
		}
		*col = out
	}
}
