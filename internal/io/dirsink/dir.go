package dirsink

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/files"
)

// Dir is where one run puts its output: rows in one directory, everything else in another. It is plain
// data: workers get copies of it. Directories are of this machine, or of one registered with package files, and
// are created if need be.
type Dir struct {
	Path      string // of the parts and nothing else; empty: nothing to publish
	Release   string // of everything else; default: Path with ".release" behind it
	RunID     string // random per launch; 1 to 64 letters, digits, "_" and "-"
	Shards    int    // number of parts; 0: only released files; at most 99999
	Tables    bool   // the parts are of two tables, half of them in each of TableNames below Path
	Extension string // of the parts, such as "parquet", without a full stop
	Overwrite bool   // replace what an earlier run of dapple left here
	Note      string // what the manifest says of the rows besides

	disk disk // nil: what the paths are on
}

const (
	manifestName = "_manifest.json"
	tempName     = "_tmp"
	markerName   = "publishing" // in the run's staging: the directories were found free for these parts
	replacedName = "replaced_manifest.json"
)

// Beside returns the directory for everything but the rows if nobody names one: the rows' own name with
// ".release" behind it. A path without a name of its own, such as "." or a bucket, has none.
func Beside(rows string) (string, error) {
	clean := files.Clean(rows)
	base := files.Base(clean)
	bucket := files.IsBucket(clean)
	if bucket || base == "" || base == "." || base == ".." || base == "/" {
		return "", fmt.Errorf("%s has no name to append .release to", rows)
	}
	return clean + besideEnd, nil
}

const besideEnd = ".release"

// Validate lists all faults of the fields at once.
func (d Dir) Validate() error {
	faults := d.placeFaults()
	if d.RunID == "" || len(d.RunID) > 64 || strings.Trim(d.RunID, letters+"_-") != "" {
		faults = append(faults, fmt.Sprintf("run %q: want 1 to 64 letters, digits, _ and -", d.RunID))
	}
	if d.Shards < 0 || d.Shards > 99999 {
		faults = append(faults, fmt.Sprintf("%d shards: want 0 to 99999", d.Shards))
	}
	if d.Tables && d.Shards%len(TableNames) != 0 {
		faults = append(faults, fmt.Sprintf("%d shards of %d tables: want as many of each", d.Shards, len(TableNames)))
	}
	if d.Shards > 0 && (d.Extension == "" || strings.Trim(d.Extension, letters) != "") {
		faults = append(faults, fmt.Sprintf("extension %q: want letters and digits", d.Extension))
	}
	if len(faults) > 0 {
		return errors.New("sink: " + strings.Join(faults, "\n\t"))
	}
	return nil
}

// placeFaults returns what is wrong with the names of the directories.
func (d Dir) placeFaults() (faults []string) {
	if d.Path == "" && d.Release == "" {
		faults = append(faults, "no directory is given")
	}
	for _, path := range []string{d.Path, d.Release} {
		if err := files.CheckName(path); err != nil && path != "" {
			faults = append(faults, err.Error())
		}
	}
	if _, err := Beside(d.Path); d.Path != "" && d.Release == "" && err != nil {
		faults = append(faults, err.Error()+"; name one")
	}
	if d.Path == "" || d.Release == "" {
		return faults
	}
	if within(d.Path, d.Release) {
		faults = append(faults, fmt.Sprintf("%s is for rows alone, and %s is in it; name another directory", show(d.Path), show(d.Release)))
	}
	if files.Scheme(d.Path) != files.Scheme(d.Release) {
		faults = append(faults, fmt.Sprintf("%s and %s are not in one place; name two directories of this machine, or two of one service", show(d.Path), show(d.Release)))
	}
	return faults
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// within reports whether a directory is another one, or below it.
func within(dir, sub string) bool {
	dir, sub = files.Clean(dir), files.Clean(sub)
	return sub == dir || strings.HasPrefix(sub, strings.TrimSuffix(dir, "/")+"/")
}

// released reports whether name can be a released file's.
func released(name string) bool {
	return strings.HasPrefix(name, "_") && name != manifestName && name != tempName &&
		strings.Trim(name[1:], letters+"_-.") == "" && len(name) > 1
}

// release is the directory of everything but the rows.
func (d Dir) release() string {
	if d.Release != "" {
		return files.Clean(d.Release)
	}
	dir, err := Beside(d.Path)
	if err != nil {
		panic("sink: a Dir is used that was not validated")
	}
	return dir
}

// staging is where this run writes before it publishes.
func (d Dir) staging() string {
	if d.remote() {
		return files.Join(d.release(), tempName, d.RunID)
	}
	ps := d.places()
	return ps[len(ps)-1].stage // beside the rows, so that a rename moves them
}

// remote reports whether the output is made of objects of a store.
func (d Dir) remote() bool { return files.Remote(d.release()) }

// at is the path of a part.
func (d Dir) at(name string) string { return files.Join(d.Path, name) }

// beside is the path of a file that is no part.
func (d Dir) beside(name string) string { return files.Join(d.release(), name) }

// show is a directory with a slash at its end, for messages.
func show(dir string) string { return strings.TrimSuffix(dir, "/") + "/" }

// in returns d with the disk that its paths are on.
func (d Dir) in(ctx context.Context) Dir {
	switch {
	case d.disk != nil:
	case d.remote():
		d.disk = objects{ctx, files.SystemOf(d.release())}
	default:
		d.disk = local{}
	}
	return d
}
