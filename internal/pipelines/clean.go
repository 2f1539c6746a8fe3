package pipelines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// leftRows lists what other runs have staged in an output directory.
func leftRows(dir string, left []dirsink.Leftover) (notes []string) {
	dead, unknown := 0, 0
	for _, l := range left {
		switch {
		case l.Dead:
			dead++
		case files.Remote(dir) && !strings.HasSuffix(l.RunID, "-release"):
			unknown++
		}
	}
	const counts = "rows of another release, which counts as spent if anybody could read them"
	if dead > 0 {
		notes = append(notes, fmt.Sprintf("beside %s are files of %s that did not finish: %s; `dapple clean --output=%s` removes them", dir, runs(dead), counts, dir))
	}
	if unknown > 0 {
		notes = append(notes, fmt.Sprintf("%s holds files of %s that did not finish or are at work: %s; remove them once none is at work", files.Join(dir, "_tmp"), runs(unknown), counts))
	}
	return notes
}

func runs(n int) string {
	if n == 1 {
		return "1 other run"
	}
	return fmt.Sprintf("%d other runs", n)
}

// CleanConfig is a request to remove what unfinished runs have left on this machine.
type CleanConfig struct {
	Output   string // of the runs: a directory of this machine or a table; empty: of all runs, which are listed alone
	Store    string // of the runs: see Config.Store
	Releases bool   // remove releases that are paid for too, also of all runs
}

// ValidateClean finds every fault of a request to clean.
func ValidateClean(c CleanConfig) error {
	var f Faults
	switch err := files.CheckName(c.Output); {
	case isTable(c.Output):
	case err != nil:
		f.add("--output", err.Error(), "")
	case files.Remote(c.Output):
		f.add("--output", fmt.Sprintf("got %q; want a directory of this machine, or a table", c.Output), "nothing tells whether a run elsewhere is at work: once none is, remove what is in its _tmp yourself")
	}
	return f.Err()
}

// BeamPrefix begins the names of directories of this machine for what Beam itself leaves.
const BeamPrefix = "dapple-beam-"

// Clean removes what unfinished runs on this machine have left for an output: in the directory for temporary files, and rows
// staged there. Releases that are paid for stay, unless they are asked for: the next run of the same request publishes them.
// Without an output it lists what all runs have left, removes that if releases are asked for, and removes in any case what is of no
// run. It leaves the files of active runs and of other users.
func Clean(ctx context.Context, w io.Writer, c CleanConfig) error {
	d := cleaner{CleanConfig: c, w: w, unspent: map[string]bool{}}
	temp := os.TempDir()
	for _, prefix := range []string{run.Prefix, BeamPrefix} {
		d.stagings(ctx, run.Area{Dir: temp, Prefix: prefix})
	}
	if c.Store != "" && !files.Remote(c.Store) {
		d.stagings(ctx, run.Area{Dir: absolute(c.Store), Prefix: run.Prefix})
	}
	if c.Output == "" {
		d.workspaces(ctx, temp)
	}
	if c.Output != "" && !isTable(c.Output) {
		output := absolute(c.Output)
		d.stagings(ctx, run.Area{Dir: filepath.Dir(output), Prefix: run.Prefix}) // of workers elsewhere
		text, err := cleanFound(ctx, foundDir(output))
		if d.failed = append(d.failed, err); text != "" {
			d.say("%s", text)
		}
		d.rows(ctx)
	}
	if !d.said && errors.Join(d.failed...) == nil {
		fmt.Fprintf(w, "nothing to remove: no run has left anything in %s%s\n", temp, also(c.Output))
	}
	return errors.Join(d.failed...)
}

// cleaner is one cleaning.
type cleaner struct {
	CleanConfig
	w       io.Writer
	said    bool
	unspent map[string]bool // run IDs
	failed  []error
}

func (d *cleaner) say(format string, args ...any) {
	d.said = true
	fmt.Fprintf(d.w, format+"\n", args...)
}

// stagings removes or lists the stagings of an area.
func (d *cleaner) stagings(ctx context.Context, a run.Area) {
	for _, f := range a.Left(ctx) {
		if d.Output == "" || f.Output == absolute(d.Output) {
			d.staging(ctx, f)
		}
		f.Unlock()
	}
}

