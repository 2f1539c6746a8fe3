package layout

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Probe does what a run will do: it writes a file in one directory, moves it to another and removes it.
func (d Dir) Probe(temp, dir string) error {
	name := probeMark + Attempt()
	from, to := files.Join(temp, name), files.Join(dir, name+"-moved")
	if _, err := d.Write(from, Content("", []byte("probe")).Write); err != nil {
		return err
	}
	if err := d.Disk.Place(from, to); err != nil {
		_ = d.Disk.Remove(from) // it goes with the staging too
		return err
	}
	return d.Disk.Remove(to)
}

const probeMark = "dapple-probe-"

// isProbe reports whether a name belongs to a file that a run wrote to find out whether it can.
func isProbe(name string) bool { return strings.HasPrefix(name, probeMark) }

// Names lists what is in the directory of rows and in the directory of everything else; an absent one is empty.
func (d Dir) Names() (rows, others []string, err error) {
	if rows, err = d.Rows(); err != nil {
		return nil, nil, err
	}
	others, err = d.List(d.ReleaseDir())
	return rows, others, err
}

// List lists the names in a directory; an absent one is empty.
func (d Dir) List(dir string) ([]string, error) {
	names, err := d.Disk.List(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be listed: %w", Show(dir), err)
	}
	return names, nil
}

// Rule says what may be in the directories besides what overwriting replaces.
type Rule struct {
	Own  bool                             // parts and released files of this run, which an attempt before has put there
	Ours func(m *Manifest, n string) bool // a file beside the manifest that Overwrite may replace
}

// CheckNames applies the rules to the names in the directories. The contents of parts with this run's
// names are compared later, when it is known what they should be. mine: this run has published here.
func (d Dir) CheckNames(rows, others []string, rule Rule) (mine bool, err error) {
	m, err := d.Manifest()
	if err == nil && m.RunID == d.RunID {
		return true, nil
	}
	finished := !errors.Is(err, fs.ErrNotExist)
	inWay := func(name string) bool { return !(rule.Own && d.OwnPart(name) || d.Overwrite && IsPart(name)) }
	if i := slices.IndexFunc(rows, inWay); i >= 0 {
		return false, d.refusal(d.Path, rows[i], finished, slices.ContainsFunc(rows, func(n string) bool { return !IsPart(n) }))
	}
	below := d.rowsBelow()
	inWay = func(name string) bool {
		return !(name == below || rule.Own && isReleased(name) || d.Overwrite && strings.HasPrefix(name, "_") && rule.Ours(m, name))
	}
	if i := slices.IndexFunc(others, inWay); i >= 0 {
		return false, d.refusal(d.ReleaseDir(), others[i], finished, slices.ContainsFunc(others, func(n string) bool { return !strings.HasPrefix(n, "_") && n != below }))
	}
	return false, nil
}

// Wrote reports whether the run of a manifest can have written a file beside it; one that cannot be read names none.
func (m *Manifest) Wrote(name string) bool {
	return m == nil || name == ManifestName || slices.ContainsFunc(m.Released, func(f File) bool { return f.Name == name })
}

// rowsBelow returns the name that leads from the released files to the rows, if these are below them.
func (d Dir) rowsBelow() string {
	if d.Path == "" || !Within(d.ReleaseDir(), d.Path) {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(files.Clean(d.Path), files.Clean(d.ReleaseDir())), "/"), "/")
	return first
}

// refusal says why a directory that holds a name is not free.
func (d Dir) refusal(dir, name string, finished, foreign bool) error {
	switch {
	case d.Overwrite:
		return fmt.Errorf("sink: %s holds %q, which dapple did not write; move it away", Show(dir), name)
	case finished:
		return &NotFree{dir, ErrFinished}
	case !foreign:
		return &NotFree{dir, ErrCutOff}
	}
	return &NotFree{dir, ErrForeign}
}

// NotFree is the error of a directory that holds something. Overwriting helps.
type NotFree struct {
	Dir string
	Why error // one of the errors below
}

func (e *NotFree) Error() string {
	return fmt.Sprintf("sink: %s %v; set overwrite, or choose another directory", Show(e.Dir), e.Why)
}

func (e *NotFree) Unwrap() error { return e.Why }

// What a directory can hold that is not free.
var (
	ErrFinished = errors.New("is not empty: it holds the output of an earlier run")
	ErrCutOff   = errors.New("is not empty and has no manifest: it holds part of an output whose run was cut off")
	ErrForeign  = errors.New("is not empty and has no manifest")
	// ErrClaimed is of objects that nobody else may publish beside for now. Overwriting takes the output over.
	ErrClaimed = errors.New("is being published to by another run, or one was cut off as it did")
)

// Leftover is what another run has staged and not published: synthetic rows, as a rule, of a release that
// counts.
type Leftover struct {
	RunID, Path string
	Dead        bool // its run has ended; false also if nothing can tell
}
