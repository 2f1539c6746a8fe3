package infer

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// proposal is one line of the proposed file.
type proposal struct {
	name    string
	typ     domain.Type // of a column that was read
	keys    keys        // the column as it stands between braces, behind its name
	out     bool        // the column is left out
	key     bool        // no value is there twice
	review  string      // what the reader has to decide; empty if nothing is left
	derived []string    // what was read off the data
}

func (p proposal) String() string {
	return yamltext.Column("name: "+yamltext.Plain(p.name)+p.keys.String(), p.out, p.review)
}

// ask adds what the reader has to decide.
func (p *proposal) ask(question string) {
	if p.review != "" && question != "" {
		p.review += "; "
	}
	p.review += question
}

// keys are keys of a column in order, with their values as YAML has them.
type keys []key

type key struct{ name, value string }

func (k keys) String() (text string) {
	for _, x := range k {
		text += ", " + x.name + ": " + x.value
	}
	return text
}

// get returns the value of a key; empty: it is not there.
func (k keys) get(name string) string {
	for _, x := range k {
		if x.name == name {
			return x.value
		}
	}
	return ""
}

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
	some := func(is func(p proposal) bool) bool {
		return slices.ContainsFunc(lines, func(p proposal) bool { return !p.out && len(p.derived) > 0 && is(p) })
	}
	if some(func(p proposal) bool { return p.typ == domain.String && p.keys.get("other") == "" }) {
		text += "# review values: is each list complete? other: true makes a cell of what it lacks\n"
	}
	if some(func(p proposal) bool { return p.keys.get("fallback") != "" }) {
		text += "# review fallback: it is what an unusable value becomes; null: true makes a cell of those\n"
	}
	return text
}

// fromSchema proposes a column from its name and type.
func fromSchema(c table.Column) proposal {
	p := proposal{name: c.Name}
	if c.Untyped {
		p.ask("type, and values or min, max and resolution; null: true, other: true or fallback: VALUE")
		return p
	}
	p.keys = keys{{"type", c.Type.String()}}
	switch f := c.Type.Facts(); {
	case f.Form == domain.Text:
		p.ask("values: [A, B]")
		p.keys = append(p.keys, key{"other", "true"})
	case f.Form == domain.Floats:
		p.ask("min, max and resolution")
	case f.Bins:
		p.ask("min and max")
	}
	if c.Nullable {
		p.keys = append(p.keys, key{"null", "true"})
	} else if c.Type != domain.String {
		p.ask("fallback: VALUE")
	}
	return p
}

// fromData proposes a column from its cells. What cannot be proposed is left out.
func (s *Source) fromData(t *tally) proposal {
	p := proposal{name: t.Name, typ: t.Type, keys: keys{{"type", t.Type.String()}}}
	cells, remark, why := t.cells(s.PrivacyID != "")
	if why == "" {
		p.keys = append(p.keys, cells...)
		// It has no range at the end of what a type can hold.
		if _, err := parsed(p); err != nil {
			why = "no cells could be found for its range"
		}
	}
	if t.Untyped {
		p.derived = []string{"type"}
	}
	if why != "" {
		p.out, p.review = true, "left out: "+why
		p.derived = append(p.derived, "that it is left out")
		return p
	}
	for _, k := range p.keys {
		switch k.name {
		case "min", "max", "exact":
			if t.Type != domain.Time { // which has all of a day
				p.derived = append(p.derived, k.name)
			}
		case "values", "resolution":
			p.derived = append(p.derived, k.name)
		case "other":
			p.derived[len(p.derived)-1] += " (rarer ones are other)"
		}
	}
	p.derived = append(p.derived, "null flag")
	p.ask(remark)
	p.ask(t.question)
	if t.Type == domain.Int64 && t.form == nil && t.groups.once() {
		p.key = true
		p.ask("no value is there twice: is it a key? Leave it out then; see generate")
	}
	if t.odd > 0 {
		p.ask("some of its values are no " + t.Type.String() + ": dapple check says what they become")
	}
	if t.beyond {
		p.ask("some numbers are beyond " + t.Type.String() + " and become NULL; convert the column to texts if they count")
	}
	return p
}

