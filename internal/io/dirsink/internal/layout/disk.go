package layout

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
)

// Disk is what the protocols need of a file system; tests put failures in between.
type Disk interface {
	List(dir string) ([]string, error)
	Size(path string) (int64, error)
	Sum(path string) (size int64, crc uint32, err error)
	Open(path string) (io.ReadCloser, error)
	MkdirAll(dir string) error
	MkdirOwn(dir string) error          // MkdirAll, and only this user can read dir
	Create(path string) (Handle, error) // fails if the name is taken
	Place(from, to string) error        // moves from to the free name to; an object that is there is an fs.ErrExist
	Replace(from, to string) error      // moves from to the name to, taken or not
	Remove(path string) error           // of a file or an empty directory
	RemoveAll(path string) error        //
	Sync(dir string) error              // makes the names in dir durable
}

// Handle is a file being written. It ends with Close or Abort: closing one that is not whole would make
// it an object of a store.
type Handle interface {
	io.WriteCloser
	Sync() error
	Abort() error
}

// End closes a file that has been written without an error, and gives any other up.
func End(f Handle, err error) error {
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Close()
}

// Attempt names one attempt, unlike all others.
func Attempt() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
