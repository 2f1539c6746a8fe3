package infer

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// proposal is one line of the proposed file.
type proposal struct {
	name    string
	typ     domain.Type // of a column that was read
	keys    string      // the column as it stands between braces
	out     bool        // the column is left out
	key     bool        // no value is there twice
	review  string      // what the reader has to decide; empty if nothing is left
	derived []string    // what was read off the data
}

func (p proposal) String() string { return yamltext.Column(p.keys, p.out, p.review) }

// parsed reads the columns that are kept. The reader of domain files has the last word.
func parsed(lines ...proposal) (*domain.Domain, error) {
	text := "privacy_id: none\ncolumns:\n"
	for _, p := range lines {
		text += p.String()
	}
	f, err := schema.Parse("proposal", []byte(text))
	if err != nil {
		return nil, err
	}
	return f.Domain, nil
}

// legend asks once what is to be reviewed in many columns.
func legend(lines []proposal) (text string) {
	some := func(is func(keys string) bool) bool {
		return slices.ContainsFunc(lines, func(p proposal) bool { return !p.out && len(p.derived) > 0 && is(p.keys) })
	}
	if some(func(keys string) bool {
		return strings.Contains(keys, "type: STRING") && !strings.Contains(keys, "other: ")
	}) {
		text += "# review values: is each list complete? other: true makes a cell of what it lacks\n"
	}
	if some(func(keys string) bool { return strings.Contains(keys, "fallback: ") }) {
		text += "# review fallback: it is what an unusable value becomes; null: true makes a cell of those\n"
	}
	return text
}

// fromSchema proposes a column from its name and type.
func fromSchema(c column) proposal {
	p := proposal{name: c.name, keys: "name: " + yamltext.Plain(c.name)}
	if !c.typed {
		p.review = "type, and values or min, max and resolution; null: true, other: true or fallback: VALUE"
		return p
	}
	p.keys += ", type: " + c.typ.String()
	var missing []string
	switch f := c.typ.Facts(); {
	case f.Form == domain.Text:
		missing = append(missing, "values: [A, B]")
	case f.Form == domain.Floats:
		missing = append(missing, "min, max and resolution")
	case f.Bins:
		missing = append(missing, "min and max")
	}
	switch {
	case c.typ == domain.String:
		p.keys += ", other: true"
		if c.nullable {
			p.keys += ", null: true"
		}
	case c.nullable:
		p.keys += ", null: true"
	default:
		missing = append(missing, "fallback: VALUE")
	}
	p.review = strings.Join(missing, "; ")
	return p
}

// fromData proposes a column from its cells. What cannot be proposed is left out.
func (s *Source) fromData(t *tally) proposal {
	p := proposal{name: t.name, typ: t.typ}
	keys, remark, why := t.cells(s.PrivacyID != "")
	p.keys = "name: " + yamltext.Plain(t.name) + ", type: " + t.typ.String()
	if why == "" {
		p.keys += keys
		// It has no range at the end of what a type can hold.
		if _, err := parsed(p); err != nil {
			why = "no cells could be found for its range"
		}
	}
	if !t.typed {
		p.derived = []string{"type"}
	}
	if why != "" {
		p.out, p.review = true, "left out: "+why
		p.derived = append(p.derived, "that it is left out")
		return p
	}
	for _, key := range []string{"values", "min", "max", "resolution", "exact"} {
		switch {
		case t.typ == domain.Time && key != "resolution" || !strings.Contains(keys, ", "+key+": "):
		case t.typ != domain.String:
			p.derived = append(p.derived, key)
		case key == "values" && strings.Contains(keys, "], other: true"):
			p.derived = append(p.derived, "values (rarer ones are other)")
		case key == "values":
			p.derived = append(p.derived, key)
		}
	}
	p.derived = append(p.derived, "null flag")
	p.review = strings.Trim(remark+"; "+t.question, "; ")
	if t.typ == domain.Int64 && t.form == nil && t.groups.once() {
		p.key = true
		p.review = strings.TrimPrefix(p.review+"; no value is there twice: is it a key? Leave it out then; see generate", "; ")
	}
	if t.beyond {
		p.review = strings.TrimPrefix(p.review+"; some numbers are beyond "+t.typ.String()+" and become NULL; convert the column to texts if they count", "; ")
	}
	return p
}

