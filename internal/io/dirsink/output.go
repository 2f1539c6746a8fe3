package dirsink

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/files"
)

// Output is what a finished run has left.
type Output struct {
	*Manifest
	Path    string // directory of the parts; empty: no parts
	Release string // directory of everything else
	SHA256  string // of the file of the manifest: it stands for all that the manifest names

	dir layout.Dir
}

// Open reads the manifest of a finished run. The name is the directory of its rows, if everything
// else is next to it, or the directory of everything else. fs.ErrNotExist is in the error if there is no
// finished output.
func Open(ctx context.Context, name string) (*Output, error) {
	o, err := open(ctx, Dir{Release: name})
	if beside, nameErr := Beside(name); errors.Is(err, fs.ErrNotExist) && nameErr == nil {
		if o, besideErr := open(ctx, Dir{Path: name, Release: beside}); !errors.Is(besideErr, fs.ErrNotExist) {
			return o, besideErr
		}
		err = layout.NotFinished(fmt.Sprintf("neither %s nor %s has a manifest", layout.Show(name), layout.Show(beside)))
	}
	return o, err
}

func open(ctx context.Context, named Dir) (*Output, error) {
	if err := files.CheckName(named.Release); err != nil {
		return nil, fmt.Errorf("sink: %w", err)
	}
	d := named.in(ctx)
	release := d.ReleaseDir()
	d.Release = release // also where the rows are read elsewhere
	d.Release = protocolOf(d).Found().Release
	m, sum, err := d.ReadManifest()
	if err != nil {
		return nil, err
	}
	switch {
	case len(m.Parts) == 0:
		d.Path = ""
	case d.Path == "":
		d.Path = m.PartsDirectory(release)
	}
	if d.Path == "" && len(m.Parts) > 0 {
		return nil, fmt.Errorf("sink: %s was renamed; its manifest does not say where the rows are: call it as the directory of the rows, with %s behind", layout.Show(release), layout.BesideEnd)
	}
	return &Output{Manifest: m, Path: d.Path, Release: d.ReleaseDir(), SHA256: sum, dir: protocolOf(d).Found()}, nil
}

// Files returns the parts in order, after Check. What else is in their directory does not matter.
func (o *Output) Files(ctx context.Context) ([]files.Info, error) {
	if err := o.Check(ctx); err != nil {
		return nil, err
	}
	out := make([]files.Info, len(o.Parts))
	for i, f := range o.Parts {
		var err error
		if out[i], err = files.Stat(ctx, o.dir.At(f.Name)); err != nil {
			return nil, fmt.Errorf("sink: %w", err)
		}
	}
	return out, nil
}

// in is the output with the disk that its paths are on.
func (o *Output) in(ctx context.Context) layout.Dir { return Dir(o.dir).in(ctx) }

