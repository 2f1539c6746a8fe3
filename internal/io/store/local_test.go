package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func ExampleLocal() {
	dir, err := os.MkdirTemp("", "staging")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s := store.Local{Dir: dir}
	for _, model := range []string{"first", "second"} {
		current, created, err := s.CreateIfAbsent(context.Background(), "run/model", []byte(model))
		fmt.Println(string(current), created, err)
	}
	// Output:
	// first true <nil>
	// first false <nil>
}

// Of a hundred creators exactly one creates, and all go on with its value.
func TestRace(t *testing.T) {
	s := store.Local{Dir: filepath.Join(t.TempDir(), "not", "there", "yet")}
	const n = 100
	var (
		got     [n][]byte
		created [n]bool
		start   = make(chan struct{})
		wg      sync.WaitGroup
	)
	for i := range n {
		wg.Go(func() {
			<-start
			var err error
			// Long values of one byte each: a mixture would show.
			got[i], created[i], err = s.CreateIfAbsent(context.Background(), "run/model", bytes.Repeat([]byte{byte(i)}, 1<<14))
			must.Hold(t, err == nil, "%v", err)
		})
	}
	close(start)
	wg.Wait()
	winners := 0
	for i := range n {
		must.Need(t, bytes.Equal(got[i], got[0]) && len(got[i]) == 1<<14, "creator %d went on with another value", i)
		if created[i] {
			winners++
			must.Hold(t, got[i][0] == byte(i), "the winner's value is not its own")
		}
	}
	must.Hold(t, winners == 1, "%d winners", winners)
	names, err := os.ReadDir(filepath.Join(s.Dir, "run"))
	must.Hold(t, err == nil && len(names) == 1, "left behind: %v, %v", names, err)
}

func TestGet(t *testing.T) {
	s := store.Local{Dir: t.TempDir()}
	ctx := context.Background()
	_, found, err := s.Get(ctx, "a")
	must.Hold(t, !found && err == nil, "%v, %v", found, err)
	_, created, err := s.CreateIfAbsent(ctx, "a", nil)
	must.Hold(t, created && err == nil, "%v %v", created, err)
	if data, found, err := s.Get(ctx, "a"); len(data) != 0 || !found || err != nil {
		t.Error(data, found, err)
	}
	if current, created, err := s.CreateIfAbsent(ctx, "a", []byte("x")); len(current) != 0 || created || err != nil {
		t.Error("an empty value does not count as one")
	}
}

func TestRefused(t *testing.T) {
	ctx := context.Background()
	s := store.Local{Dir: t.TempDir()}
	for _, name := range []string{"", "/", "a/", "/a", "..", "../a", "a/../b", ".a", "a b", "a\\b", "ä"} {
		_, _, err := s.CreateIfAbsent(ctx, name, nil)
		must.Hold(t, err != nil && strings.HasPrefix(err.Error(), "store: "), "%q: %v", name, err)
	}
	_, _, err := (store.Local{}).Get(ctx, "a")
	must.Hold(t, err != nil, "no directory")
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = s.CreateIfAbsent(over, "a", nil)
	must.Hold(t, err != nil, "a cancelled context")
	must.Do(t, os.WriteFile(filepath.Join(s.Dir, "file"), nil, 0o600))
	_, _, err = s.CreateIfAbsent(ctx, "file/x", nil)
	must.Hold(t, err != nil, "a directory that is a file")
}
