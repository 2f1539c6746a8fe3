package table

import (
	"bytes"
	"testing"
)

// A file of a program's own goes with the rows, as often as it is written.
func TestContent(t *testing.T) {
	f := Content("_note.txt", []byte("hello"))
	for range 2 {
		var b bytes.Buffer
		if err := f.Write(&b, nil); err != nil || f.Name != "_note.txt" || b.String() != "hello" {
			t.Errorf("%s holds %q, error %v", f.Name, b.String(), err)
		}
	}
}
