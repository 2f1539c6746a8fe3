package dirsink

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/objects"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/rename"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var errInjected = errors.New("injected failure")

// faulty is a disk whose n-th operation fails: before it is done, or after; and where dead is set, with
// all later ones, as if the process had been killed.
type faulty struct {
	layout.Disk
	n     *int // operations until the failure
	after bool
	dead  bool
	pause func() // if not nil, comes before the n-th operation instead of a failure
}

// op runs one operation.
func (f faulty) op(do func() error) error {
	*f.n--
	switch {
	case *f.n > 0 || *f.n < 0 && !f.dead:
		return do()
	case *f.n == 0 && f.pause != nil:
		f.pause()
		return do()
	case *f.n == 0 && f.after:
		return errors.Join(do(), errInjected)
	}
	return errInjected
}

// value runs one operation that returns a value.
func value[T any](f faulty, do func() (T, error)) (v T, err error) {
	err = f.op(func() error { v, err = do(); return err })
	return v, err
}

func (f faulty) List(dir string) ([]string, error) {
	return value(f, func() ([]string, error) { return f.Disk.List(dir) })
}

func (f faulty) Size(path string) (int64, error) {
	return value(f, func() (int64, error) { return f.Disk.Size(path) })
}

func (f faulty) Sum(path string) (n int64, crc uint32, err error) {
	err = f.op(func() error { n, crc, err = f.Disk.Sum(path); return err })
	return n, crc, err
}

func (f faulty) Open(path string) (io.ReadCloser, error) {
	return value(f, func() (io.ReadCloser, error) { return f.Disk.Open(path) })
}

func (f faulty) MkdirAll(dir string) error {
	return f.op(func() error { return f.Disk.MkdirAll(dir) })
}

func (f faulty) MkdirOwn(dir string) error {
	return f.op(func() error { return f.Disk.MkdirOwn(dir) })
}

func (f faulty) Create(path string) (layout.Handle, error) {
	w, err := value(f, func() (layout.Handle, error) { return f.Disk.Create(path) })
	return faultyFile{w, f}, err
}

func (f faulty) Place(from, to string) error {
	return f.op(func() error { return f.Disk.Place(from, to) })
}

func (f faulty) Replace(from, to string) error {
	return f.op(func() error { return f.Disk.Replace(from, to) })
}

func (f faulty) Remove(path string) error { return f.op(func() error { return f.Disk.Remove(path) }) }

func (f faulty) RemoveAll(path string) error {
	return f.op(func() error { return f.Disk.RemoveAll(path) })
}

func (f faulty) Sync(dir string) error { return f.op(func() error { return f.Disk.Sync(dir) }) }

type faultyFile struct {
	layout.Handle
	f faulty
}

func (w faultyFile) Write(p []byte) (int, error) {
	return value(w.f, func() (int, error) { return w.Handle.Write(p) })
}

func (w faultyFile) Sync() error { return w.f.op(w.Handle.Sync) }

func (w faultyFile) Close() error {
	return errors.Join(w.f.op(func() error { return nil }), w.Handle.Close())
}

// kind is something that directories can be on.
type kind struct {
	name    string
	dir     func(t *testing.T) Dir                    // empty, and whole
	failing func(d Dir, n *int, after, dead bool) Dir // the same one, whose n-th operation fails
	fewest  int                                       // operations of a publication
}

var kinds = []kind{
	{"local", func(t *testing.T) Dir { return Dir{Path: filepath.Join(quickDir(t), "out"), Disk: rename.Disk} }, func(d Dir, n *int, after, dead bool) Dir {
		d.Disk = faulty{Disk: d.Disk, n: n, after: after, dead: dead}
		return d
	}, 40},
	{"objects", func(*testing.T) Dir {
		m := newMemory()
		return Dir{Path: "gs://bucket/out", Disk: onSystem{objects.Disk(ctx, m), m}}
	}, failingObjects, 35},
}

// quickDir returns a directory in memory, if there is such a file system: syncs take long on a disk.
func quickDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "dapple-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Publish may fail or be killed at every single operation. There is then the old output as a whole, or the new output
// as a whole, or among objects no manifest; and a repetition makes it the new one.
func TestFailureAtEveryStep(t *testing.T) {
	for _, on := range kinds {
		for _, overwrite := range []bool{false, true} {
			for _, after := range []bool{false, true} {
				for _, dead := range []bool{false, true} {
					k := 1
					for ; publishFailing(t, on, k, overwrite, after, dead); k++ {
					}
					must.Hold(t, k >= on.fewest, "%s: only %d operations were made to fail", on.name, k)
				}
			}
		}
	}
}

