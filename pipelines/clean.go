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

	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/transforms/discover"
	"github.com/dapple-dp/dapple/transforms/synth"
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

// ValidateClean finds every fault of a request to clean: output is a directory of this machine, or empty.
func ValidateClean(output string) error {
	var f Faults
	switch err := files.CheckName(output); {
	case err != nil:
		f.add("--output", err.Error(), "")
	case files.Remote(output):
		f.add("--output", fmt.Sprintf("got %q; want a directory of this machine", output), "nothing tells whether a run elsewhere is at work: once none is, remove what is in its _tmp yourself")
	}
	return f.Err()
}

// BeamPrefix begins the names of directories of this machine for what Beam itself leaves.
const BeamPrefix = "dapple-beam-"

// Clean removes what unfinished runs on this machine have left: in the directory for temporary files, including a
// release that the next run of the same request would publish, and rows staged in output, if it is not empty. It
// prints what it removes, and leaves the files of active runs and of other users.
func Clean(ctx context.Context, output string, w io.Writer) error {
	temp := os.TempDir()
	var errs []error
	removed := 0
	unspent := map[string]bool{} // run IDs
	remove := func(f run.Leftover) {
		defer f.Unlock()
		if f.AtWork {
			fmt.Fprintln(w, "left as it is:", f.Describe())
			removed++ // a line was printed
			return
		}
		text := f.Dir
		if f.RunID != "" {
			text = f.Summary()
		}
		unspent[f.RunID] = f.Model == nil && !f.Drawn && !f.Unread
		text += f.GiveBack(ctx)
		if err := files.RemoveAll(ctx, f.Dir); err != nil {
			errs = append(errs, err)
			return
		}
		removed++
		fmt.Fprintln(w, "removed", text)
	}
	for _, prefix := range []string{run.Prefix, BeamPrefix} {
		for _, f := range (run.Area{Dir: temp, Prefix: prefix}).Left(ctx) {
			remove(f)
		}
	}
	if output != "" {
		for _, f := range (run.Area{Dir: filepath.Dir(absolute(output)), Prefix: run.Prefix}).Left(ctx) { // of workers elsewhere
			remove(f)
		}
		if text, err := cleanFound(ctx, foundDir(absolute(output))); text != "" || err != nil {
			errs = append(errs, err)
			removed++
			fmt.Fprintln(w, text)
		}
		for _, dir := range stagedBy(output) {
			gone, err := dirsink.Dir{Release: dir}.RemoveLeftovers(ctx)
			errs = append(errs, err)
			for _, l := range gone {
				removed++
				what := "rows of a release that was not published; it counts as spent if anybody could read them"
				if unspent[l.RunID] {
					what = "what that run had prepared, before it spent anything"
				}
				fmt.Fprintf(w, "removed %s: %s\n", l.Path, what)
			}
		}
	}
	if removed == 0 && errors.Join(errs...) == nil {
		fmt.Fprintf(w, "nothing to remove: no run has left anything in %s%s\n", temp, also(output))
	}
	return errors.Join(errs...)
}

// cleanFound removes what a run that did not finish has found of a table, and says so; empty: there is nothing.
func cleanFound(ctx context.Context, dir string) (text string, err error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	unlock, free := files.Take(dir)
	if !free {
		return fmt.Sprintf("left as it is: %s: a run is at work, or it is another user's", dir), nil
	}
	defer unlock()
	st := run.Staging{Dir: dir}
	if j, ok := st.Newest(ctx); ok && j.MayGoOn(ctx) {
		return fmt.Sprintf("left as it is: %s: job %s at %s may go on, which finds a domain: the same command waits for it", dir, j.ID, j.Endpoint), nil
	}
	what := "nothing was spent"
	for _, n := range names {
		if run.IsNote(n.Name()) {
			continue
		}
		known := strings.TrimSuffix(strings.TrimSuffix(n.Name(), synth.DrawnSuffix), discover.FoundSuffix) != n.Name()
		switch {
		case !known && filepath.Ext(n.Name()) != idSuffix: // it was not made by a run
			return fmt.Sprintf("left as it is: %s: it holds %s, which no run has written", dir, n.Name()), nil
		case !known:
		default:
			if _, done, err := st.Has(ctx, n.Name()); err == nil && !done {
				continue // stopped before it has drawn
			}
			what = "its part of the budget counts as spent; the same command would spend it once more"
		}
	}
	return fmt.Sprintf("removed %s: the domain that an unfinished run has found; %s", dir, what), files.RemoveAll(ctx, dir)
}

// stagedBy returns where runs stage rows for an output: the directory itself, if it is that of everything but
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
