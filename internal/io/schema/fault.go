package schema

import (
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"go.yaml.in/yaml/v3"
)

// Fault is one thing wrong with a domain file.
type Fault struct {
	File         string
	Line, Column int    // from 1; 0 if there is no position
	Text         string // what was given, what is allowed, how to fix it
}

func (f Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, f.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Text)
}

// Faults is all that is wrong with a domain file, in order of position. It is the error of Parse. A file with
// more faults than errtext.Most has the first that were found.
type Faults []Fault

// Error returns one line for each of the first faults, and one that counts the others.
func (f Faults) Error() string {
	var errs errtext.Errors
	for i := range f {
		errs.Add(f[i])
	}
	return errs.Err().Error()
}

// Unwrap gives each fault to errors.As and to callers that list errors one by one.
func (f Faults) Unwrap() []error {
	errs := make([]error, len(f))
	for i := range f {
		errs[i] = f[i]
	}
	return errs
}

// reader collects the faults of one file.
type reader struct {
	file   string
	faults Faults
	open   *Open // takes what is to be found; nil: nothing can be

	derived        map[string]bool     // columns that the constraints compute
	ungapped       []*yaml.Node        // orders whose columns are modelled themselves
	derivedColumns map[string]computed // the ones declared among the columns
}

// add records a fault at a node.
func (r *reader) add(n *yaml.Node, format string, args ...any) {
	if len(r.faults) == errtext.Most {
		return
	}
	r.faults = append(r.faults, Fault{File: r.file, Line: n.Line, Column: n.Column, Text: fmt.Sprintf(format, args...)})
}

// err returns the faults found, in order of position, or nil.
func (r *reader) err() error {
	if len(r.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(r.faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return r.faults
}
