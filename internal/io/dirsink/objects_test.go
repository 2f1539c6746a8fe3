package dirsink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/objects"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	_ "github.com/dapple-dp/dapple/io/gs"
)

// memory is an object store in memory, with the guarantees of files.System.
type memory struct {
	files.System // nil: what is not below is not asked for
	mu           *sync.Mutex
	objects      map[string]stored
	last         *int64 // generation
}

type stored struct {
	generation string
	content    []byte
}

func newMemory() memory { return memory{nil, &sync.Mutex{}, map[string]stored{}, new(int64)} }

func (m memory) describe(name string) files.Info {
	s := m.objects[name]
	return files.Info{Name: name, Size: int64(len(s.content)), Version: s.generation, CRC32C: crc32.Checksum(s.content, layout.Castagnoli)}
}

func (m memory) Names(_ context.Context, dir string) (names []string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.objects {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			first, _, _ := strings.Cut(rest, "/")
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (m memory) List(_ context.Context, pattern string) (found []files.Info, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.objects {
		if files.Match(pattern, name) {
			found = append(found, m.describe(name))
		}
	}
	slices.SortFunc(found, func(a, b files.Info) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

func (m memory) Stat(_ context.Context, name string) (files.Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.objects[name]; !ok {
		return files.Info{}, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return m.describe(name), nil
}

func (m memory) Open(ctx context.Context, o files.Info, offset, length int64) (io.ReadCloser, error) {
	if _, err := m.Stat(ctx, o.Name); err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(m.objects[o.Name].content)), nil
}

// put stores content where the name holds the given generation, "" meaning none, or that content.
func (m memory) put(name string, content []byte, generation string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.objects[name]; s.generation != generation {
		if ok && bytes.Equal(s.content, content) {
			return nil
		}
		return fmt.Errorf("%s: %w", name, fs.ErrExist)
	}
	*m.last++
	m.objects[name] = stored{strconv.FormatInt(*m.last, 10), bytes.Clone(content)}
	return nil
}

func (m memory) Create(_ context.Context, name string) (files.Writer, error) {
	return &memoryWriter{m: m, name: name}, nil
}

func (m memory) Copy(ctx context.Context, from files.Info, to string, old files.Info) error {
	if now, err := m.Stat(ctx, from.Name); err != nil || now != from {
		return fmt.Errorf("%s: %w", from.Name, fs.ErrNotExist)
	}
	return m.put(to, m.objects[from.Name].content, old.Version)
}

func (m memory) Remove(_ context.Context, o files.Info) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.objects[o.Name]; ok && s.generation != o.Version {
		return fmt.Errorf("%s: %w", o.Name, fs.ErrExist)
	}
	delete(m.objects, o.Name)
	return nil
}

// memoryWriter makes an object where Close is its end.
type memoryWriter struct {
	m    memory
	name string
	bytes.Buffer
	ended bool
}

func (w *memoryWriter) Close() error {
	if w.ended {
		return errors.New("closed or aborted before")
	}
	w.ended = true
	return w.m.put(w.name, w.Bytes(), "")
}

func (w *memoryWriter) Abort() { w.ended = true }

// onSystem is a disk that tells what it is on.
type onSystem struct {
	layout.Disk
	system files.System
}

// failingObjects returns d with a service whose n-th request fails.
func failingObjects(d Dir, n *int, after, dead bool) Dir {
	d.Disk = objects.Disk(ctx, faultyService{d.Disk.(onSystem).system, faulty{n: n, after: after, dead: dead}})
	return d
}

type faultyService struct {
	files.System
	f faulty
}

func (s faultyService) Names(ctx context.Context, dir string) ([]string, error) {
	return value(s.f, func() ([]string, error) { return s.System.Names(ctx, dir) })
}

func (s faultyService) List(ctx context.Context, pattern string) ([]files.Info, error) {
	return value(s.f, func() ([]files.Info, error) { return s.System.List(ctx, pattern) })
}

func (s faultyService) Stat(ctx context.Context, name string) (files.Info, error) {
	return value(s.f, func() (files.Info, error) { return s.System.Stat(ctx, name) })
}

func (s faultyService) Open(ctx context.Context, o files.Info, offset, length int64) (io.ReadCloser, error) {
	return value(s.f, func() (io.ReadCloser, error) { return s.System.Open(ctx, o, offset, length) })
}

func (s faultyService) Create(ctx context.Context, name string) (files.Writer, error) {
	w, err := s.System.Create(ctx, name)
	return faultyWriter{w, s.f}, err
}

func (s faultyService) Copy(ctx context.Context, from files.Info, to string, old files.Info) error {
	return s.f.op(func() error { return s.System.Copy(ctx, from, to, old) })
}

func (s faultyService) Remove(ctx context.Context, o files.Info) error {
	return s.f.op(func() error { return s.System.Remove(ctx, o) })
}

type faultyWriter struct {
	files.Writer
	f faulty
}

func (w faultyWriter) Write(p []byte) (int, error) {
	return value(w.f, func() (int, error) { return w.Writer.Write(p) })
}

func (w faultyWriter) Close() error { return w.f.op(w.Writer.Close) }

// A part that is given up, or could not be written whole, leaves no object, however its writer ends.
func TestNoObjectOfAnAbortedPart(t *testing.T) {
	m := newMemory()
	d := Dir{Path: "gs://bucket/out", RunID: "r", Shards: 1, Extension: "csv", Disk: onSystem{objects.Disk(ctx, m), m}}
	p := must.Value(d.Create(ctx, 0))(t)
	must.Value(p.Write([]byte("half a row")))(t)
	must.Pass(t, p.Abort())
	n := 1
	_, err := writePart(failingObjects(d, &n, false, false))
	must.Hold(t, errors.Is(err, errInjected), "%v", err)
	must.Hold(t, len(m.objects) == 0, "left behind: %v", m.objects)
}

// Attempts of one run publish at once: where nothing locks, all end with the one output. One in 200 loses to
// another and is repeated; that twenty repetitions lose happens by chance with probability 1e-46.
func TestTwoAttemptsAtOnce(t *testing.T) {
	for round := range 50 {
		d := Dir{Path: "gs://bucket/out", RunID: "r", Shards: 5, Extension: "csv", Disk: objects.Disk(ctx, newMemory())}
		refs := stage(t, d)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for range 20 { // as a runner does: an layout.Attempt may lose, a repetition must not
					if _, err := d.Publish(ctx, refs, releasedFiles("r"), nil); err == nil {
						return
					}
				}
				t.Error("no layout.Attempt succeeds")
			})
		}
		wg.Wait()
		must.Need(t, !t.Failed(), "round %v", round)
		m, err := d.in(ctx).Manifest()
		must.Need(t, err == nil && verify(d) == nil && m.Rows == 15, "%v, %v", m, err)
	}
}
