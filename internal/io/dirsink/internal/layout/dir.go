// Package layout says which files a run of dapple has in its directories, and reads and writes them on a file system or in a
// store of objects. How a run publishes them is up to the packages rename and objects.
package layout

import (
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

	Disk Disk `json:"-"` // nil: what the paths are on
}

// Names of files and directories that a run keeps for itself.
const (
	ManifestName = "_manifest.json"
	TempName     = "_tmp" // what runs stage, in a store of objects
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
	return clean + BesideEnd, nil
}

// BesideEnd is what a directory of released files has behind the name of the rows.
const BesideEnd = ".release"

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
	if Within(d.Path, d.Release) {
		faults = append(faults, fmt.Sprintf("%s is for rows alone, and %s is in it; name another directory", Show(d.Path), Show(d.Release)))
	}
	if files.Scheme(d.Path) != files.Scheme(d.Release) {
		faults = append(faults, fmt.Sprintf("%s and %s are not in one place; name two directories of this machine, or two of one service", Show(d.Path), Show(d.Release)))
	}
	return faults
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// Within reports whether a directory is another one, or below it.
func Within(dir, sub string) bool {
	dir, sub = files.Clean(dir), files.Clean(sub)
	return sub == dir || strings.HasPrefix(sub, strings.TrimSuffix(dir, "/")+"/")
}

// isReleased reports whether name can be a released file's.
func isReleased(name string) bool {
	return strings.HasPrefix(name, "_") && name != ManifestName && name != TempName &&
		strings.Trim(name[1:], letters+"_-.") == "" && len(name) > 1
}

// ReleaseDir is the directory of everything but the rows.
func (d Dir) ReleaseDir() string {
	if d.Release != "" {
		return files.Clean(d.Release)
	}
	dir, err := Beside(d.Path)
	if err != nil {
		panic("sink: a Dir is used that was not validated")
	}
	return dir
}

// Remote reports whether the output is made of objects of a store.
func (d Dir) Remote() bool { return files.Remote(d.ReleaseDir()) }

// At is the path of a part.
func (d Dir) At(name string) string { return files.Join(d.Path, name) }

// InRelease is the path of a file that is no part.
func (d Dir) InRelease(name string) string { return files.Join(d.ReleaseDir(), name) }

// Show is a directory with a slash at its end, for messages.
func Show(dir string) string { return strings.TrimSuffix(dir, "/") + "/" }
