package infer

import (
	"slices"
	"strings"
)

// publicLimits are limits that anybody knows without a table, by a word of a column's name.
var publicLimits = []struct {
	words  []string
	limits string
}{
	{[]string{"age", "alter"}, "min: 0, max: 120"},
	{[]string{"percent", "percentage", "pct"}, "min: 0, max: 100"},
	{[]string{"year", "jahr"}, "min: 1900, max: 2100"},
	{[]string{"month", "monat"}, "min: 1, max: 12"},
	{[]string{"weekday", "dow"}, "min: 0, max: 7"},
	{[]string{"day", "tag"}, "min: 1, max: 31"},
	{[]string{"hour", "stunde"}, "min: 0, max: 23"},
	{[]string{"minute", "second"}, "min: 0, max: 59"},
}

// wayOut says by what the facts that were read off a column can be replaced without the table.
func (p proposal) wayOut() string {
	switch read := strings.Join(p.derived, ", "); {
	case p.out || p.rule != "":
		return "delete this line if the column is not needed, or if the rule is known"
	case strings.Contains(read, "values"):
		return "all values that the form, code list or program offers"
	case !strings.Contains(read, "min"):
		return "the type, and whether a value can be missing, as the table's description has them"
	case strings.Contains(p.keys, "type: DATE") || strings.Contains(p.keys, "type: TIMESTAMP"):
		return "the first and last day that the table is about, as its description has them"
	}
	if known := knownLimits(p.name); known != "" {
		return known
	}
	return "the least and largest values that are possible at all, or that the program accepts"
}

// knownLimits returns the public limits of a column by its name; empty: there are none.
func knownLimits(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
	for _, known := range publicLimits {
		if slices.ContainsFunc(known.words, func(w string) bool { return slices.Contains(words, w) }) {
			return known.limits
		}
	}
	return ""
}
