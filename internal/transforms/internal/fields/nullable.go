package fields

import "reflect"

// sql.Null[T], sql.NullString and its like, and the nullable types of BigQuery's client, hold a value and a field Valid. They are known by
// these fields: nothing is imported for them, and a type made at run time does as well.

// nullable returns which field of t has the value, and which says that there is one; −1 if t is no such struct.
func nullable(t reflect.Type) (value, valid int) {
	if t.Kind() == reflect.Struct && t.NumField() == 2 {
		for i := range 2 {
			if v, f := t.Field(1-i), t.Field(i); f.Name == "Valid" && f.Type.Kind() == reflect.Bool && v.IsExported() && v.Type != ratType { // a big.Rat must not be copied
				return 1 - i, i
			}
		}
	}
	return -1, -1
}

// held returns the type of the value that a field holds, if it holds one.
func held(t reflect.Type) reflect.Type {
	if v, _ := nullable(t); v >= 0 {
		return t.Field(v).Type
	}
	return base(t)
}

// optional reports whether a field can say that it holds no value.
func optional(t reflect.Type) bool {
	v, _ := nullable(t)
	return v >= 0 || t.Kind() == reflect.Pointer
}

// filled returns the place of the value of a field that was zero, and makes one if it is absent.
func filled(field reflect.Value) reflect.Value {
	if v, valid := nullable(field.Type()); v >= 0 {
		field.Field(valid).SetBool(true)
		return field.Field(v)
	}
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		return field.Elem()
	}
	return field
}