// cells returns the keys that declare the cells, a remark on them, and why there are none.
func (t *tally) cells(units bool) (cells keys, remark, why string) {
	f := t.Type.Facts()
	switch {
	case f.Form == domain.Text:
		cells, why = t.categories(units)
		return cells, "", why
	case !f.Bins:
		return keys{t.unusable("false")}, "", ""
	case t.empty && t.beyond:
		return nil, "", "all its numbers are beyond " + t.Type.String() + "; convert the column to texts"
	case t.empty && t.Type != domain.Time:
		return nil, "", noValues
	}
	if f.Categories {
		if codes, most, few := t.codes(units); few {
			return keys{{"values", yamltext.List(codes, yamltext.Plain)}, t.unusable(yamltext.Plain(most))}, "", ""
		}
	}
	switch {
	case t.Type == domain.Time:
		cells, remark = t.clock()
	case f.Calendar:
		cells, remark = t.calendar()
		cells = append(cells, t.exactDays()...)
	default:
		if cells, remark = t.number(); remark == coarser || remark == farAway {
			cells = append(cells, t.exactly(cells, units)...)
		}
	}
	return append(cells, t.unusable(cells.get("min"))), remark, ""
}

// noValues is why a column without a value is left out.
const noValues = "it has no values"

// unusable says what NULL and unusable values become.
func (t *tally) unusable(fallback string) key {
	if t.nulls {
		return key{"null", "true"}
	}
	return key{"fallback", fallback}
}

// categories proposes the values of a STRING.
func (t *tally) categories(units bool) (cells keys, why string) {
	values, all := t.values.supported(units)
	who := map[bool]string{true: "people", false: "records"}[units]
	periods, only := t.values.periods()
	most := slices.Concat(values, periods, []string{""})[0]
	switch {
	case t.kind == cellkind.None: // all that it has stands for NULL
		return nil, noValues
	case len(periods) > 0: // which are public
		values, all = periods, only
	case t.values.records == 0:
		return nil, noValues
	case len(values) == 0:
		return nil, fmt.Sprintf("no value has %d %s; is it an identifier, or text?", MinSupport, who)
	case !t.values.all(values, .5) && len(values) == maxCategories:
		return nil, fmt.Sprintf("the %d most frequent values are less than half of it; is it an identifier, or text?", maxCategories)
	case !t.values.all(values, .5):
		return nil, fmt.Sprintf("most records have values that fewer than %d %s have; is it an identifier, or text?", MinSupport, who)
	}
	slices.Sort(values)
	cells = keys{{"values", yamltext.List(values, yamltext.Plain)}}
	if all {
		return append(cells, t.unusable(yamltext.Plain(most))), ""
	}
	cells = append(cells, key{"other", "true"})
	if other := yamltext.Other(values); other != "" {
		cells = append(cells, key{"other_value", yamltext.Plain(other)})
	}
	if t.nulls {
		cells = append(cells, key{"null", "true"})
	}
	return cells, ""
}

// codes returns the values of a number that has few, far apart, all of them with support, and the most frequent one: of a NUMERIC
// those that no resolution holds.
func (t *tally) codes(units bool) (values []string, most string, few bool) {
	if t.Type == domain.Numeric {
		if _, remark := t.number(); remark == "" || t.form != nil {
			return nil, "", false
		}
	} else if uint64(t.hi)-uint64(t.lo) < 64 || t.kind == cellkind.Decimal || t.form != nil { // 2.0 and 1,000 are no ways to write a value
		return nil, "", false
	}
	values, all := t.values.supported(units)
	if t.Type == domain.Numeric && !t.nulls { // what is left becomes the fallback
		all = t.values.all(values, nearlyAll)
	}
	numbers := make(map[string]*big.Rat, len(values))
	for _, v := range values {
		numbers[v], _ = new(big.Rat).SetString(v)
		all = all && numbers[v] != nil
	}
	if !all || len(values) == 0 {
		return nil, "", false
	}
	most = values[0]
	slices.SortFunc(values, func(a, b string) int { return numbers[a].Cmp(numbers[b]) })
	for i := 1; i < len(values); i++ {
		all = all && numbers[values[i-1]].Cmp(numbers[values[i]]) < 0 // 2 and 2.0 are one value
	}
	return values, most, all && len(values) <= maxCodes
}
