package dirsink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Check says at launch whether Publish could succeed as far as can be known: each directory is not
// there, empty, this run's own, or may be overwritten. It reads names and the manifest, and writes
// nothing but what a publication that was cut off has left to do.
func (d Dir) Check(ctx context.Context) error {
	if err := d.Validate(); err != nil {
		return err
	}
	d = d.in(ctx)
	if !d.remote() {
		if err := d.complete(); err != nil {
			return fmt.Errorf("sink: %s: a publication was cut off and cannot be finished: %w", show(d.release()), err)
		}
	}
	return d.checkFree()
}

func (d Dir) checkFree() error {
	rows, others, err := d.names()
	if err != nil {
		return err
	}
	return d.checkNames(rows, others)
}

// Prepare makes this run's staging and tries what publishing does, so that a place that cannot be written to is
// found out before any budget is spent.
func (d Dir) Prepare(ctx context.Context) error {
	if err := d.Check(ctx); err != nil {
		return err
	}
	d = d.in(ctx)
	if !d.remote() {
		return d.prepareRename()
	}
	at := d.release()
	err := d.probe(d.staging())
	if err == nil && d.Path != "" {
		at = d.Path
		err = d.probe(d.Path)
	}
	if err != nil {
		return fmt.Errorf("sink: %s cannot be written to: %w", show(at), err)
	}
	return nil
}

// probe does what a run will do: it writes a file, moves it to a directory and removes it.
func (d Dir) probe(dir string) error {
	name := probeMark + attempt()
	from, to := files.Join(d.staging(), name), files.Join(dir, name+"-moved")
	if !d.remote() {
		from = files.Join(dir, name)
	}
	if _, err := d.write(from, Content("", []byte("probe")).Write); err != nil {
		return err
	}
	if err := d.disk.place(from, to); err != nil {
		_ = d.disk.remove(from) // it goes with the staging too
		return err
	}
	return d.disk.remove(to)
}

const probeMark = "dapple-probe-"

// isProbe reports whether a name belongs to a file that a run wrote to find out whether it can.
func isProbe(name string) bool { return strings.HasPrefix(name, probeMark) }

// names lists what is in the directory of rows and in the directory of everything else; an absent one is empty.
func (d Dir) names() (rows, others []string, err error) {
	if rows, err = d.rows(); err != nil {
		return nil, nil, err
	}
	others, err = d.list(d.release())
	return rows, others, err
}

func (d Dir) list(dir string) ([]string, error) {
	names, err := d.disk.list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be listed: %w", show(dir), err)
	}
	return names, nil
}

// checkNames applies the rules to the names in the directories. The contents of parts with this run's
// names are compared later, when it is known what they should be.
func (d Dir) checkNames(rows, others []string) error {
	m, err := d.manifest()
	if err == nil && m.RunID == d.RunID {
		return nil
	}
	finished := !errors.Is(err, fs.ErrNotExist)
	own := false
	if d.remote() {
		_, own = d.began()
	}
	inWay := func(name string) bool { return !(own && d.ownPart(name) || d.Overwrite && IsPart(name)) }
	if i := slices.IndexFunc(rows, inWay); i >= 0 {
		return d.refusal(d.Path, rows[i], finished, slices.ContainsFunc(rows, func(n string) bool { return !IsPart(n) }))
	}
	below := d.rowsBelow()
	inWay = func(name string) bool {
		ours := strings.HasPrefix(name, "_") && (d.remote() || m.wrote(name))
		return !(d.remote() && name == tempName || name == below || own && released(name) || d.Overwrite && ours)
	}
	if i := slices.IndexFunc(others, inWay); i >= 0 {
		return d.refusal(d.release(), others[i], finished, slices.ContainsFunc(others, func(n string) bool { return !strings.HasPrefix(n, "_") && n != below }))
	}
	if d.remote() {
		return d.checkClaim(others)
	}
	return nil
}

// wrote reports whether the run of a manifest can have written a file beside it; one that cannot be read names none.
func (m *Manifest) wrote(name string) bool {
	return m == nil || name == manifestName || slices.ContainsFunc(m.Released, func(f File) bool { return f.Name == name })
}

// rowsBelow returns the name that leads from the released files to the rows, if these are below them.
func (d Dir) rowsBelow() string {
	if d.Path == "" || !within(d.release(), d.Path) {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(files.Clean(d.Path), files.Clean(d.release())), "/"), "/")
	return first
}

// refusal says why a directory that holds a name is not free.
func (d Dir) refusal(dir, name string, finished, foreign bool) error {
	switch {
	case d.Overwrite:
		return fmt.Errorf("sink: %s holds %q, which dapple did not write; move it away", show(dir), name)
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
	return fmt.Sprintf("sink: %s %v; set overwrite, or choose another directory", show(e.Dir), e.Why)
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

// began reports whether an attempt of this run has found the directories free before, and for which parts.
func (d Dir) began() (parts []File, ok bool) {
	b, err := d.readFile(files.Join(d.staging(), markerName))
	return parts, err == nil && json.Unmarshal(b, &parts) == nil
}
