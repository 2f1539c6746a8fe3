// Package spill holds records that wait for others of their persons in a file, in place of the runner.
package spill

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
)

// Spill is a temporary file of records that wait for others of their persons, for pipelines whose workers are all in
// this process. The records are encrypted by a key that no one sees, and the file has no name where the system allows it:
// when the process ends, however it does, nothing of them is left. Its methods are safe for concurrent use.
type Spill struct {
	id  string
	dir string

	mu   sync.Mutex
	file *os.File // nil before the first write
	key  cipher.Block
	end  int64
	tail []byte // what is before end and not in the file yet, encrypted; it begins with a record
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

// Name names the spill in this process; empty: there is no spill.
func (s *Spill) Name() string {
	if s == nil {
		return ""
	}
	return s.id
}

// Of returns the spill of a name, nil if it is empty.
func Of(name string) (*Spill, error) {
	if name == "" {
		return nil, nil
	}
	if s, ok := spills.Load(name); ok {
		return s.(*Spill), nil
	}
	return nil, errors.New("spill: it is closed, or of another process: a Spill is for pipelines whose workers are all in the process that made it")
}

// spillError says what to do about an error of the system. It has the file's name, and no number of records.
func spillError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("spill: records wait in a temporary file: %w; name a directory with more room by TMPDIR", err)
}

// Put writes b, which it overwrites, and returns where.
func (s *Spill) Put(b []byte) (where []byte, err error) {
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
	s.stream(at).XORKeyStream(b, b)
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
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	if s.key, err = aes.NewCipher(key[:]); err != nil {
		return err
	}
	if s.file, err = os.CreateTemp(s.dir, "dapple-records-"); err != nil {
		return err
	}
	_ = os.Remove(s.file.Name()) // some systems refuse it; then Close does so
	return nil
}

// stream is the key stream of what is written at an offset. Each offset is written once.
func (s *Spill) stream(at int64) cipher.Stream {
	var start [aes.BlockSize]byte
	binary.BigEndian.PutUint64(start[:], uint64(at))
	return cipher.NewCTR(s.key, start[:])
}

// Get reads what Put has written.
func (s *Spill) Get(where []byte) ([]byte, error) {
	at, k := binary.Uvarint(where)
	n, m := binary.Uvarint(where[max(k, 0):])
	if k <= 0 || m <= 0 {
		return nil, spillError(os.ErrClosed)
	}
	b := make([]byte, n)
	s.mu.Lock()
	file, written := s.file, s.end-int64(len(s.tail))
	if int64(at) >= written && int64(at+n) <= s.end {
		copy(b, s.tail[int64(at)-written:])
		file = nil
	}
	closed := s.file == nil
	s.mu.Unlock()
	if closed {
		return nil, spillError(os.ErrClosed)
	}
	if file != nil {
		if _, err := file.ReadAt(b, int64(at)); err != nil {
			return nil, spillError(err)
		}
	}
	s.stream(int64(at)).XORKeyStream(b, b)
	return b, nil
}