func (d *cleaner) staging(ctx context.Context, f run.Leftover) {
	switch {
	case f.AtWork || f.Model != nil && !d.Releases:
		d.say("left as it is: %s", f.Describe())
		return
	case d.Output == "" && !d.Releases && f.RunID != "":
		d.say("%s", f.Describe())
		return
	}
	text := f.Dir
	if f.RunID != "" {
		text = f.Summary()
	}
	d.unspent[f.RunID] = f.Model == nil && !f.Drawn && !f.Unread
	text += f.GiveBack(ctx)
	if err := files.RemoveAll(ctx, f.Dir); err != nil {
		d.failed = append(d.failed, err)
		return
	}
	d.say("removed %s", text)
}

// workspaces removes workspaces of Python programs that are gone.
func (d *cleaner) workspaces(ctx context.Context, temp string) {
	workspaces, err := filepath.Glob(filepath.Join(temp, workspacePrefix+"*"))
	d.failed = append(d.failed, err)
	for _, dir := range workspaces {
		text, err := Workspace(dir).clean(ctx, d.Releases, func(f run.Leftover) { d.staging(ctx, f); f.Unlock() })
		d.failed = append(d.failed, err)
		d.say("%s", text)
	}
}

// rows removes rows that are staged for the output.
func (d *cleaner) rows(ctx context.Context) {
	for _, dir := range stagedBy(d.Output) {
		gone, err := dirsink.Dir{Release: dir}.RemoveLeftovers(ctx)
		d.failed = append(d.failed, err)
		for _, l := range gone {
			what := "rows of a release that was not published; it counts as spent if anybody could read them"
			if d.unspent[l.RunID] {
				what = "what that run had prepared, before it spent anything"
			}
			d.say("removed %s: %s", l.Path, what)
		}
	}
}

// cleanFound removes what a run that did not finish has found of a table, and says so; empty: there is nothing.
func cleanFound(ctx context.Context, dir string) (text string, err error) {
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return "", err
	}
	unlock, free := files.Take(dir)
	if !free {
		return fmt.Sprintf("left as it is: %s: a run is at work, or it is another user's", dir), nil
	}
	defer unlock()
	if j, ok := (run.Staging{Dir: dir}).Newest(ctx); ok && j.MayGoOn(ctx) {
		return fmt.Sprintf("left as it is: %s: job %s at %s may go on, which finds a domain: the same command waits for it", dir, j.ID, j.Endpoint), nil
	}
	left := settle(ctx, dir)
	if left.foreign != "" {
		return fmt.Sprintf("left as it is: %s: it holds %s, which no run has written", dir, left.foreign), nil
	}
	what := "nothing was spent"
	if left.spent {
		what = "its part of the budget counts as spent; the same command would spend it once more, and one with --run_id and --ledger by --again alone"
	}
	return fmt.Sprintf("removed %s: the domain that an unfinished run has found; %s%s", dir, what, left.back), files.RemoveAll(ctx, dir)
}

// settled is what attempts to find a domain have left.
type settled struct {
	spent   bool   // one has drawn, or it could not be found out
	back    string // what is said of charges that were taken back
	foreign string // a file that no attempt has written; empty: none
}

// settle ends all attempts in a directory of this machine at which nobody is. Those that have not drawn never will, and their
// charges are taken back.
func settle(ctx context.Context, dir string) (left settled) {
	names, err := os.ReadDir(dir)
	left.spent = err != nil
	st := run.Staging{Dir: dir}
	for _, entry := range names {
		name := entry.Name()
		attempt, begun := strings.CutSuffix(name, idSuffix)
		mark := strings.TrimSuffix(name, synth.DrawnSuffix)
		switch {
		case run.IsNote(name) || name == completedName || strings.HasPrefix(name, store.Unnamed):
			continue
		case !begun && !strings.HasSuffix(mark, discover.FoundSuffix):
			left.foreign = name
			continue
		case begun:
			name = attempt + discover.FoundSuffix + synth.DrawnSuffix
			if err := st.StopStep(ctx, name); err != nil {
				left.spent = true
				continue
			}
		}
		if _, done, err := st.Has(ctx, name); done || err != nil {
			left.spent = true
		} else if id, ledger := idOf(ctx, dir, attempt); begun && id != "" {
			left.back += run.Note{Ledger: ledger, Key: book.FoundKey(id)}.GiveBack(ctx)
		}
	}
	return left
}

// stagedBy returns where runs stage rows for an output: the directory itself, if it is the directory of everything but
// the rows, and the one next to it.
func stagedBy(output string) []string {
	if beside, err := dirsink.Beside(output); err == nil {
		return []string{output, beside}
	}
	return []string{output}
}

func also(output string) string {
	if output == "" {
		return ""
	}
	return " or for " + output
}
