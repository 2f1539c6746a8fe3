package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
)

// File returns the domain file of what was found: of columns that are left out it says why. csv has the keys under csv: that
// say how cells of text were read, such as "trim: true"; it is empty if cells are no text.
func (f *Found) File(csv string) []byte {
	var b strings.Builder
	b.WriteString(yamltext.ForEditors + "# Found privately: what stands here was released within the ε and δ of a run, and may be shared. Releases, by column:\n" +
		"# type, null: kinds of cells; min, max: magnitudes, or years; resolution: decimal places, or the step of a clock; values: noisy counts above a threshold.\n")
	if f.PrivacyID == "" {
		b.WriteString("privacy_id: none\n")
	} else {
		fmt.Fprintf(&b, "privacy_id: %s\n", yamltext.Quoted(f.PrivacyID))
	}
	if n := int64(f.Units); n >= 1 {
		fmt.Fprintf(&b, "expected_rows: %d\n", n)
	}
	b.WriteString("columns:\n")
	for i := range f.Columns {
		b.WriteString(f.Columns[i].line())
	}
	if person := f.person(); f.MaxRows > 1 && len(person) < len(f.Columns)-len(f.LeftOut()) { // else all rows of a person are one
		b.WriteString("events: {")
		if len(person) > 0 {
			fmt.Fprintf(&b, "person: %s, ", list(person))
		}
		fmt.Fprintf(&b, "rows: {max: %d, beyond: [max]}}\n", f.MaxRows)
	}
	for i, order := range f.Orders {
		if i == 0 {
			b.WriteString("constraints:  # no more people than noise hides are out of order, or one in 500\n")
		}
		fmt.Fprintf(&b, "  - {order: %s}\n", list(order))
	}
	if csv != "" {
		fmt.Fprintf(&b, "csv: {%s%s}", csv, f.written())
		if strings.Contains(csv, "trim: true") {
			b.WriteString(`  # blanks around values are no part of them: "a " and "a" are one`)
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// written names the columns that are written in a form of their own.
func (f *Found) written() string {
	var forms []string
	for _, c := range f.Columns {
		if c.Written != "" && c.Left == "" {
			forms = append(forms, yamltext.Quoted(c.Name)+": "+yamltext.Quoted(string(c.Written)))
		}
	}
	if len(forms) == 0 {
		return ""
	}
	return ", written: {" + strings.Join(forms, ", ") + "}"
}

// person are the columns of people that are not left out.
func (f *Found) person() []string {
	return slices.DeleteFunc(slices.Clone(f.Person), func(name string) bool {
		return slices.ContainsFunc(f.Columns, func(c FoundColumn) bool { return c.Name == name && c.Left != "" })
	})
}

func (f *FoundColumn) line() string {
	name := "name: " + yamltext.Quoted(f.Name)
	if f.Left != "" {
		return fmt.Sprintf("  # - {%s}  # left out: %s\n", name, f.Left)
	}
	text := name + ", type: " + f.Type.String()
	first := cmp.Or(f.Common, f.Min)
	switch {
	case f.Type == domain.String:
		text += ", values: " + list(f.Values)
		if len(f.Prefixes) > 0 {
			text += ", prefix: " + strings.ReplaceAll(fmt.Sprint(f.Prefixes), " ", ", ")
		}
		text += ", other: true"
		if name := yamltext.Other(f.Values); name != "" {
			text += ", other_value: " + yamltext.Quoted(name)
		}
	case len(f.Values) > 0: // of numbers
		text += ", values: " + list(f.Values)
		first = f.Values[0]
	case f.Type == domain.Bool:
		first = "false"
	default:
		text += fmt.Sprintf(", min: %s, max: %s", yamltext.Plain(f.Min), yamltext.Plain(f.Max))
		if f.Resolution != "" && !(f.Type == domain.Int64 && f.Resolution == "1") {
			text += ", resolution: " + f.Resolution
		}
		var ends []string
		for i, end := range []string{"min", "max"} {
			if f.Beyond[i] {
				ends = append(ends, end)
			}
		}
		if len(ends) > 0 {
			text += ", beyond: [" + strings.Join(ends, ", ") + "]"
		}
		if len(f.Exact) > 0 {
			text += ", exact: " + yamltext.List(f.Exact, yamltext.Plain)
		}
	}
	if f.Null {
		text += ", null: true"
	} else if f.Type != domain.String {
		text += ", fallback: " + yamltext.Plain(first)
	}
	if text = "  - {" + text + "}"; f.Note != "" {
		text += "  # " + f.Note
	}
	return text + "\n"
}

func list(texts []string) string { return yamltext.List(texts, yamltext.Quoted) }
