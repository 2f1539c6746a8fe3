package domain

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// maxName is BigQuery's limit on the length of a column name, in characters.
const maxName = 300

// Validate returns all faults of the domain at once, or nil: names that are missing, invalid or used twice, and every
// fault of an attribute. It names the first twenty faults, and counts the others.
func (d *Domain) Validate() error {
	var errs errtext.Errors
	if len(d.Attributes) == 0 {
		errs.Addf("domain: no columns; declare at least one")
	}
	if d.PrivacyID != "" {
		if why := NameFault(d.PrivacyID); why != "" {
			errs.Addf("domain: privacy ID %q: %s", d.PrivacyID, why)
		}
	}
	seen := map[string]bool{d.PrivacyID: true}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		if seen[a.Name] && a.Name != "" {
			errs.Addf("domain: column %q appears twice, or is the privacy ID; leave one out", a.Name)
		}
		seen[a.Name] = true
		errs.Add(a.Validate())
	}
	d.events(&errs)
	d.gapsFaults(&errs)
	if errs.Err() == nil {
		_, err := d.couple()
		errs.Add(err)
		errs.Add(d.StructuralZeros.validate(d.Sizes()))
		for _, e := range d.StructuralZeros {
			for k, i := range e.Clique {
				if errs.Err() == nil && d.Attributes[i].Learned > 0 && !d.Attributes[i].allBins(e.Codes[k]) {
					errs.Addf("domain: column %q is part of an impossible combination, and its bins are learned; give it bins", d.Attributes[i].Name)
				}
			}
		}
	}
	return errs.Err()
}

// NameFault describes what is wrong with a column name; it is empty for a valid name. A name has 1 to 300 characters,
// none of them a control character, and no blank at either end.
func NameFault(name string) string {
	switch {
	case name == "":
		return "the name is empty"
	case !utf8.ValidString(name):
		return "the name is not valid UTF-8"
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Sprintf("the name is longer than %d characters", maxName)
	case strings.TrimSpace(name) != name:
		return "the name begins or ends with a blank"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "the name holds a control character"
	}
	return ""
}

// Validate returns all faults of the attribute at once, or nil.
func (a *Attribute) Validate() error {
	v := validator{a: a}
	if why := NameFault(a.Name); why != "" {
		v.add("%s", why)
	}
	if a.Type >= numTypes {
		v.add("type %d is not a type", a.Type)
		return v.errs.Err()
	}
	v.cells()
	v.values()
	v.prefixes()
	v.cuts()
	v.floatCuts()
	v.learned()
	v.unusable()
	return v.errs.Err()
}

// validator collects the faults of one attribute.
type validator struct {
	a    *Attribute
	errs errtext.Errors
}

func (v *validator) add(format string, args ...any) {
	v.errs.Addf("domain: column %q: "+format, append([]any{v.a.Name}, args...)...)
}

// cells checks that the attribute has cells of one kind that its type allows, and not too many.
func (v *validator) cells() {
	a, kinds := v.a, 0
	for _, n := range [...]int{len(a.Values), len(a.Cuts), len(a.FloatCuts)} {
		if n > 0 {
			kinds++
		}
	}
	switch {
	case kinds == 0 || a.Bins() == 0:
		v.add("has no cells; declare values, or at least two cut points")
	case kinds > 1:
		v.add("has more than one of values, cut points and float cut points; keep one")
	case a.Size() > MaxSize:
		v.add("has %d cells, at most %d are possible; use fewer", a.Size(), MaxSize)
	}
	f := a.Type.Facts()
	if len(a.Values) > 0 && !f.Categories {
		v.add("%s cannot have values; use cut points", a.Type)
	}
	if len(a.Cuts) > 0 && (!f.Bins || f.Form != Ints) {
		v.add("%s cannot have whole cut points", a.Type)
	}
	if len(a.FloatCuts) > 0 && f.Form != Floats {
		v.add("%s cannot have float cut points", a.Type)
	}
	if a.Scale < 0 || a.Scale > 9 || a.Scale > 0 && a.Type != Numeric {
		v.add("scale %d: 0 to 9 is possible for NUMERIC, 0 for every other type", a.Scale)
	}
}

