package dirsink

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

var errInjected = errors.New("injected failure")

// faulty is a disk whose n-th operation fails: before it is done, or after; and where dead is set, with
// all later ones, as if the process had been killed.
type faulty struct {
	disk
	n     *int // operations until the failure
	after bool
	dead  bool
}

// op runs one operation.
func (f faulty) op(do func() error) error {
	*f.n--
	switch {
	case *f.n > 0 || *f.n < 0 && !f.dead:
		return do()
	case *f.n == 0 && f.after:
		return errors.Join(do(), errInjected)
	}
	return errInjected
}

func (f faulty) list(dir string) (names []string, err error) {
	err = f.op(func() error { names, err = f.disk.list(dir); return err })
	return names, err
}

func (f faulty) size(path string) (n int64, err error) {
	err = f.op(func() error { n, err = f.disk.size(path); return err })
	return n, err
}

func (f faulty) open(path string) (r io.ReadCloser, err error) {
	err = f.op(func() error { r, err = f.disk.open(path); return err })
	return r, err
}

func (f faulty) mkdirAll(dir string) error {
	return f.op(func() error { return f.disk.mkdirAll(dir) })
}

func (f faulty) create(path string) (w file, err error) {
	err = f.op(func() error { w, err = f.disk.create(path); return err })
	return faultyFile{w, f}, err
}

func (f faulty) place(from, to string) error {
	return f.op(func() error { return f.disk.place(from, to) })
}

func (f faulty) replace(from, to string) error {
	return f.op(func() error { return f.disk.replace(from, to) })
}

func (f faulty) remove(path string) error { return f.op(func() error { return f.disk.remove(path) }) }

func (f faulty) removeAll(path string) error {
	return f.op(func() error { return f.disk.removeAll(path) })
}

func (f faulty) sync(dir string) error { return f.op(func() error { return f.disk.sync(dir) }) }

type faultyFile struct {
	file
	f faulty
}

func (w faultyFile) Write(p []byte) (n int, err error) {
	err = w.f.op(func() error { n, err = w.file.Write(p); return err })
	return n, err
}

func (w faultyFile) Sync() error { return w.f.op(w.file.Sync) }

func (w faultyFile) Close() error {
	return errors.Join(w.f.op(func() error { return nil }), w.file.Close())
}

// Publish may fail or be killed at every single operation. There is then the old output as a whole, or
// no manifest, or the new output as a whole; and a repetition makes it the new one.
func TestFailureAtEveryStep(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		for _, after := range []bool{false, true} {
			for _, dead := range []bool{false, true} {
				k := 1
				for ; publishFailing(t, k, overwrite, after, dead); k++ {
				}
				if k < 25 {
					t.Errorf("only %d operations were made to fail", k)
				}
			}
		}
	}
}

// publishFailing makes operation k fail; it returns false when there are fewer operations.
func publishFailing(t *testing.T, k int, overwrite, after, dead bool) bool {
	t.Helper()
	old := Dir{Path: t.TempDir(), RunID: "old", Shards: 2, Extension: "parquet"}
	if overwrite {
		files := append(releasedFiles("old"), Content("_model.arrow", []byte("old")))
		if _, err := old.Publish(stage(t, old), files, nil); err != nil {
			t.Fatal(err)
		}
	}
	d := Dir{Path: old.Path, RunID: "new", Shards: 3, Extension: "parquet", Overwrite: overwrite}
	refs := stage(t, d)
	n := k
	bad := d
	bad.disk = faulty{local{}, &n, after, dead}
	_, err := bad.Publish(refs, releasedFiles("new"), nil)
	m, manifestErr := ReadManifest(d.Path)
	switch {
	case manifestErr == nil && m.RunID == "new":
		if err := m.Verify(d.Path); err != nil {
			t.Fatalf("operation %d: %v", k, err)
		}
	case manifestErr == nil: // the old one
		if err == nil || !overwrite {
			t.Fatalf("operation %d: success, and the old output is there", k)
		}
		if err := m.Verify(d.Path); err != nil {
			t.Fatalf("operation %d: %v", k, err)
		}
	case err == nil:
		t.Fatalf("operation %d: success without a manifest", k)
	}
	if _, err := d.Publish(refs, releasedFiles("new"), nil); err != nil {
		t.Fatalf("operation %d: the repetition: %v", k, err)
	}
	finished(t, d)
	return n <= 0
}

// A part that could not be written whole is never committed, whichever operation fails.
func TestFailingPart(t *testing.T) {
	for _, after := range []bool{false, true} {
		for k := 1; ; k++ {
			n := k
			d := Dir{Path: t.TempDir(), RunID: "r", Shards: 1, Extension: "parquet"}
			d.disk = faulty{local{}, &n, after, false}
			ref, err := writePart(d)
			if n > 0 {
				break
			}
			if !errors.Is(err, errInjected) || ref != (FileRef{}) {
				t.Fatalf("operation %d: %v, %v", k, ref, err)
			}
		}
	}
}

// writePart ignores the errors of Write, as a library in between might.
func writePart(d Dir) (FileRef, error) {
	p, err := d.Create(0)
	if err != nil {
		return FileRef{}, err
	}
	for range 3 {
		_, _ = p.Write([]byte("row\n"))
	}
	return p.Commit(3)
}

// full is a disk without space: writes are cut short.
type full struct{ disk }

type fullFile struct{ file }

func (f full) create(path string) (file, error) {
	w, err := f.disk.create(path)
	return fullFile{w}, err
}

func (f fullFile) Write(p []byte) (int, error) {
	n, _ := f.file.Write(p[:len(p)/2])
	return n, syscall.ENOSPC
}

func TestDiskFull(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 1, Extension: "parquet"}
	refs := stage(t, d)
	small := d
	small.disk = full{local{}}
	if _, err := writePart(small); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if err := small.Prepare(); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if _, err := small.Publish(refs, releasedFiles("r"), nil); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if _, err := ReadManifest(d.Path); err == nil {
		t.Error("a manifest without space for it")
	}
	if _, err := d.Publish(refs, releasedFiles("r"), nil); err != nil {
		t.Fatal(err)
	}
	finished(t, d)
}

// A name that is taken is not taken again, also on a file system without hard links.
func TestPlaceTakesNoName(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for _, p := range []string{from, to} {
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, place := range map[string]func(from, to string) error{"links": local{}.place, "no links": moveFree} {
		if err := place(from, to); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(to); err != nil {
		t.Fatal(err)
	}
	if err := moveFree(from, to); err != nil {
		t.Error(err)
	}
}

// An aborted part leaves nothing.
func TestAbort(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 1, Extension: "parquet"}
	p, err := d.Create(0)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Abort(); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.Commit(0); err == nil {
		t.Error("an aborted part was committed")
	}
	if _, err := p.Write(nil); err == nil {
		t.Error("an aborted part was written to")
	}
	if names, err := (local{}).list(d.staging()); err != nil || len(names) != 0 {
		t.Error(names, err)
	}
}
