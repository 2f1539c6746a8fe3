package domain

import (
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Every type has a row, whole: a type without one is named by its number, a row without a part by both.
func TestEveryTypeHasARow(t *testing.T) {
	seen := map[string]bool{}
	for typ := range numTypes {
		for _, fault := range faultsOfRow(&types[typ]) {
			t.Errorf("type %d (%q): types.go: %s", typ, typ, fault)
		}
		must.Hold(t, !seen[typ.String()], "type %d: types.go has two rows called %q", typ, typ)
		seen[typ.String()] = true
		got, ok := ParseType(typ.String())
		must.Hold(t, got == typ && ok, "ParseType(%q) = %d, %v; want %d", typ, got, ok, typ)
	}
}

// faultsOfRow says what a row lacks.
func faultsOfRow(r *typeRow) (faults []string) {
	want := func(ok bool, what string) {
		if !ok {
			faults = append(faults, what)
		}
	}
	want(r.name != "", "no row, or a row without a name")
	want(r.Form == Text || r.Form == Floats || r.Form == Ints, "Form is missing: Text, Floats or Ints")
	want(r.Categories || r.Bins, "neither Categories nor Bins")
	want(r.Least < r.Most, "Least is not below Most")
	want(r.Example != "", "Example is missing")
	want((r.parse != nil) == (r.Form == Ints), "parse is for Form Ints, and for no other")
	want(!r.Bins || r.Form != Ints || r.Resolution > 0, "Resolution is missing")
	want(r.Calendar == (r.fromTime != nil) && r.Calendar == (r.toTime != nil) && r.Calendar == (r.steps[0] > 0), "fromTime, toTime and steps go with Calendar")
	want(!r.Calendar || r.Day > 0, "Day is missing")
	if r.parse == nil {
		return faults
	}
	a := Attribute{Type: ofName(r.name), Scale: 1}
	v, ok := r.parse(r.Example, a.Scale)
	want(ok && r.Least <= v && v <= r.Most, "Example is not a value of the type")
	want(string(a.AppendNative(nil, v)) == r.Example, "format does not write Example as parse reads it")
	if r.Calendar && r.fromTime != nil && r.toTime != nil {
		want(r.fromTime(r.toTime(v)) == v, "fromTime is not the inverse of toTime")
	}
	return faults
}

func ofName(name string) Type {
	t, _ := ParseType(name)
	return t
}

// A row that lacks a part is found out.
func TestRowsThatLackAPart(t *testing.T) {
	for _, c := range []struct {
		spoil func(*typeRow)
		want  string
	}{
		{func(r *typeRow) { *r = typeRow{} }, "no row"},
		{func(r *typeRow) { r.Form = Absent }, "Form is missing"},
		{func(r *typeRow) { r.parse = nil }, "parse is for"},
		{func(r *typeRow) { r.Resolution = 0 }, "Resolution is missing"},
		{func(r *typeRow) { r.Example = "31.12.2024" }, "not a value of the type"},
		{func(r *typeRow) { r.Example = "2024-12-1" }, "format does not write"},
		{func(r *typeRow) { r.steps = [2]Step{} }, "go with Calendar"},
		{func(r *typeRow) { r.toTime = microTime }, "not the inverse"},
	} {
		row := types[Date]
		c.spoil(&row)
		got := strings.Join(faultsOfRow(&row), "; ")
		must.Hold(t, strings.Contains(got, c.want), "faults %q; want %q among them", got, c.want)
	}
}

// What a wall clock shows is kept, whatever its zone; of a TIMESTAMP the instant is.
func TestFromTime(t *testing.T) {
	moment := time.Date(2024, 2, 29, 23, 30, 0, 5000, time.FixedZone("", -3600))
	for typ, want := range map[Type]string{
		Date: "2024-02-29", Time: "23:30:00.000005", DateTime: "2024-02-29T23:30:00.000005", Timestamp: "2024-03-01T00:30:00.000005Z",
	} {
		v, ok := typ.FromTime(moment)
		a := Attribute{Type: typ}
		got := string(a.AppendNative(nil, v))
		must.Hold(t, got == want && ok, "%v: %s, %v; want %s", typ, got, ok, want)
		again, _ := typ.FromTime(typ.Time(v))
		must.Hold(t, again == v, "%v: %d comes back as %d", typ, v, again)
	}
	_, ok := Numeric.FromTime(moment)
	must.Hold(t, !ok, "NUMERIC takes a time")
}
