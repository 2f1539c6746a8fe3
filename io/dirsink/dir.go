package dirsink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/internal/gcs"
	"github.com/dapple-dp/dapple/io/files"
)

// Dir is where one run puts its output: rows in one directory, everything else in another. It is plain
// data: workers get copies of it. Directories are of this machine, or gs://bucket/path, and are created
// if need be.
type Dir struct {
	Path      string // of the parts and nothing else; empty: there are none to publish
	Release   string // of everything else; default: Path with ".release" behind it
	RunID     string // random per launch; 1 to 64 letters, digits, "_" and "-"
	Shards    int    // number of parts; 0: only released files; at most 99999
	Extension string // of the parts, such as "parquet", without a full stop
	Overwrite bool   // replace what an earlier run of dapple left here

	disk  disk // nil: what the paths are on
	alone bool // a lock tells that no other run publishes there
}

const (
	manifestName = "_manifest.json"
	tempName     = "_tmp"
	markerName   = "publishing" // in the run's staging: the directories were found free for these parts
	replacedName = "replaced_manifest.json"
	copyMark     = ".copy-" // in the name of a part that is being copied to another file system
)

// Beside returns the directory for everything but the rows if nobody names one: the rows' own name with
// ".release" behind it. A path without a name of its own, such as "." or a bucket, has none.
func Beside(rows string) (string, error) {
	clean := files.Clean(rows)
	base := files.Base(clean)
	bucket := gcs.Is(clean) && !strings.Contains(strings.TrimPrefix(clean, gcs.Prefix), "/")
	if bucket || base == "" || base == "." || base == ".." || base == "/" {
		return "", fmt.Errorf("%s has no name to append .release to", rows)
	}
	return clean + besideEnd, nil
}

const besideEnd = ".release"

// Validate lists all faults of the fields at once.
func (d Dir) Validate() error {
	var faults []string
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
	if d.Path != "" && d.Release != "" && within(d.Path, d.Release) {
		faults = append(faults, fmt.Sprintf("%s is for rows alone, and %s is in it; name another directory", show(d.Path), show(d.Release)))
	}
	if d.Path != "" && d.Release != "" && gcs.Is(d.Path) != gcs.Is(d.Release) {
		faults = append(faults, fmt.Sprintf("%s and %s are not in one place; name two directories of this machine, or two of gs://", show(d.Path), show(d.Release)))
	}
	if d.RunID == "" || len(d.RunID) > 64 || strings.Trim(d.RunID, letters+"_-") != "" {
		faults = append(faults, fmt.Sprintf("run %q: want 1 to 64 letters, digits, _ and -", d.RunID))
	}
	if d.Shards < 0 || d.Shards > 99999 {
		faults = append(faults, fmt.Sprintf("%d shards: want 0 to 99999", d.Shards))
	}
	if d.Shards > 0 && (d.Extension == "" || strings.Trim(d.Extension, letters) != "") {
		faults = append(faults, fmt.Sprintf("extension %q: want letters and digits", d.Extension))
	}
	if len(faults) > 0 {
		return errors.New("sink: " + strings.Join(faults, "\n\t"))
	}
	return nil
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// within reports whether a directory is another one, or below it.
func within(dir, sub string) bool {
	dir, sub = files.Clean(dir), files.Clean(sub)
	return sub == dir || strings.HasPrefix(sub, strings.TrimSuffix(dir, "/")+"/")
}

// Check says at launch whether Publish could succeed as far as can be known: each directory is not
// there, empty, this run's own, or may be overwritten. It reads names and the manifest, and writes
// nothing.
func (d Dir) Check(ctx context.Context) error {
	if err := d.Validate(); err != nil {
		return err
	}
	d = d.in(ctx)
	rows, others, err := d.names()
	if err != nil {
		return err
	}
	return d.checkNames(rows, others)
}

// Prepare creates the directories and this run's staging, so that one that cannot be written to is found
// out before any budget is spent.
func (d Dir) Prepare(ctx context.Context) error {
	if err := d.Check(ctx); err != nil {
		return err
	}
	d = d.in(ctx)
	at := d.release()
	err := d.disk.mkdirOwn(d.staging())
	if err == nil {
		err = d.probe(d.staging())
	}
	if err == nil && d.Path != "" {
		at = d.Path
		if err = d.disk.mkdirAll(d.Path); err == nil {
			err = d.probe(d.Path)
		}
	}
	if err != nil {
		return fmt.Errorf("sink: %s cannot be written to: %w", show(at), err)
	}
	return nil
}

// probe does what a run will do: it writes a file, moves it to a directory and removes it.
func (d Dir) probe(dir string) error {
	name := "probe-" + attempt()
	from, to := files.Join(d.staging(), name), files.Join(dir, name+"-moved")
	if _, err := d.write(from, Content("", []byte("probe")).Write); err != nil {
		return err
	}
	if err := d.disk.place(from, to); err != nil {
		_ = d.disk.remove(from) // it goes with the staging too
		return err
	}
	return d.disk.remove(to)
}

// names lists what is in the directory of rows and in that of everything else; an absent one is empty.
func (d Dir) names() (rows, others []string, err error) {
	if d.Path != "" {
		if rows, err = d.list(d.Path); err != nil {
			return nil, nil, err
		}
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
	_, own := d.began()
	for _, name := range rows {
		if !(own && d.ownPart(name) || d.Overwrite && isPart(name)) {
			return d.refusal(d.Path, name, finished, slices.ContainsFunc(rows, func(n string) bool { return !isPart(n) }))
		}
	}
	below := d.rowsBelow()
	for _, name := range others {
		ours := strings.HasPrefix(name, "_")
		if !(name == tempName || name == below || own && released(name) || d.Overwrite && ours) {
			return d.refusal(d.release(), name, finished, slices.ContainsFunc(others, func(n string) bool { return !strings.HasPrefix(n, "_") && n != below }))
		}
	}
	return d.checkClaim(others)
}

// rowsBelow returns the name that leads from the released files to the rows, where these are below them.
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
	// ErrClaimed is of an output that nobody else may publish into for now. Overwriting takes it over, and so
	// does every run if a lock tells that the claimant is dead.
	ErrClaimed = errors.New("is being published to by another run, or one was cut off as it did")
)

// began reports whether an attempt of this run has found the directories free before, and for which parts.
func (d Dir) began() (parts []File, ok bool) {
	b, err := d.readFile(files.Join(d.staging(), markerName))
	return parts, err == nil && json.Unmarshal(b, &parts) == nil
}

// isPart reports whether a run of dapple can have written a file of this name among its rows.
func isPart(name string) bool { return strings.HasPrefix(name, "part-") }

// released reports whether name can be a released file's.
func released(name string) bool {
	return strings.HasPrefix(name, "_") && name != manifestName && name != tempName &&
		strings.Trim(name[1:], letters+"_-.") == "" && len(name) > 1
}

func (d Dir) partName(shard int) string {
	return fmt.Sprintf("part-%05d-of-%05d.%s", shard, d.Shards, d.Extension)
}

// ownPart reports whether name is that of one of this run's parts, or of one on its way.
func (d Dir) ownPart(name string) bool {
	var i, n int
	name, _, _ = strings.Cut(name, copyMark)
	_, err := fmt.Sscanf(name, "part-%d-of-%d.", &i, &n)
	return err == nil && i >= 0 && i < d.Shards && name == d.partName(i)
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

func (d Dir) staging() string { return files.Join(d.release(), tempName, d.RunID) }

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
	case gcs.Is(d.release()):
		d.disk = objects{ctx, cloud{}}
	default:
		d.disk = local{}
	}
	return d
}
