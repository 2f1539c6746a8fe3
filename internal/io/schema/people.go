package schema

import (
	"slices"
	"strings"
)

// MostRows is the largest number of privacy units or rows that a file or a flag can name.
const MostRows = 1_000_000_000_000

// peopleNames are parts of column names that tell that the values name somebody.
var peopleNames = []string{
	"person", "people", "patient", "user", "customer", "client", "member", "account", "subject", "household", "employee", "student", "mrn", "pid",
}

// NamesPeople reports whether a column's name suggests that its values name people.
func NamesPeople(name string) bool { return hasWord(name, peopleNames) }

// NamesUnits reports whether a column's name suggests that its values name anything.
func NamesUnits(name string) bool {
	return NamesPeople(name) || hasWord(name, []string{"id"}) || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")
}

// Suggested names the columns whose names suggest people, or anything that has an ID, as an insertion after the word
// people. It is empty without any.
func Suggested(columns []string) string {
	var list []string
	for _, name := range columns {
		if NamesUnits(name) && len(list) < 10 {
			list = append(list, quote(name))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ", perhaps " + strings.Join(list, " or ")
}

// hasWord reports whether a name has one of words as a word of its own, or begins a word with one.
func hasWord(name string, words []string) bool {
	own := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
	return slices.ContainsFunc(own, func(w string) bool {
		return slices.ContainsFunc(words, func(n string) bool {
			return w == n || strings.HasPrefix(w, n) && len(n) > 3 || w == n+"s"
		})
	})
}