// Rows returns the parts in a directory whose manifest is elsewhere, in order, if there are all of one output
// and nothing else: their names tell. None if that is not so.
func Rows(ctx context.Context, dir string) ([]files.Info, error) {
	names, err := files.Names(ctx, dir)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	d := layout.Dir{Path: dir, Shards: len(names), Extension: strings.TrimPrefix(path.Ext(names[0]), ".")}
	out := make([]files.Info, len(names))
	for i, name := range names {
		if name != d.PartName(i) {
			return nil, nil
		}
		if out[i], err = files.Stat(ctx, d.At(name)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Check compares every file with the manifest: by its SHA-256 on this machine, and by the size and the
// CRC-32C that the service knows on gs://, where nothing is transferred. All differences are in the error.
func (o *Output) Check(ctx context.Context) error { return o.compare(ctx, false) }

// Verify is Check by SHA-256 everywhere, for which it reads all files. It also refuses files in the directory of
// the rows that are not parts.
func (o *Output) Verify(ctx context.Context) error {
	return errors.Join(o.compare(ctx, true), strangers(o.in(ctx), o.Manifest))
}

func (o *Output) compare(ctx context.Context, read bool) error {
	d := o.in(ctx)
	isLocal := !d.Remote()
	var errs []error
	for _, f := range o.Parts {
		errs = append(errs, compareFile(d, d.At(f.Name), f, read || isLocal))
	}
	for _, f := range o.Released {
		errs = append(errs, compareFile(d, d.InRelease(f.Name), f, read || isLocal))
	}
	return errors.Join(errs...)
}

// Gone reports whether a part is not there, or has another size than it was written with. It reads no part.
func (o *Output) Gone(ctx context.Context) (bool, error) {
	d := o.in(ctx)
	for _, f := range o.Parts {
		switch now, err := files.Stat(ctx, d.At(f.Name)); {
		case errors.Is(err, fs.ErrNotExist) || err == nil && now.Size != f.Bytes:
			return true, nil
		case err != nil:
			return false, fmt.Errorf("sink: %w", err)
		}
	}
	return false, nil
}

// CheckRows is Check of the parts alone. Without any of them, where the release was moved or rows are kept from its
// reader, there is nothing to compare and found is false.
func (o *Output) CheckRows(ctx context.Context) (found bool, err error) {
	d := o.in(ctx)
	isLocal := !d.Remote()
	var errs []error
	missing := 0
	for _, f := range o.Parts {
		if _, err := files.Stat(ctx, d.At(f.Name)); errors.Is(err, fs.ErrNotExist) {
			missing++
		}
		errs = append(errs, compareFile(d, d.At(f.Name), f, isLocal))
	}
	if missing == len(o.Parts) {
		return false, nil
	}
	return true, errors.Join(errs...)
}

// CheckReleased is Check of one released file alone. fs.ErrNotExist is in the error if the manifest does
// not name it.
func (o *Output) CheckReleased(ctx context.Context, name string) error {
	for _, f := range o.Released {
		if f.Name == name {
			d := o.in(ctx)
			return compareFile(d, d.InRelease(name), f, !d.Remote())
		}
	}
	return fmt.Errorf("sink: the manifest in %s names no %s: %w", layout.Show(o.Release), name, fs.ErrNotExist)
}

// compareFile compares a file with what the manifest says of it.
func compareFile(d layout.Dir, name string, want File, read bool) error {
	var n int64
	var err error
	same := false
	if read {
		var sum string
		n, sum, err = hash(d, name)
		same = sum == want.SHA256
	} else {
		var crc uint32
		n, crc, err = d.Disk.Sum(name)
		same = layout.HexCRC(crc) == want.CRC32C
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("sink: %s is missing", name)
	case err != nil:
		return fmt.Errorf("sink: %s cannot be read: %w", name, err)
	case n != want.Bytes:
		return fmt.Errorf("sink: %s has changed since it was written: it has %d bytes, and its manifest says %d", name, n, want.Bytes)
	case !same:
		return fmt.Errorf("sink: %s has changed since it was written: its checksum is not the one in its manifest", name)
	}
	return nil
}

// hash reads a file for its size and its SHA-256.
func hash(d layout.Dir, name string) (int64, string, error) {
	f, err := d.Disk.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close() // only read from
	h := sha256.New()
	n, err := io.Copy(h, f)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// strangers refuses files in the directory of the rows that are not parts: readers take them for rows.
func strangers(d layout.Dir, m *Manifest) error {
	names, err := d.Rows()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, f := range m.Parts {
		known[f.Name] = true
	}
	first, more := "", 0
	for _, name := range names {
		if !known[name] {
			first, more = cmp.Or(first, name), more+1
		}
	}
	switch more {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("sink: %s holds %q, which the run did not write: readers may take it for rows; move it away", layout.Show(d.Path), first)
	}
	return fmt.Errorf("sink: %s holds %q and %d more that the run did not write: readers may take them for rows; move them away", layout.Show(d.Path), first, more-1)
}

// Publish makes the parts and the released files the content of the directories. refs holds each shard
// once, in any order. schema describes the parts in the manifest: anything that JSON can hold, or nil.
//
// If there is this run's manifest already, Publish returns it and changes nothing. After an error
// Publish may be called again, with the same parts.
func (d Dir) Publish(ctx context.Context, refs []FileRef, files []Released, schema any) (*Manifest, error) {
	own := d.in(ctx)
	m, err := own.Plan(refs, files, schema)
	if err != nil {
		return nil, err
	}
	done, err := protocolOf(own).Publish(m, refs, files)
	if _, refused := errors.AsType[*NotFree](err); err != nil && !refused && !strings.HasPrefix(err.Error(), "sink: ") {
		err = fmt.Errorf("sink: publishing to %s: %w", layout.Show(own.Dirs()[0]), err)
	}
	if err != nil {
		return nil, err
	}
	return done, nil
}
