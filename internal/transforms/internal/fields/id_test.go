package fields

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

type myID string

// idKinds are the kinds of fields that hold an ID, each with values that a careless conversion joins.
var idKinds = map[reflect.Type][]any{
	reflect.TypeFor[string](): {"0", "00", "+0", "-0", "0.0", " 0", "0 ", "\u00a00", "a\nb", "a\r\nb", "a\rb", "\x00", "\x00\x00", "\xff", "\xfe", "\ufffd", "NULL", `\N`, "é", "e\u0301",
		"9223372036854775808", "18446744073709551615", strings.Repeat("x", 1<<16), strings.Repeat("x", 1<<16+1)},
	reflect.TypeFor[myID]():          {myID("a"), myID("A"), myID("a ")},
	reflect.TypeFor[int]():           {0, 1, -1, math.MaxInt, math.MinInt, 1<<53 + 1, 1 << 53},
	reflect.TypeFor[int8]():          {int8(0), int8(-1), int8(127), int8(-128)},
	reflect.TypeFor[int16]():         {int16(0), int16(-1), int16(math.MaxInt16), int16(math.MinInt16)},
	reflect.TypeFor[int32]():         {int32(0), int32(-1), int32(math.MaxInt32), int32(math.MinInt32)},
	reflect.TypeFor[int64]():         {int64(0), int64(-1), int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64 - 1)},
	reflect.TypeFor[uint]():          {uint(0), uint(math.MaxUint), uint(math.MaxUint - 1), uint(math.MaxInt64), uint(math.MaxInt64 + 1)},
	reflect.TypeFor[uint8]():         {uint8(0), uint8(127), uint8(128), uint8(255)},
	reflect.TypeFor[uint16]():        {uint16(0), uint16(math.MaxInt16), uint16(math.MaxInt16 + 1), uint16(math.MaxUint16)},
	reflect.TypeFor[uint32]():        {uint32(0), uint32(math.MaxInt32), uint32(math.MaxInt32 + 1), uint32(math.MaxUint32)},
	reflect.TypeFor[uint64]():        {uint64(0), uint64(math.MaxInt64), uint64(math.MaxInt64 + 1), uint64(math.MaxUint64 - 1), uint64(math.MaxUint64)},
	reflect.TypeFor[time.Duration](): {time.Duration(0), time.Duration(1), time.Duration(math.MaxInt64)},
}

// TestIDsOfEveryKind: distinct values of every kind are distinct IDs, behind pointers too and after Beam has sent
// the struct, and none of them is no ID; the other kinds are refused.
func TestIDsOfEveryKind(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Bool, Values: []string{"true"}, HasFallback: true}}}
	structOf := func(id reflect.Type) reflect.Type {
		return reflect.StructOf([]reflect.StructField{{Name: "ID", Type: id}, {Name: "X", Type: reflect.TypeFor[bool]()}})
	}
	for kind, values := range idKinds {
		for _, pointer := range []bool{false, true} {
			field := kind
			if pointer {
				field = reflect.PointerTo(kind)
			}
			s := structOf(field)
			m := must.Value(Input(s, d))(t)
			r, seen := m.NewReader(d), map[string]any{"": nil}
			for _, v := range values {
				record := reflect.New(s).Elem()
				if pointer {
					record.Field(0).Set(reflect.New(kind))
					record.Field(0).Elem().Set(reflect.ValueOf(v))
				} else {
					record.Field(0).Set(reflect.ValueOf(v))
				}
				_, id, _ := r.Read(record.Interface(), nil, nil)
				other, is := seen[string(id)]
				must.Hold(t, !is, "%v: %.40v and %.40v are one ID", field, other, v)
				seen[string(id)] = v
				if kind == reflect.TypeFor[myID]() || kind == reflect.TypeFor[time.Duration]() {
					continue // Beam sends the types that it knows
				}
				_, sent, _ := r.Read(send(t, record), nil, nil)
				must.Hold(t, bytes.Equal(sent, id), "%v: %.40q was sent and arrived as %.40q", field, id, sent)
			}
			_, id, _ := r.Read(reflect.Zero(s).Interface(), nil, nil)
			must.Hold(t, !pointer || len(id) <= 0, "%v: nil is the ID %q", field, id)
		}
	}
	for _, kind := range []reflect.Type{reflect.TypeFor[float64](), reflect.TypeFor[float32](), reflect.TypeFor[bool](), reflect.TypeFor[time.Time](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[complex128](), reflect.TypeFor[uintptr](), reflect.TypeFor[any](), reflect.TypeFor[**string](), reflect.TypeFor[[4]byte](), timeType, ratType} {
		must.Fails(Input(structOf(kind), d))(t, "", "an ID in a %v passes", kind)
	}
}

// send encodes and decodes a struct as Beam does between two steps.
func send(t *testing.T, record reflect.Value) any {
	t.Helper()
	encode := must.Value(coder.RowEncoderForStruct(record.Type()))(t)
	decode := must.Value(coder.RowDecoderForStruct(record.Type()))(t)
	var b bytes.Buffer
	must.Do(t, encode(record.Interface(), &b))
	out := must.Value(decode(&b))(t)
	return out
}
