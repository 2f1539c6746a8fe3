package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dapple-dp/dapple/examples/visits/generate"
)

func TestRunWritesTheTable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "visits.csv")
	p := generate.Params{People: 50, Seed: 2}
	if err := run(name, p); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := generate.Write(&want, p); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("the file is not the table")
	}
}

func TestNoHalfFileIsLeft(t *testing.T) {
	name := filepath.Join(t.TempDir(), "visits.csv")
	broken := errors.New("disk full")
	err := create(name, func(w io.Writer) error {
		_, err := io.WriteString(w, "person_id")
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want the writer's", err)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat after a failed write: %v, want no file", err)
	}
	if err := run(filepath.Join(name, "below", "a"), generate.Params{People: 1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}
