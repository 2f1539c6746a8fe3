package errtext

import (
	"strings"
	"unicode"
)

// longest is the length in bytes of the longest names that are compared letter by letter.
const longest = 64

// Nearest returns the name of a list that is most like the given one, or "" if none is like it: names that differ
// only in case, blanks and signs, else by one letter in three, and by no more than three.
func Nearest(name string, list []string) (best string) {
	if name == "" || len(name) > longest {
		return ""
	}
	folded := fold(name)
	if folded == "" {
		return ""
	}
	least := min(3, len([]rune(folded))/3) + 1
	for _, other := range list {
		if other == "" || len(other) > longest {
			continue
		}
		if d := distance(folded, fold(other)); d < least {
			best, least = other, d
		}
	}
	return best
}

// SameName reports whether two names differ only in case, blanks and signs.
func SameName(a, b string) bool { return fold(a) != "" && fold(a) == fold(b) }

// fold keeps letters and digits, in lower case.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// distance is Levenshtein's: how many letters have to be changed, added or left out.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i, c := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j, d := range t {
			cost := 1
			if c == d {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(t)]
}
