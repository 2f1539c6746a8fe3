package pipelines

import (
	"errors"
	"strings"

	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/kit/bounded"
)

// Fault is one thing wrong with a request. It never holds anything read from private data.
type Fault struct {
	Where string // the flag, or file, line and column
	What  string // what was given, and what is allowed
	Fix   string // what to change; may be empty
	more  int    // of a fault that only counts others: how many
}

// String returns "where: what; fix".
func (f Fault) String() string {
	s := f.Where + ": " + f.What
	if f.Fix != "" {
		s += "; " + f.Fix
	}
	return s
}

// Faults are all things wrong with a request, in the order in which they were found.
type Faults []Fault

// Error lists the first faults, one a line, and says how many more there are.
func (f Faults) Error() string { return strings.Join(f.Lines(), "\n") }

// Lines returns the lines of Error.
func (f Faults) Lines() []string {
	var lines []string
	for _, one := range f[:min(len(f), bounded.Shown)] {
		lines = append(lines, one.String())
	}
	if len(f) > bounded.Shown {
		lines = append(lines, bounded.More(f[bounded.Shown:].Count()))
	}
	return lines
}

// Count returns how many faults there are, also those of which only the number is known.
func (f Faults) Count() (n int) {
	for _, one := range f {
		n += max(1, one.more)
	}
	return n
}

// Err returns f as an error, or nil if there is no fault.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// IsRequest reports whether err is a fault of the request, so that nothing was read or written.
func IsRequest(err error) bool {
	var f Faults
	return errors.As(err, &f)
}

func (f *Faults) add(where, what, fix string) {
	*f = append(*f, Fault{Where: where, What: what, Fix: fix})
}

// ErrRunner marks an error in which no message of dapple's packages was found: the runner itself, or the machine, has
// failed, and the runner's log has the details.
var ErrRunner = cause.ErrRunner
