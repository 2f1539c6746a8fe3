package fields

import (
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cloud.google.com/go/civil"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A civil date that does not exist is unusable, as its text would be.
func TestNoSuchDay(t *testing.T) {
	type record struct {
		Day   civil.Date
		Clock civil.Time
		At    civil.DateTime
	}
	const day = 24 * 60 * 60 * 1_000_000
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Date, Cuts: []int64{-800_000, 10, 3_000_000}, Null: true},
		{Name: "clock", Type: domain.Time, Cuts: []int64{0, 100, day}, Null: true},
		{Name: "at", Type: domain.DateTime, Cuts: []int64{0, day, 2 * day}, Null: true},
	}}
	m := must.Value(Input(reflect.TypeFor[record](), d))(t)
	ok := record{Day: civil.Date{Year: 1970, Month: 1, Day: 2}, At: civil.DateTime{Date: civil.Date{Year: 1970, Month: 1, Day: 2}}}
	bad := ok
	bad.Day, bad.Clock, bad.At.Time = civil.Date{Year: 2023, Month: 2, Day: 29}, civil.Time{Hour: 24}, civil.Time{Minute: -1}
	for want, r := range map[string]record{"\x00\x00\x01": ok, "\x02\x02\x02": bad, "\x02\x00\x02": {}} {
		codes, _, _ := m.NewReader(d).Read(r, nil, nil)
		if got := string([]byte{byte(codes[0]), byte(codes[1]), byte(codes[2])}); got != want {
			t.Errorf("%+v: codes %v, want %v", r, codes, []byte(want))
		}
	}
}

// Fractions finer than the column are rounded down, as digits of a text are, and numbers beyond it are
// the nearest one.
func TestRatUnits(t *testing.T) {
	for text, want := range map[string]int64{
		"1/3": 33, "-1/3": -34, "0.999": 99, "2": 200, "1e40": 1<<63 - 1, "-1e40": -1 << 63,
	} {
		r, _ := new(big.Rat).SetString(text)
		must.Equal(t, units(r, power(2)), want, "%s: hundredths", text)
	}
}

// A refusal names the field, its type and what to use.
func TestRefusalsSayWhatToDo(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "note", Type: domain.String, Values: []string{"a"}, HasFallback: true},
		{Name: "sum", Type: domain.Numeric, Cuts: []int64{0, 1}, Resolution: 1, HasFallback: true},
	}}
	_, err := Input(reflect.TypeFor[struct {
		ID   []byte
		Note []int
		Sum  big.Rat
	}](), d)
	must.Need(t, err != nil, "nothing is refused")
	for _, want := range []string{`privacy ID "id": field ID is a []uint8`, "field Note is a []int", "make it a string", "field Sum is a big.Rat", "make it a *big.Rat"} {
		must.Hold(t, strings.Contains(err.Error(), want), "error %q lacks %q", err, want)
	}
}

// Every type of column has a row, and a field besides a text that holds it.
func TestEveryTypeHasAField(t *testing.T) {
	candidates := []reflect.Type{
		reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), ratType, timeType,
		reflect.TypeFor[civil.Date](), reflect.TypeFor[civil.DateTime](), reflect.TypeFor[civil.Time](),
	}
	for _, typ := range domain.Types() {
		_, ok := goKinds[typ]
		must.Hold(t, ok, "%v has no row in goKinds, match.go", typ)
		must.Hold(t, slices.ContainsFunc(candidates, func(field reflect.Type) bool { return holds(field, typ) }), "%v: no field but a text holds it", typ)
	}
}
