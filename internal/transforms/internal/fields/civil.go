package fields

import (
	"reflect"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

// BigQuery's client holds a DATE, DATETIME or TIME in a type of cloud.google.com/go/civil. These are plain
// structs of numbers, and are known by their fields: nothing is imported for them, and a type made at run
// time does as well; a worker in another process knows only its fields.

var (
	dateFields  = []string{"Year", "Month", "Day"}
	clockFields = []string{"Hour", "Minute", "Second", "Nanosecond"}
)

// civilOf returns the type of column that a civil type is made for.
func civilOf(t reflect.Type) (domain.Type, bool) {
	switch {
	case hasInts(t, dateFields):
		return domain.Date, true
	case hasInts(t, clockFields):
		return domain.Time, true
	case t.Kind() == reflect.Struct && t.NumField() == 2:
		date, clock := t.Field(0), t.Field(1)
		return domain.DateTime, date.Name == "Date" && clock.Name == "Time" &&
			hasInts(date.Type, dateFields) && hasInts(clock.Type, clockFields)
	}
	return 0, false
}

// hasInts reports whether t is a struct of exactly these whole numbers.
func hasInts(t reflect.Type, names []string) bool {
	if t.Kind() != reflect.Struct || t.NumField() != len(names) {
		return false
	}
	for i, name := range names {
		if f := t.Field(i); f.Name != name || !isInt(f.Type.Kind()) {
			return false
		}
	}
	return true
}

// ints returns numbers of a struct of whole numbers.
func ints(v reflect.Value) (n [4]int) {
	for i := range v.NumField() {
		n[i] = int(v.Field(i).Int())
	}
	return n
}

// setInts is the inverse of ints.
func setInts(v reflect.Value, n ...int) {
	for i := range n {
		v.Field(i).SetInt(int64(n[i]))
	}
}

// readCivil encodes a civil type. A day or time that does not exist, such as the zero Date, is unusable.
func readCivil(enc *domain.Encoder, a int, t domain.Type, field reflect.Value) func() (domain.Code, bool) {
	date, clock := civilParts(t, field)
	return func() (domain.Code, bool) {
		moment, exists := momentOf(date, clock)
		if !exists {
			return enc.FromString(a, "") // no day and no time
		}
		return enc.FromTime(a, moment)
	}
}

// momentOf returns the moment of a date and a clock, each if it is valid. Of a day or time that does not exist it is another one.
func momentOf(date, clock reflect.Value) (moment time.Time, exists bool) {
	d, c := [4]int{1970, 1, 1}, [4]int{}
	if date.IsValid() {
		d = ints(date)
	}
	if clock.IsValid() {
		c = ints(clock)
	}
	moment = time.Date(d[0], time.Month(d[1]), d[2], c[0], c[1], c[2], c[3], time.UTC)
	year, month, day := moment.Date()
	hour, minute, second := moment.Clock()
	return moment, d == [4]int{year, int(month), day} && c == [4]int{hour, minute, second, moment.Nanosecond()}
}

// civilParts returns the date and the clock of a civil type, each if it has one.
func civilParts(t domain.Type, v reflect.Value) (date, clock reflect.Value) {
	switch t {
	case domain.Date:
		return v, reflect.Value{}
	case domain.Time:
		return reflect.Value{}, v
	}
	return v.Field(0), v.Field(1)
}

// writeCivil writes days, or microseconds.
func writeCivil(a *domain.Attribute) func(field reflect.Value, col *domain.Column, row int) {
	return func(f reflect.Value, col *domain.Column, row int) {
		moment := a.Type.Time(col.Ints[row])
		date, clock := civilParts(a.Type, f)
		if date.IsValid() {
			year, month, day := moment.Date()
			setInts(date, year, int(month), day)
		}
		if clock.IsValid() {
			hour, minute, second := moment.Clock()
			setInts(clock, hour, minute, second, moment.Nanosecond())
		}
	}
}
