package domain

import (
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestValidate has one row per fault; the wanted text must be among the faults.
func TestValidate(t *testing.T) {
	ok := func() Attribute {
		return Attribute{Name: "x", Type: Int64, Cuts: []int64{0, 5, 9}, Resolution: 1, Null: true}
	}
	text := func() Attribute {
		return Attribute{Name: "x", Type: String, Values: []string{"a", "b"}, Other: true, OtherValue: "other"}
	}
	float := func() Attribute {
		return Attribute{Name: "x", Type: Float64, FloatCuts: []float64{0, 1, 2}, Null: true}
	}
	tests := []struct {
		want   string
		attr   func() Attribute
		change func(*Attribute)
	}{
		{"the name is empty", ok, func(a *Attribute) { a.Name = "" }},
		{"not valid UTF-8", ok, func(a *Attribute) { a.Name = "\xff" }},
		{"longer than 300", ok, func(a *Attribute) { a.Name = strings.Repeat("x", 301) }},
		{"begins or ends with a blank", ok, func(a *Attribute) { a.Name = "x " }},
		{"control character", ok, func(a *Attribute) { a.Name = "x\ny" }},
		{"type 99 is not a type", ok, func(a *Attribute) { a.Type = 99 }},
		{"has no cells", ok, func(a *Attribute) { a.Cuts = nil }},
		{"has no cells", ok, func(a *Attribute) { a.Cuts = []int64{1} }},
		{"more than one of", ok, func(a *Attribute) { a.Values = []string{"1"} }},
		{"has 65537 cells", ok, func(a *Attribute) { a.Cuts = EqualCuts(0, 1<<20, MaxSize) }},
		{"DATE cannot have values", text, func(a *Attribute) { a.Type = Date }},
		{"STRING cannot have whole cut points", ok, func(a *Attribute) { a.Type = String }},
		{"INT64 cannot have float cut points", float, func(a *Attribute) { a.Type = Int64 }},
		{"scale 10", ok, func(a *Attribute) { a.Scale = 10; a.Type = Numeric }},
		{"scale 1", ok, func(a *Attribute) { a.Scale = 1 }},
		{`value "a" appears twice`, text, func(a *Attribute) { a.Values = []string{"a", "a"} }},
		{`value "a" is not the canonical text of INT64`, text, func(a *Attribute) { a.Type = Int64 }},
		{`value "TRUE" is not the canonical text of BOOL`, text, func(a *Attribute) { a.Type = Bool; a.Values = []string{"TRUE"} }},
		{"the cell other needs values", ok, func(a *Attribute) { a.Other = true }},
		{"has to be written back", text, func(a *Attribute) { a.OtherValue = "" }},
		{"has to be written back", text, func(a *Attribute) { a.Type = Int64; a.Values = []string{"1"} }},
		{"which is one of the values", text, func(a *Attribute) { a.OtherValue = "a" }},
		{"cut point 2 is not above", ok, func(a *Attribute) { a.Cuts = []int64{0, 0, 9} }},
		{"cut point 3 is not above", ok, func(a *Attribute) { a.Cuts = []int64{0, 5, 4} }},
		{"years 1 to 9999", ok, func(a *Attribute) { a.Type = Date; a.Cuts = []int64{0, maxDay + 1} }},
		{"resolution 0", ok, func(a *Attribute) { a.Resolution = 0 }},
		{"[1, 4) holds no multiple", ok, func(a *Attribute) { a.Cuts = []int64{0, 1, 4, 9}; a.Resolution = 4 }},
		{"cut point 3 is not a finite", float, func(a *Attribute) { a.FloatCuts[2] = math.Inf(1) }},
		{"cut point 2 is not above", float, func(a *Attribute) { a.FloatCuts[1] = 0 }},
		{"resolution NaN", float, func(a *Attribute) { a.FloatResolution = math.NaN() }},
		{"resolution 1e-17 is below", float, func(a *Attribute) { a.FloatResolution = 1e-17 }},
		{"[1, 2] holds no multiple", float, func(a *Attribute) { a.FloatResolution = 3 }},
		{"does not say what an unusable value becomes", ok, func(a *Attribute) { a.Null = false }},
		{"fallback: cell 3", ok, func(a *Attribute) { a.HasFallback = true; a.Fallback = 3 }},
	}
	for _, test := range tests {
		a := test.attr()
		err := a.Validate()
		must.Need(t, err == nil, "before the fault: %v", err)
		test.change(&a)
		must.Fail(t, a.Validate(), test.want)
	}
}

func TestValidateDomain(t *testing.T) {
	a := Attribute{Name: "x", Type: Int64, Cuts: []int64{0, 9}, Resolution: 1}
	id := a
	id.Name = "id"
	err := (&Domain{PrivacyID: "id", Attributes: []Attribute{a, a, id}}).Validate()
	must.Need(t, err != nil, "no fault found")
	got := err.Error()
	for want, times := range map[string]int{
		`"x" appears twice`: 1, `"id" appears twice, or is the privacy ID`: 1, "does not say what": 3,
	} {
		must.Hold(t, strings.Count(got, want) == times, "want %d times %q in\n%s", times, want, got)
	}
	err = (&Domain{PrivacyID: " "}).Validate()
	must.Hold(t, err != nil && strings.Count(err.Error(), "\n") == 1, "no columns and a blank privacy ID: %v", err)
}

// TestLabels: labels of an attribute differ, and read as people expect.
func TestLabels(t *testing.T) {
	d := allTypes(t)
	for i := range d.Attributes {
		a, seen := &d.Attributes[i], map[string]bool{}
		for c := range a.Size() {
			seen[a.Label(Code(c))] = true
		}
		must.Hold(t, len(seen) == a.Size(), "%s: %d labels for %d cells", a.Name, len(seen), a.Size())
	}
	a := Attribute{Type: String, Values: []string{"other", "NULL"}, Other: true, Null: true}
	var got []string
	for c := range a.Size() {
		got = append(got, a.Label(Code(c)))
	}
	must.List(t, got, []string{"other", "NULL", "other (any other value)", "NULL (no value)"}, "labels")
}

func TestWants(t *testing.T) {
	d := allTypes(t)
	for name, want := range map[string]string{"sex": "valid UTF-8", "code": "an INT64", "age": "an INT64", "real": "a FLOAT64", "married": "a BOOL"} {
		must.Equal(t, d.Attributes[d.Index(name)].Wants(), want, "%s wants", name)
	}
}
