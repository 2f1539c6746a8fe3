package fields

import (
	"math"
	"reflect"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Writer makes structs of decoded chunks. It is not safe for concurrent use.
type Writer struct {
	structType reflect.Type
	attrs      []func(record reflect.Value, col *domain.Column, row int)
}

// NewWriter returns a writer of m's structs for the domain that m was made with.
func (m *Map) NewWriter(d *domain.Domain) *Writer {
	w := &Writer{structType: m.structType}
	for a, index := range m.attrs {
		f := m.structType.FieldByIndex(index)
		put := writeAttribute(&d.Attributes[a], held(f.Type))
		w.attrs = append(w.attrs, func(record reflect.Value, col *domain.Column, row int) {
			field := record.FieldByIndex(index)
			if col.Null(row) {
				return // Output has made sure that the field can say so
			}
			put(filled(field), col, row)
		})
	}
	return w
}

// Write returns row of a decoded chunk as a struct.
func (w *Writer) Write(c *domain.Chunk, row int) reflect.Value {
	record := reflect.New(w.structType).Elem()
	for a, put := range w.attrs {
		put(record, &c.Columns[a], row)
	}
	return record
}

func writeAttribute(a *domain.Attribute, t reflect.Type) func(field reflect.Value, col *domain.Column, row int) {
	if _, ok := civilOf(t); ok {
		return writeCivil(a)
	}
	switch k := t.Kind(); {
	case t == ratType:
		return writeRat(a)
	case t == timeType:
		return func(f reflect.Value, col *domain.Column, row int) {
			f.Set(reflect.ValueOf(a.Type.Time(col.Ints[row])))
		}
	case k == reflect.String:
		return func(f reflect.Value, col *domain.Column, row int) { f.SetString(textOf(a, col, row)) }
	case t == bytesType:
		return func(f reflect.Value, col *domain.Column, row int) { f.SetBytes([]byte(textOf(a, col, row))) }
	case k == reflect.Bool:
		return func(f reflect.Value, col *domain.Column, row int) { f.SetBool(col.Ints[row] != 0) }
	case isFloat(k):
		unit := math.Pow10(a.Scale)
		return func(f reflect.Value, col *domain.Column, row int) {
			if col.Form == domain.Floats {
				f.SetFloat(col.Floats[row])
			} else {
				f.SetFloat(float64(col.Ints[row]) / unit)
			}
		}
	case isInt(k):
		return func(f reflect.Value, col *domain.Column, row int) { f.SetInt(col.Ints[row]) }
	case isUint(k):
		return func(f reflect.Value, col *domain.Column, row int) { f.SetUint(uint64(col.Ints[row])) }
	}
	panic("fields: a field of a kind that Output refuses")
}

func textOf(a *domain.Attribute, col *domain.Column, row int) string {
	switch col.Form {
	case domain.Dictionary:
		return col.Dict[col.Ints[row]]
	case domain.Floats:
		return string(domain.AppendFloat(nil, col.Floats[row]))
	}
	return string(a.AppendNative(nil, col.Ints[row]))
}