// values checks that the categories differ and are canonical.
func (v *validator) values() {
	seen := make(map[string]bool, len(v.a.Values))
	for _, s := range v.a.Values {
		if seen[s] {
			v.add("value %q appears twice", s)
		}
		seen[s] = true
		if !v.a.canonical(s) {
			v.add("value %q is not the canonical text of %s", s, v.a.Type)
		}
	}
	if !v.a.Other {
		return
	}
	switch {
	case len(v.a.Values) == 0 || v.a.Type == Bool:
		v.add("the cell other needs values of type STRING, INT64 or NUMERIC; use a NULL cell or a fallback")
	case v.a.OtherValue == "" || !v.a.canonical(v.a.OtherValue):
		v.add("the cell other has to be written back as %s that is not empty; got %q", v.a.Type, v.a.OtherValue)
	case seen[v.a.OtherValue]:
		v.add("the cell other is written back as %q, which is one of the values; choose another", v.a.OtherValue)
	}
}

// MaxPrefix is the largest number of characters of a prefix.
const MaxPrefix = 64

// prefixes checks the lengths of prefixes.
func (v *validator) prefixes() {
	for i, n := range v.a.Prefixes {
		switch {
		case v.a.Type != String:
			v.add("prefixes are for STRING; leave them out")
			return
		case n < 1 || n > MaxPrefix || i > 0 && n <= v.a.Prefixes[i-1]:
			v.add("prefixes are numbers of characters from 1 to %d, in ascending order; got %v", MaxPrefix, v.a.Prefixes)
			return
		}
	}
}

// canonical reports whether s is the canonical text of a category.
func (a *Attribute) canonical(s string) bool {
	if f := a.Type.Facts(); f.Form == Text || !f.Categories {
		return utf8.ValidString(s)
	}
	v, ok := a.ParseNative(s)
	return ok && string(a.AppendNative(nil, v)) == s
}

// cuts checks that whole cut points ascend and that every bin contains a value to decode to.
func (v *validator) cuts() {
	c := v.a.Cuts
	if len(c) < 2 {
		return
	}
	for i := 1; i < len(c); i++ {
		if c[i] < c[i-1] || c[i] == c[i-1] && i < len(c)-1 {
			v.add("cut point %d is not above the one before it", i+1)
			return
		}
	}
	if f := v.a.Type.Facts(); c[0] < f.Least || c[len(c)-1] > f.Most {
		v.add("cut points lie outside years 1 to 9999, or outside a day")
	}
	if v.a.Resolution < 1 {
		v.add("resolution %d: at least 1 is needed", v.a.Resolution)
		return
	}
	for b := range len(c) - 1 {
		if lo, hi := v.a.multiples(b); lo > hi {
			v.add("the cell %s holds no multiple of the resolution; use a smaller one, or fewer cells", v.a.Label(Code(b)))
			return
		}
	}
}

// floatCuts is cuts for FLOAT64.
func (v *validator) floatCuts() {
	c := v.a.FloatCuts
	for i, x := range c {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			v.add("cut point %d is not a finite number", i+1)
			return
		}
		if i > 0 && (x < c[i-1] || x == c[i-1] && i < len(c)-1) {
			v.add("cut point %d is not above the one before it", i+1)
			return
		}
	}
	r := v.a.FloatResolution
	if !(r >= 0) || math.IsInf(r, 0) {
		v.add("resolution %g: a finite number of at least 0 is needed", r)
		return
	}
	if r == 0 || len(c) < 2 {
		return
	}
	if math.Max(math.Abs(c[0]), math.Abs(c[len(c)-1]))/r >= 1<<53 {
		v.add("resolution %g is below the precision of float64 at the largest cut point", r)
		return
	}
	for b := range len(c) - 1 {
		if g := newGrid(v.a, b); g.first > g.last {
			v.add("the cell %s holds no multiple of the resolution; use a larger cell, or a smaller resolution", v.a.Label(Code(b)))
			return
		}
	}
}

// unusable checks that the attribute declares what an unusable value becomes.
func (v *validator) unusable() {
	a := v.a
	if !a.Other && !a.Null && !a.HasFallback {
		v.add("does not say what an unusable value becomes; declare other, null or a fallback")
	}
	if a.HasFallback && int(a.Fallback) >= a.RecordSize() {
		v.add("fallback: cell %d is not one of its %d cells", a.Fallback, a.RecordSize())
	}
}
