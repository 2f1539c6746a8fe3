package dirsink

import (
	"context"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/objects"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/rename"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// Dir is where one run puts its output: see layout.Dir.
type Dir layout.Dir

type (
	// File is one file of a finished output.
	File = layout.File
	// FileRef is one shard that was written and is not published yet.
	FileRef = layout.FileRef
	// Leftover is what another run has staged and not published.
	Leftover = layout.Leftover
	// Manifest is _manifest.json.
	Manifest = layout.Manifest
	// NotFree is the error of a directory that holds something.
	NotFree = layout.NotFree
	// Published is what a run has made visible.
	Published = layout.Published
	// Released is a file that goes with the rows.
	Released = layout.Released
)

// What a directory can hold that is not free.
var (
	ErrFinished = layout.ErrFinished
	ErrCutOff   = layout.ErrCutOff
	ErrForeign  = layout.ErrForeign
	ErrClaimed  = layout.ErrClaimed
)

// Functions of package layout for those who hold no Dir.
var (
	TableNames = layout.TableNames
	Beside     = layout.Beside
	Content    = layout.Content
	Digest     = layout.Digest
	IsPart     = layout.IsPart
)

// protocol is how a run publishes: by renaming directories, or objects under conditions.
type protocol interface {
	Stages() []string // where the run writes before; its parts go to the last one
	Check(try bool) error
	Publish(m *Manifest, refs []FileRef, files []Released) (*Manifest, error)
	Abandon(releasedNames []string) error
	Leftovers(remove bool) ([]Leftover, error)
	Found() layout.Dir
}

func protocolOf(d layout.Dir) protocol {
	if d.Remote() {
		return objects.Of(d)
	}
	return rename.Of(d)
}

// in returns d with the disk that its paths are on.
func (d Dir) in(ctx context.Context) layout.Dir {
	own := layout.Dir(d)
	switch {
	case d.Disk != nil:
	case own.Remote():
		own.Disk = objects.Disk(ctx, files.SystemOf(own.ReleaseDir()))
	default:
		own.Disk = rename.Disk
	}
	return own
}

// Validate lists what is wrong with d.
func (d Dir) Validate() error { return layout.Dir(d).Validate() }

// Check says at launch whether Publish could succeed as far as can be known: each directory is not
// there, empty, this run's own, or may be overwritten. It reads names and the manifest, and writes
// nothing but what a publication that was cut off has left to do.
func (d Dir) Check(ctx context.Context) error { return d.check(ctx, false) }

// Prepare makes this run's staging and tries what publishing does, so that a place that cannot be written to is
// found out before any budget is spent.
func (d Dir) Prepare(ctx context.Context) error { return d.check(ctx, true) }

func (d Dir) check(ctx context.Context, try bool) error {
	if err := d.Validate(); err != nil {
		return err
	}
	return protocolOf(d.in(ctx)).Check(try)
}
