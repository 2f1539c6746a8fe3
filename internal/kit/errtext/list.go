package errtext

import (
	"errors"
	"fmt"
	"strings"
)

// Shown is how many errors are kept.
const Shown = 20

// Errors collects errors when there can be millions: it keeps the first ones and counts the others. The zero value is empty.
type Errors struct {
	kept []error
	more int
}

// Add adds an error, if it is one. What another Errors has joined is added one by one.
func (e *Errors) Add(err error) {
	if j, ok := err.(*joined); ok { //nolint:errorlint // an error around it says more than its lines
		for _, each := range j.kept {
			e.Add(each)
		}
		e.more += j.more
		return
	}
	switch {
	case err == nil:
	case len(e.kept) < Shown:
		e.kept = append(e.kept, err)
	default:
		e.more++
	}
}

// Addf adds an error by its text, which is not made if it is not kept.
func (e *Errors) Addf(format string, args ...any) {
	if len(e.kept) < Shown {
		e.kept = append(e.kept, fmt.Errorf(format, args...))
	} else {
		e.more++
	}
}

// Count counts an error whose text is not needed, as Full says.
func (e *Errors) Count() { e.more++ }

// Full reports whether the text of a further error would not be kept.
func (e *Errors) Full() bool { return len(e.kept) >= Shown }

// Err returns what was collected as one error, with a line for each and one for how many were not kept, or
// nil. Unwrap gives the lines one by one.
func (e *Errors) Err() error {
	if len(e.kept) == 0 {
		return nil
	}
	return &joined{*e}
}

// joined is what Err returns.
type joined struct{ Errors }

func (j *joined) Error() string { return errors.Join(j.Unwrap()...).Error() }

// Unwrap returns the errors that were kept, and one that counts the others.
func (j *joined) Unwrap() []error {
	if j.more == 0 {
		return j.kept
	}
	return append(j.kept[:len(j.kept):len(j.kept)], Rest(j.more))
}

// Rest is the error that counts those that were not kept.
type Rest int

func (n Rest) Error() string { return More(int(n)) }

// Most is how many errors are held if each is kept for its position.
const Most = 10_000

// More says that there are n further errors.
func More(n int) string {
	if n >= Most-Shown {
		return fmt.Sprintf("and at least %d more", n)
	}
	return fmt.Sprintf("and %d more", n)
}

// Lines returns the lines of an error without their packages.
func Lines(err error) (lines []string) {
	for line := range strings.Lines(err.Error()) {
		if _, after, ok := strings.Cut(line, ": "); ok {
			line = after
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
