package dirsink

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/gcs"
)

// Dir is an output directory of one run. It is plain data: workers get copies of it.
type Dir struct {
	Path      string // of this machine, or gs://bucket/path; created if need be
	RunID     string // random per launch; 1 to 64 letters, digits, "_" and "-"
	Shards    int    // number of parts; 0: only released files; at most 99999
	Extension string // of the parts, such as "parquet", without a full stop
	Overwrite bool   // replace what an earlier run of dapple left here

	disk  disk // nil: what the path is on
	alone bool // a lock tells that no other run publishes there
}

const (
	manifestName = "_manifest.json"
	tempName     = "_tmp"
	markerName   = "publishing" // in the run's staging: the directory was found free
	replacedName = "replaced_manifest.json"
)

// Validate lists all faults of the fields at once.
func (d Dir) Validate() error {
	var faults []string
	if d.Path == "" {
		faults = append(faults, "no directory is given")
	} else if err := files.CheckName(d.Path); err != nil {
		faults = append(faults, err.Error())
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

// Check says at launch whether Publish could succeed as far as can be known: the directory is not
// there, empty, this run's own, or may be overwritten. It reads names and the manifest, and writes
// nothing.
func (d Dir) Check(ctx context.Context) error {
	if err := d.Validate(); err != nil {
		return err
	}
	d = d.in(ctx)
	names, err := d.names()
	if err != nil {
		return err
	}
	return d.checkNames(names)
}

// Prepare creates the directory and this run's staging in it, so that a directory that cannot be
// written to is found out before any budget is spent.
func (d Dir) Prepare(ctx context.Context) error {
	if err := d.Check(ctx); err != nil {
		return err
	}
	d = d.in(ctx)
	err := d.disk.mkdirOwn(d.staging())
	if err == nil {
		err = d.probe()
	}
	if err != nil {
		return fmt.Errorf("sink: %s cannot be written to: %w", d.show(), err)
	}
	return nil
}

// probe does what a run will do: it writes a file and removes it.
func (d Dir) probe() error {
	path := files.Join(d.staging(), "probe-"+attempt())
	if _, err := d.write(path, Content("", []byte("probe")).Write); err != nil {
		return err
	}
	return d.disk.remove(path)
}

// names lists the directory; an absent one is empty.
func (d Dir) names() ([]string, error) {
	names, err := d.disk.list(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sink: %s cannot be listed: %w", d.show(), err)
	}
	return names, nil
}

// checkNames applies the rules to the names in the directory. The contents of parts with this run's
// names are compared later, when it is known what they should be.
func (d Dir) checkNames(names []string) error {
	m, err := d.manifest()
	if err == nil && m.RunID == d.RunID {
		return nil
	}
	hasManifest := !errors.Is(err, fs.ErrNotExist)
	own := d.began()
	for _, name := range names {
		switch {
		case name == tempName || own && (d.ownPart(name) || released(name)):
		case d.Overwrite && ours(name):
		case d.Overwrite:
			return fmt.Errorf("sink: %s holds %q, which dapple did not write; move it away", d.show(), name)
		case hasManifest:
			return fmt.Errorf("sink: %s %w; set overwrite, or choose another directory", d.show(), ErrFinished)
		case !slices.ContainsFunc(names, func(n string) bool { return !ours(n) }):
			return fmt.Errorf("sink: %s %w; set overwrite, or remove it", d.show(), ErrCutOff)
		default:
			return fmt.Errorf("sink: %s %w; set overwrite, or remove it", d.show(), ErrForeign)
		}
	}
	return d.checkClaim(names)
}

// What a directory can hold that is not free. Overwriting helps but against files of others.
var (
	ErrFinished = errors.New("is not empty: it holds the output of an earlier run")
	ErrCutOff   = errors.New("is not empty and has no manifest: it holds part of an output whose run was cut off")
	ErrForeign  = errors.New("is not empty and has no manifest")
)

// began reports whether an attempt of this run has found the directory free before.
func (d Dir) began() bool {
	_, err := d.disk.size(files.Join(d.staging(), markerName))
	return err == nil
}

// ours reports whether a run of dapple can have written a file of this name.
func ours(name string) bool { return strings.HasPrefix(name, "part-") || strings.HasPrefix(name, "_") }

// released reports whether name can be a released file's.
func released(name string) bool {
	return strings.HasPrefix(name, "_") && name != manifestName && name != tempName &&
		strings.Trim(name[1:], letters+"_-.") == "" && len(name) > 1
}

func (d Dir) partName(shard int) string {
	return fmt.Sprintf("part-%05d-of-%05d.%s", shard, d.Shards, d.Extension)
}

func (d Dir) ownPart(name string) bool {
	var i, n int
	_, err := fmt.Sscanf(name, "part-%d-of-%d.", &i, &n)
	return err == nil && i >= 0 && i < d.Shards && name == d.partName(i)
}

func (d Dir) staging() string { return files.Join(d.Path, tempName, d.RunID) }

func (d Dir) at(name string) string { return files.Join(d.Path, name) }

// show is the path with a slash at its end, for messages.
func (d Dir) show() string { return strings.TrimSuffix(d.Path, "/") + "/" }

// in returns d with the disk that its path is on.
func (d Dir) in(ctx context.Context) Dir {
	switch {
	case d.disk != nil:
	case gcs.Is(d.Path):
		d.disk = objects{ctx, cloud{}}
	default:
		d.disk = local{}
	}
	return d
}
