package files

import (
	"context"
	"errors"
	"io"
	"os"
)

// Create writes a file with an unused name; otherwise the error wraps fs.ErrExist. Only the owner can read a file on
// this machine. A file that cannot be written completely is removed.
func Create(ctx context.Context, name string, content []byte) error {
	return write(ctx, name, content, os.O_EXCL, System.Create)
}

// Replace is Create for a name that may be in use: the file then holds only content.
func Replace(ctx context.Context, name string, content []byte) error {
	return write(ctx, name, content, os.O_TRUNC, System.Replace)
}

func write(ctx context.Context, name string, content []byte, flag int, remote func(System, context.Context, string) (Writer, error)) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if Remote(name) {
		w, err := remote(SystemOf(name), ctx, name)
		if err != nil {
			return err
		}
		defer w.Abort() // does nothing after Close
		return end(w, content)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	if err != nil {
		return err
	}
	if err := end(f, content); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// end writes and closes; if that fails, there is no object.
func end(w io.WriteCloser, content []byte) error {
	_, err := w.Write(content)
	return errors.Join(err, w.Close())
}

// SyncNames makes the names in a directory of this machine durable.
func SyncNames(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
