package cellkind

import (
	"slices"
	"strings"
)

// limits are limits that anybody knows without a table, by a word of a column's name.
var limits = []struct {
	words    []string
	min, max string
}{
	{[]string{"age", "alter"}, "0", "120"},
	{[]string{"percent", "percentage", "pct"}, "0", "100"},
	{[]string{"year", "jahr", "yr"}, "1900", "2100"},
	{[]string{"month", "monat"}, "1", "12"},
	{[]string{"weekday", "dow"}, "0", "7"},
	{[]string{"day", "tag"}, "1", "31"},
	{[]string{"hour", "stunde"}, "0", "23"},
	{[]string{"minute", "second"}, "0", "59"},
	{[]string{"zip", "zipcode", "postal", "postcode", "plz"}, "0", "99999"},
	{[]string{"lat", "latitude"}, "-90", "90"},
	{[]string{"lon", "lng", "long", "longitude"}, "-180", "180"},
}

// whole are words of columns whose numbers have no decimals, besides the words of limits that count.
var whole = []string{"id", "count", "number", "num", "no", "n", "nr", "code", "zip", "zipcode", "postal", "postcode", "plz", "year", "jahr", "yr", "month", "monat",
	"weekday", "dow", "day", "tag", "hour", "stunde", "minute", "age", "alter"}

// words are the words of a column's name.
func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == ' ' || r == '-' || r == '.' })
}

// Limits returns the public limits of a column by its name.
func Limits(name string) (low, high string, ok bool) {
	for _, l := range limits {
		if slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(l.words, w) }) {
			return l.min, l.max, true
		}
	}
	return "", "", false
}

// SaysWhole reports whether the name of a column says that its numbers have no decimals.
func SaysWhole(name string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(whole, w) })
}

// SaysIdentifier reports whether the name of a column says that it names something, as item_id, movieId and schid do.
func SaysIdentifier(name string) bool {
	list := words(name)
	return len(list) > 0 && strings.HasSuffix(list[len(list)-1], "id")
}
