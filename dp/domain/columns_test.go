package domain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Columns that are made of values of Go are valid, and code these values.
func TestColumnsOfGoTypes(t *testing.T) {
	at := func(year, month, day, hour int) time.Time {
		return time.Date(year, time.Month(month), day, hour, 0, 0, 0, time.FixedZone("", -5*3600))
	}
	d := &Domain{Attributes: []Attribute{
		Categories("ward", "eye", "heart"), Bools("member"), Integers("rooms", 1, 6), Integers("cents", -5, 100_000), Numbers("kilos", 0, 200, .1), Numbers("half", 0, 1, .5),
		Dates("day", at(2024, 1, 1, 23), at(2024, 12, 31, 23)), Dates("weekday", at(2024, 1, 1, 0), at(2024, 1, 7, 0)),
		Times("second", at(2024, 1, 1, 0), at(2024, 1, 1, 1)), Times("minute", at(2024, 1, 1, 0), at(2024, 12, 31, 0)), Times("hour", at(1990, 1, 1, 0), at(2024, 1, 1, 0)),
		Times("century", at(1800, 1, 1, 0), at(2024, 1, 1, 0)), Dates("era", at(1, 1, 1, 0), at(2024, 1, 1, 0)), Integers("one", 7, 7),
	}}
	must.Do(t, d.Validate())
	get := func(name string) Attribute { return d.Attributes[d.Index(name)] }
	if a := get("day"); a.Fine() != 366 || a.Cuts[0] != civilDay(2024, 1, 1) {
		t.Errorf("the year 2024 has %d days from day %d", a.Fine(), a.Cuts[0])
	}
	if a := get("weekday"); a.Bins() != 7 || a.Learned != 0 {
		t.Errorf("a week has %d bins, %d of them learned", a.Bins(), a.Learned)
	}
	for name, seconds := range map[string]int64{"second": 1, "minute": 60, "hour": 3600, "century": 86400} {
		if a := get(name); a.Resolution != seconds*microsPerSecond || a.Fine() > MaxFine {
			t.Errorf("%s: steps of %d µs, %d values", name, a.Resolution, a.Fine())
		}
	}
	for _, bad := range []Attribute{
		Categories("none"), Integers("back", 2, 1), Numbers("back", 2, 1, 1), Numbers("not", 0, math.NaN(), 1), Dates("back", at(2024, 1, 2, 0), at(2024, 1, 1, 0)),
		Times("back", at(2024, 1, 2, 0), at(2024, 1, 1, 0)), Dates("far", at(2024, 1, 1, 0), at(12_024, 1, 1, 0)), Integers("all", math.MinInt64, math.MaxInt64),
	} {
		must.Fail(t, (&Domain{Attributes: []Attribute{bad}}).Validate(), "", "%v is valid", bad)
	}
}

// go doc prints a group of constants by its first one alone: the types are listed in the words on Type.
func TestTypesAreListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "types.go", nil, parser.ParseComments)
	must.Need(t, err == nil, "%v", err)
	words, names := "", []string(nil)
	for _, decl := range file.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.Name == "Type" {
					words = g.Doc.Text()
				}
			case *ast.ValueSpec:
				if g.Tok == token.CONST && spec.Names[0].IsExported() {
					names = append(names, spec.Names[0].Name)
				}
			}
		}
	}
	listed := strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(" ,.:\n", r) })
	for _, name := range names {
		must.Hold(t, slices.Contains(listed, name), "Type's comment lacks %s", name)
	}
	must.Hold(t, len(names) == len(Types()), "found %d constants of %d types", len(names), len(Types()))
}
