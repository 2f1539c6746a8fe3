package fields

import (
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Reader encodes structs. It is not safe for concurrent use.
//
// It holds one struct, into which each record is copied, so that pointers to the fields are found once
// and a record costs no reflection beyond the copy.
type Reader struct {
	holder reflect.Value
	attrs  []func() (domain.Code, bool)
	id     func(dst []byte) []byte
}

// NewReader returns a reader of m's structs for the domain that m was made with.
func (m *Map) NewReader(d *domain.Domain) *Reader {
	enc := domain.NewEncoder(d)
	r := &Reader{holder: reflect.New(m.structType).Elem(), attrs: make([]func() (domain.Code, bool), d.Len())}
	for a, index := range m.attrs {
		r.attrs[a] = readAttribute(enc, &d.Attributes[a], a, r.holder.FieldByIndex(index))
	}
	if m.id != nil {
		r.id = readID(r.holder.FieldByIndex(m.id))
	}
	return r
}

// Read appends the codes of record to codes and its privacy ID to id, nothing if it has none. bad
// is the first attribute that could not be used, −1 if all could: it depends on private data.
func (r *Reader) Read(record any, codes []domain.Code, id []byte) (_ []domain.Code, _ []byte, bad int) {
	v := reflect.ValueOf(record)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = reflect.Zero(r.holder.Type())
		} else {
			v = v.Elem()
		}
	}
	assign(r.holder, v)
	bad = -1
	for a, read := range r.attrs {
		code, ok := read()
		if !ok && bad < 0 {
			bad = a
		}
		codes = append(codes, code)
	}
	if r.id != nil {
		id = r.id(id)
	}
	return codes, id, bad
}

// readAttribute reads attribute number a, which is attr.
func readAttribute(enc *domain.Encoder, attr *domain.Attribute, a int, field reflect.Value) func() (domain.Code, bool) {
	if field.Type() == reflect.PointerTo(ratType) {
		return readRat(enc, a, attr.Scale, field)
	}
	if field.Kind() == reflect.Pointer {
		pointee := reflect.New(field.Type().Elem()).Elem()
		read := readAttribute(enc, attr, a, pointee)
		return func() (domain.Code, bool) {
			if field.IsNil() {
				return enc.Null(a)
			}
			pointee.Set(field.Elem())
			return read()
		}
	}
	if v, valid := nullable(field.Type()); v >= 0 {
		read, given := readAttribute(enc, attr, a, field.Field(v)), field.Field(valid)
		return func() (domain.Code, bool) {
			if !given.Bool() {
				return enc.Null(a)
			}
			return read()
		}
	}
	if field.Type() == timeType {
		return bind(field, func(t time.Time) (domain.Code, bool) { return enc.FromTime(a, t) })
	}
	if t, ok := civilOf(field.Type()); ok {
		return readCivil(enc, a, t, field)
	}
	switch k := field.Kind(); {
	case k == reflect.String:
		return bind(field, func(s string) (domain.Code, bool) { return enc.FromString(a, s) })
	case field.Type() == bytesType:
		return bind(field, func(b []byte) (domain.Code, bool) { return enc.FromString(a, string(b)) })
	case k == reflect.Bool:
		return bind(field, func(b bool) (domain.Code, bool) { return enc.FromBool(a, b) })
	case k == reflect.Float64:
		return bind(field, func(x float64) (domain.Code, bool) { return enc.FromFloat(a, x) })
	case k == reflect.Int64:
		return bind(field, func(x int64) (domain.Code, bool) { return enc.FromInt(a, x) })
	case k == reflect.Int:
		return bind(field, func(x int) (domain.Code, bool) { return enc.FromInt(a, int64(x)) })
	}
	return readNumber(enc, attr, a, field)
}

// readNumber reads a field of a size that few structs have.
func readNumber(enc *domain.Encoder, attr *domain.Attribute, a int, field reflect.Value) func() (domain.Code, bool) {
	switch k := field.Kind(); {
	case k == reflect.Float32 && attr.Type == domain.Numeric: // the number that its own shortest text says
		return func() (domain.Code, bool) { return enc.FromString(a, strconv.FormatFloat(field.Float(), 'g', -1, 32)) }
	case isFloat(k):
		return func() (domain.Code, bool) { return enc.FromFloat(a, field.Float()) }
	case isInt(k):
		return func() (domain.Code, bool) { return enc.FromInt(a, field.Int()) }
	case isUint(k) && attr.Type == domain.String:
		return func() (domain.Code, bool) { return enc.FromString(a, strconv.FormatUint(field.Uint(), 10)) }
	case isUint(k):
		return func() (domain.Code, bool) { return enc.FromInt(a, int64(min(field.Uint(), math.MaxInt64))) }
	}
	panic("fields: a field of a kind that Input refuses")
}

// bind reads a field of underlying type V through a pointer.
func bind[V any](field reflect.Value, encode func(V) (domain.Code, bool)) func() (domain.Code, bool) {
	p := field.Addr().Convert(reflect.TypeFor[*V]()).Interface().(*V)
	return func() (domain.Code, bool) { return encode(*p) }
}

// assign sets dst to src, field by field if the types differ in name: of a type made at run time Beam
// sends the fields, and a coder on the other side may call them otherwise than the DoFn that gets them.
func assign(dst, src reflect.Value) {
	switch {
	case dst.Type() == src.Type():
		dst.Set(src)
	case dst.Kind() == reflect.Struct:
		for i := range dst.NumField() {
			if dst.Type().Field(i).IsExported() {
				assign(dst.Field(i), src.Field(i))
			}
		}
	case dst.Kind() == reflect.Pointer && src.IsNil():
		dst.SetZero()
	case dst.Kind() == reflect.Pointer:
		p := reflect.New(dst.Type().Elem())
		assign(p.Elem(), src.Elem())
		dst.Set(p)
	default:
		dst.Set(src.Convert(dst.Type()))
	}
}

func readID(field reflect.Value) func([]byte) []byte {
	switch k := field.Kind(); {
	case k == reflect.Pointer:
		pointee := reflect.New(field.Type().Elem()).Elem()
		read := readID(pointee)
		return func(dst []byte) []byte {
			if field.IsNil() {
				return dst
			}
			pointee.Set(field.Elem())
			return read(dst)
		}
	case k == reflect.Struct:
		v, valid := nullable(field.Type())
		read, given := readID(field.Field(v)), field.Field(valid)
		return func(dst []byte) []byte {
			if !given.Bool() {
				return dst
			}
			return read(dst)
		}
	case k == reflect.String:
		return func(dst []byte) []byte { return append(dst, field.String()...) }
	case isInt(k):
		return func(dst []byte) []byte { return strconv.AppendInt(dst, field.Int(), 10) }
	case isUint(k):
		return func(dst []byte) []byte { return strconv.AppendUint(dst, field.Uint(), 10) }
	}
	panic("fields: an ID of a kind that Input refuses")
}