// publishFailing makes operation k fail; it returns false when there are fewer operations.
func publishFailing(t *testing.T, on kind, k int, overwrite, after, dead bool) bool {
	t.Helper()
	d := on.dir(t)
	if overwrite {
		old := d
		old.RunID, old.Shards, old.Extension = "old", 2, "parquet"
		files := append(releasedFiles("old"), Content("_model.arrow", []byte("old")))
		must.Value(old.Publish(ctx, stage(t, old), files, nil))(t)
	}
	d.RunID, d.Shards, d.Extension, d.Overwrite = "new", 3, "parquet", overwrite
	refs := stage(t, d)
	n := k
	_, err := on.failing(d, &n, after, dead).Publish(ctx, refs, releasedFiles("new"), nil)
	m, manifestErr := open(ctx, d)
	switch {
	case manifestErr != nil && overwrite && on.name == "local":
		t.Fatalf("operation %d: neither the older output is there nor the new one: %v", k, manifestErr)
	case manifestErr == nil && m.RunID == "new":
		err := verify(d)
		must.Need(t, err == nil, "%s: operation %d: %v", on.name, k, err)
	case manifestErr == nil: // the old one
		must.Need(t, err != nil && overwrite, "%s: operation %d: success, and the old output is there", on.name, k)
		err := verify(d)
		must.Need(t, err == nil, "%s: operation %d: %v", on.name, k, err)
	case err == nil:
		t.Fatalf("%s: operation %d: success without a manifest", on.name, k)
	}
	_, err = d.Publish(ctx, refs, releasedFiles("new"), nil)
	must.Need(t, err == nil, "%s: operation %d: the repetition: %v", on.name, k, err)
	finished(t, d)
	return n <= 0
}

// A part that could not be written whole is never committed, whichever operation fails.
func TestFailingPart(t *testing.T) {
	for _, on := range kinds {
		for _, after := range []bool{false, true} {
			for k := 1; ; k++ {
				n := k
				d := on.dir(t)
				d.RunID, d.Shards, d.Extension = "r", 1, "parquet"
				ref, err := writePart(on.failing(d, &n, after, false))
				if n > 0 {
					break
				}
				must.Need(t, errors.Is(err, errInjected) && ref == (FileRef{}), "%s: operation %d: %v, %v", on.name, k, ref, err)
			}
		}
	}
}

// writePart ignores the errors of Write, as a library in between might.
func writePart(d Dir) (FileRef, error) {
	p, err := d.Create(ctx, 0)
	if err != nil {
		return FileRef{}, err
	}
	for range 3 {
		_, _ = p.Write([]byte("row\n"))
	}
	return p.Commit(3)
}

// full is a disk without space: writes are cut short.
type full struct{ layout.Disk }

type fullFile struct{ layout.Handle }

func (f full) Create(path string) (layout.Handle, error) {
	w, err := f.Disk.Create(path)
	return fullFile{w}, err
}

func (f fullFile) Write(p []byte) (int, error) {
	n, _ := f.Handle.Write(p[:len(p)/2])
	return n, syscall.ENOSPC
}

func TestDiskFull(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 1, Extension: "parquet"}
	refs := stage(t, d)
	small := d
	small.Disk = full{rename.Disk}
	_, err := writePart(small)
	must.Hold(t, errors.Is(err, syscall.ENOSPC), "%v", err)
	err = small.Prepare(ctx)
	must.Hold(t, errors.Is(err, syscall.ENOSPC), "%v", err)
	_, err = small.Publish(ctx, refs, releasedFiles("r"), nil)
	must.Hold(t, errors.Is(err, syscall.ENOSPC), "%v", err)
	must.Fails(Open(ctx, d.Path))(t, "", "a manifest without space for it")
	must.Value(d.Publish(ctx, refs, releasedFiles("r"), nil))(t)
	finished(t, d)
}

// A directory that holds something is not replaced by a rename, whoever has put it there and whenever.
func TestPlaceTakesNoName(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	check(t, errors.Join(os.Mkdir(from, 0o700), os.Mkdir(to, 0o700), os.WriteFile(filepath.Join(to, "rows"), nil, 0o600)))
	err := rename.Disk.Place(from, to)
	must.Hold(t, errors.Is(err, os.ErrExist), "%v", err)
}

// An aborted part leaves nothing.
func TestAbort(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 1, Extension: "parquet"}
	p := must.Value(d.Create(ctx, 0))(t)
	for range 2 {
		must.Pass(t, p.Abort())
	}
	must.Fails(p.Commit(0))(t, "", "an aborted part was committed")
	must.Fails(p.Write(nil))(t, "", "an aborted part was written to")
	names, err := rename.Disk.List(filepath.Join(staging(d), "parts"))
	must.Hold(t, err == nil && len(names) == 0, "%v, %v", names, err)
}

// staging is where a run stages its parts.
func staging(d Dir) string {
	stages := protocolOf(d.in(ctx)).Stages()
	return stages[len(stages)-1]
}
