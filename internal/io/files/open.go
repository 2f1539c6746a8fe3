package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
)

// Open opens a file to read it from its beginning to its end. It is an error if the file does not have the state of
// f, as far as f records it, when it is opened or when its end is read.
func Open(ctx context.Context, f Info) (io.ReadCloser, error) {
	if err := CheckName(f.Name); err != nil {
		return nil, err
	}
	if !Remote(f.Name) {
		return openLocal(f)
	}
	r, err := SystemOf(f.Name).Open(ctx, f, 0, -1)
	return r, f.changed(err)
}

// changed replaces the error for a missing object by one that says that it has changed.
func (f Info) changed(err error) error {
	if f.Version != "" && errors.Is(err, fs.ErrNotExist) {
		return f.errChanged()
	}
	return err
}

func (f Info) errChanged() error {
	return fmt.Errorf("%s: the file has changed since the run was planned", f.Name)
}

func openLocal(f Info) (*localFile, error) {
	file, err := os.Open(f.Name)
	if err != nil {
		return nil, err
	}
	l := &localFile{File: file, f: f}
	if err := l.unchanged(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// localFile checks its size and time again at the end: what was appended or overwritten during reading may or may not
// have been read. A file that is renamed or removed meanwhile is read to its end unchanged.
type localFile struct {
	*os.File
	f     Info
	ended bool // its end was read, and its state checked
}

// unchanged returns an error if the file is not in the state in which it was found, if that is known.
func (l *localFile) unchanged() error {
	s, err := l.Stat()
	if err == nil && l.f.Version != "" && localInfo(l.f.Name, s) != l.f {
		err = l.f.errChanged()
	}
	return err
}

// read counts the bytes of files whose state is fixed: the files of tables.
var read atomic.Int64

// ReadSoFar returns how many bytes this process has read of local files whose state was fixed when they were found.
// It is for progress on the owner's terminal.
func ReadSoFar() int64 { return read.Load() }

func (l *localFile) count(n int) {
	if l.f.Version != "" {
		read.Add(int64(n))
	}
}

// ReadAt implements io.ReaderAt.
func (l *localFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.File.ReadAt(p, off)
	l.count(n)
	return n, err
}

// Read implements io.Reader for a file read from its beginning to its end.
func (l *localFile) Read(p []byte) (int, error) {
	n, err := l.File.Read(p)
	l.count(n)
	if errors.Is(err, io.EOF) {
		l.ended = true
		if changed := l.unchanged(); changed != nil {
			return n, changed
		}
	}
	return n, err
}

// WriteTo copies the rest of the file; os.File's own would not check the state.
func (l *localFile) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{l})
}

// Close closes a file after ranges of it were read.
func (l *localFile) Close() error {
	if l.ended {
		return l.File.Close()
	}
	return errors.Join(l.unchanged(), l.File.Close())
}

// File is a file from which ranges can be read.
type File interface {
	io.ReaderAt
	io.Seeker
	io.Closer
}

// OpenAt opens a file for reading ranges of it, also concurrently, and returns its state. It is an error if the file
// does not have the state of f, as far as f records it, or can be read only once; Close reports later changes. An
// object is read until ctx ends.
func OpenAt(ctx context.Context, f Info) (File, Info, error) {
	if err := CheckName(f.Name); err != nil {
		return nil, f, err
	}
	if Remote(f.Name) {
		if f.Version == "" {
			var err error
			if f, err = Stat(ctx, f.Name); err != nil {
				return nil, f, err
			}
		}
		return newRanges(ctx, f), f, nil
	}
	file, err := openLocal(f)
	if err != nil {
		return nil, f, err
	}
	s, err := file.Stat()
	if err == nil && !s.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a regular file; it is read in parts and cannot come from a pipe or directory", f.Name)
	}
	if err != nil {
		return nil, f, errors.Join(err, file.Close())
	}
	return file, localInfo(f.Name, s), nil
}

const (
	// ahead is the least number of bytes of an object that one request fetches: a request takes as long as a
	// megabyte. Larger ranges, such as column chunks, are one request each.
	ahead = 1 << 20
	// tail is the number of bytes fetched together with the end of an object, where formats keep their tables of
	// contents.
	tail = 64 << 10
)

// ranges reads ranges of one version of an object, and keeps the last short one that it fetched.
type ranges struct {
	*io.SectionReader // for Seek
	f                 Info
	fetch             func(p []byte, off int64) error

	mu    sync.Mutex
	block []byte
	at    int64 // where the block begins
}

func newRanges(ctx context.Context, f Info) *ranges {
	r := &ranges{f: f}
	r.SectionReader = io.NewSectionReader(r, 0, f.Size)
	r.fetch = func(p []byte, off int64) error { return fetch(ctx, f, p, off) }
	return r
}

// fetch fills p with one request.
func fetch(ctx context.Context, f Info, p []byte, off int64) (err error) {
	body, err := SystemOf(f.Name).Open(ctx, f, off, int64(len(p)))
	if err != nil {
		return f.changed(err)
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	if _, err := io.ReadFull(body, p); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// ReadAt reads len(p) bytes from off. The error is io.EOF if there are fewer.
func (r *ranges) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%s: a negative offset", r.f.Name)
	}
	n := int(min(int64(len(p)), max(r.f.Size-off, 0)))
	var atEnd error
	if n < len(p) {
		atEnd = io.EOF
	}
	if n == 0 {
		return 0, atEnd
	}
	if n >= ahead {
		if err := r.fetch(p[:n], off); err != nil {
			return 0, err
		}
		return n, atEnd
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if off < r.at || off+int64(n) > r.at+int64(len(r.block)) {
		if err := r.fill(off); err != nil {
			return 0, err
		}
	}
	copy(p[:n], r.block[off-r.at:])
	return n, atEnd
}

// fill fetches the block that begins at off, or the whole tail if off is in it.
func (r *ranges) fill(off int64) error {
	from, to := off, min(off+ahead, r.f.Size)
	if off >= r.f.Size-tail {
		from, to = max(r.f.Size-tail, 0), r.f.Size
	}
	block := append(r.block[:0], make([]byte, to-from)...)
	r.block = nil // of no use until it is whole
	if err := r.fetch(block, from); err != nil {
		return err
	}
	r.block, r.at = block, from
	return nil
}

// Close ends reading. Nothing is open between requests.
func (r *ranges) Close() error { return nil }