// cells returns the keys that declare the cells, a remark on them, and why there are none.
func (t *tally) cells(units bool) (keys, remark, why string) {
	f := t.typ.Facts()
	switch {
	case f.Form == domain.Text:
		keys, why = t.categories(units)
		return keys, "", why
	case !f.Bins:
		return ", " + t.unusable("false"), "", ""
	case t.empty && t.typ != domain.Time:
		return "", "", "it has no values"
	}
	if f.Categories {
		if codes, few := t.codes(units); few {
			return ", values: " + yamltext.List(codes, yamltext.Plain) + ", " + t.unusable(yamltext.Plain(t.values.first(codes))), "", ""
		}
	}
	cells := ""
	switch {
	case t.typ == domain.Time:
		cells, remark = t.clock()
	case f.Calendar:
		cells, remark = t.calendar()
		cells += t.exactDays()
	default:
		if cells, remark = t.number(); remark == coarser || remark == farAway {
			cells += t.exactly(cells, units)
		}
	}
	least, _, _ := strings.Cut(strings.TrimPrefix(cells, "min: "), ", ")
	return ", " + cells + ", " + t.unusable(least), remark, ""
}

// unusable says what NULL and unusable values become.
func (t *tally) unusable(fallback string) string {
	if t.nulls {
		return "null: true"
	}
	return "fallback: " + fallback
}

// categories proposes the values of a STRING.
func (t *tally) categories(units bool) (keys, why string) {
	values, all := t.values.supported(units)
	who := map[bool]string{true: "people", false: "records"}[units]
	periods, only := t.values.periods()
	switch {
	case len(periods) > 0: // which are public
		values, all = periods, only
	case t.values.records == 0:
		return "", "it has no values"
	case len(values) == 0:
		return "", fmt.Sprintf("no value has %d %s; is it an identifier, or text?", MinSupport, who)
	case !t.values.all(values, .5):
		return "", fmt.Sprintf("most records have values that fewer than %d %s have; is it an identifier, or text?", MinSupport, who)
	}
	if all {
		return ", values: " + yamltext.List(values, yamltext.Plain) + ", " + t.unusable(yamltext.Plain(t.values.first(values))), ""
	}
	keys = ", values: " + yamltext.List(values, yamltext.Plain) + ", other: true"
	if other := yamltext.Other(values); other != "" {
		keys += ", other_value: " + yamltext.Plain(other)
	}
	if t.nulls {
		keys += ", null: true"
	}
	return keys, ""
}

// codes returns the values of a number that has few, far apart, all of them with support: of a NUMERIC those that no
// resolution holds.
func (t *tally) codes(units bool) ([]string, bool) {
	if t.typ == domain.Numeric {
		if _, remark := t.number(); remark == "" || t.form != nil {
			return nil, false
		}
	} else if uint64(t.hi)-uint64(t.lo) < 64 || t.kind == cellkind.Decimal || t.form != nil { // 2.0 and 1,000 are no ways to write a value
		return nil, false
	}
	values, all := t.values.supported(units)
	if t.typ == domain.Numeric && !t.nulls { // what is left becomes the fallback
		all = t.values.all(values, nearlyAll)
	}
	numbers := make(map[string]*big.Rat, len(values))
	for _, v := range values {
		numbers[v], _ = new(big.Rat).SetString(v)
		all = all && numbers[v] != nil
	}
	if !all || len(values) == 0 {
		return nil, false
	}
	slices.SortFunc(values, func(a, b string) int { return numbers[a].Cmp(numbers[b]) })
	for i := 1; i < len(values); i++ {
		all = all && numbers[values[i-1]].Cmp(numbers[values[i]]) < 0 // 2 and 2.0 are one value
	}
	return values, all && len(values) <= maxCodes
}
