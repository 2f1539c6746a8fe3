package carry

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
)

// Spill is a temporary file of records that wait for others of their persons, for pipelines whose workers are all in
// this process. The records are encrypted by keys that no one sees, and the file has no name where the system allows it:
// when the process ends, however it does, nothing of them is left. Its methods are safe for concurrent use.
type Spill struct {
	id  string
	dir string

	mu   sync.Mutex
	file *os.File // nil before the first write
	end  int64
	tail []byte // what is before end and not in the file yet; it begins with a record
	done bool
}

// spillBuffer is how much waits for a write, in bytes: records have tens, and network disks take long for each write.
const spillBuffer = 1 << 18

// spills finds the spills of this process; a DoFn has the name only.
var spills sync.Map // from ID to *Spill

// New returns a spill in a directory of this machine, which wants room for all records; empty means
// os.TempDir. Nothing is written before there are records. Close it once the pipeline has ended.
func New(dir string) *Spill {
	s := &Spill{id: rand.Text(), dir: dir}
	spills.Store(s.id, s)
	return s
}

// Close removes the file. Closing it again does nothing.
func (s *Spill) Close() error {
	spills.Delete(s.id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	_ = os.Remove(s.file.Name()) // where a file that is open keeps its name
	s.file, s.tail = nil, nil
	return spillError(err)
}

// spillKind is the kind of the references to spills, which no store has.
const spillKind = "spill"

// Spilled reports whether r names a spill.
func (r Ref) Spilled() bool { return r.Kind == spillKind }

// Ref returns the reference to the spill, for functions of this process; of nil the zero Ref.
func (s *Spill) Ref() Ref {
	if s == nil {
		return Ref{}
	}
	return Ref{Kind: spillKind, Config: s.id}
}

// spillOf returns the spill of an ID.
func spillOf(id string) (*Spill, error) {
	if s, ok := spills.Load(id); ok {
		return s.(*Spill), nil
	}
	return nil, errors.New("carry: the spill is closed, or of another process: a Spill is for pipelines whose workers are all in the process that made it")
}

// spillError says what to do about an error of the system. It has the file's name, and no number of records.
func spillError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("carry: records wait in a temporary file: %w; name a directory with more room by TMPDIR", err)
}

func (s *Spill) put(_ context.Context, b []byte) (place []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return nil, spillError(err)
	}
	if len(s.tail) > 0 && len(s.tail)+len(b) > spillBuffer {
		if _, err := s.file.WriteAt(s.tail, s.end-int64(len(s.tail))); err != nil {
			return nil, spillError(err)
		}
		s.tail = s.tail[:0]
	}
	at := s.end
	s.tail, s.end = append(s.tail, b...), at+int64(len(b))
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(at)), uint64(len(b))), nil
}

// open makes the file for the first record.
func (s *Spill) open() (err error) {
	if s.done {
		return os.ErrClosed
	}
	if s.file != nil {
		return nil
	}
	if s.file, err = os.CreateTemp(s.dir, "dapple-records-"); err != nil {
		return err
	}
	_ = os.Remove(s.file.Name()) // some systems refuse it; then Close does so
	return nil
}

func (s *Spill) get(_ context.Context, place []byte) (b []byte, found bool, err error) {
	at, k := binary.Uvarint(place)
	n, m := binary.Uvarint(place[max(k, 0):])
	s.mu.Lock()
	file, end, written := s.file, s.end, s.end-int64(len(s.tail))
	if k <= 0 || m <= 0 || file == nil || at > uint64(end) || n > uint64(end)-at {
		s.mu.Unlock()
		return nil, false, spillError(os.ErrClosed)
	}
	b = make([]byte, n)
	if int64(at) >= written {
		copy(b, s.tail[int64(at)-written:])
		file = nil
	}
	s.mu.Unlock()
	if file != nil {
		if _, err := file.ReadAt(b, int64(at)); err != nil {
			return nil, false, spillError(err)
		}
	}
	return b, true, nil
}
