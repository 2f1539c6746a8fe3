package csvio

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dapple-dp/dapple/internal/io/schema"
)

// errRecord shows no name and no number of a column: they may be of a record.
var errRecord = errors.New("the header line looks like a record, for some of its names are numbers, dates or empty; " +
	"if it is one, put a line of names before it, or name the file's columns under csv: columns in the domain file; " +
	"if they are names, rename them, or write csv: {header: true} there")

// checkNames refuses a header line with a name that is a number, a date or empty. The first name may be empty before others
// that are plain names: pandas' to_csv and R's write.csv write a column of row numbers so, unless they are told not to.
func checkNames(names []string) error {
	switch blank := func(name string) bool { return name == "" }; {
	case len(names) > 2 && doubled(names):
		return errDoubled
	case len(names) > 1 && slices.IndexFunc(names, blank) == len(names)-1:
		return errTrailing
	case len(names) == 1 && strings.HasPrefix(names[0], "#"):
		return errComment
	}
	for i, name := range names {
		if name == "" && (i > 0 || len(names) == 1) || looksLikeValue(name) {
			return errRecord
		}
	}
	return nil
}

// doubled reports whether every second name is empty, and no other.
func doubled(names []string) bool {
	for i, name := range names {
		if (name == "") != (i%2 == 1) {
			return false
		}
	}
	return len(names)%2 == 1
}

// Errors of header lines that are read well and mean something else. They show no name either.
var (
	errDoubled  = errors.New("two separators stand between names; replace them by one in all lines, or write csv: {header: true} in the domain file")
	errTrailing = errors.New("the header line ends in a separator; take it off, or write csv: {header: true} in the domain file, with which the last column has no name")
	errComment  = errors.New("the first line begins with #; remove the lines before the names, or write csv: {header: true} in the domain file if they are names")
)

// valueForms match numbers with an exponent, and times after a date.
var valueForms = regexp.MustCompile(`^([-+]?[0-9.,]+[eE][-+]?[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].*)$`)

// looksLikeValue reports whether a name is a number, a date or a time, in any form that cells have.
func looksLikeValue(name string) bool {
	name = strings.TrimSpace(name)
	if !strings.ContainsFunc(name, unicode.IsDigit) {
		return false
	}
	if !strings.ContainsFunc(name, unicode.IsLetter) || valueForms.MatchString(name) {
		return !strings.HasPrefix(name, "_") // _1 is a name that programs give
	}
	return slices.ContainsFunc([]schema.Written{schema.PointNumbers, schema.CommaNumbers, schema.NamedMonth}, func(w schema.Written) bool {
		_, ok := w.Canonical(nil, []byte(name), 2100)
		return ok && (w != schema.NamedMonth || !year.MatchString(name))
	})
}

// year matches a text that begins with a year, which may be the name of a column of that year.
var year = regexp.MustCompile(`^[0-9]{4}`)
