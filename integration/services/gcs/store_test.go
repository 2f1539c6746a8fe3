package gcs

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/io/store"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Of many creators exactly one creates, and all go on with its value.
func TestStoreRace(t *testing.T) {
	services.StartStorage(t, "bucket")
	s := store.Objects{Dir: "gs://bucket/staging"}
	const n = 20
	var (
		got     [n][]byte
		created [n]bool
		wg      sync.WaitGroup
	)
	for i := range n {
		wg.Go(func() {
			var err error
			got[i], created[i], err = s.CreateIfAbsent(ctx, "run/model", bytes.Repeat([]byte{byte(i)}, 1<<14))
			must.Hold(t, err == nil, "%v", err)
		})
	}
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
}

// Somebody else creates between a creator's look and its upload: the loser of that race goes on with the value
// that came first.
func TestStoreLosesARace(t *testing.T) {
	storage := services.StartStorage(t, "bucket")
	p, s := startProxy(t, storage), store.Objects{Dir: "gs://bucket/staging"}
	var once sync.Once
	p.watch = func(r *http.Request) {
		if kindOf(r) == upload {
			once.Do(func() { put(storage, "gs://bucket/staging/run/model", "theirs") })
		}
	}
	current, created, err := s.CreateIfAbsent(ctx, "run/model", []byte("ours"))
	must.Hold(t, string(current) == "theirs" && !created && err == nil, "%q, %v, %v", current, created, err)
}

// A creation whose answer is lost has created, and nobody else's value comes after it.
func TestStoreLostAnswers(t *testing.T) {
	for _, f := range []fault{before503, after503, afterDrop} {
		p := startProxy(t, services.StartStorage(t, "bucket"))
		s := store.Objects{Dir: "gs://bucket/staging"}
		p.inject(upload, f, 0, 1)
		current, created, err := s.CreateIfAbsent(ctx, "model", []byte("first"))
		must.Hold(t, string(current) == "first" && created && err == nil, "%s: %q, %v, %v", f, current, created, err)
		current, created, err = s.CreateIfAbsent(ctx, "model", []byte("second"))
		must.Hold(t, string(current) == "first" && !created && err == nil, "%s: %q, %v, %v", f, current, created, err)
		_, found, err := s.Get(ctx, "other")
		must.Hold(t, !found && err == nil, "%s: %v, %v", f, found, err)
	}
	services.StartStorage(t, "bucket")
	_, _, err := (store.Objects{Dir: "gs://nowhere/x"}).CreateIfAbsent(ctx, "model", nil)
	must.Hold(t, err != nil && strings.Contains(err.Error(), `bucket "nowhere" does not exist`), "%v", err)
	_, _, err = (store.Objects{Dir: "gs://bucket/x"}).CreateIfAbsent(ctx, "../model", nil)
	must.Hold(t, err != nil && strings.HasPrefix(err.Error(), "store: name"), "%v", err)
}

// A whole run through a bad network spends once, releases by way of the bucket, and leaves its output
// and nothing else.
func TestRunThroughABadNetwork(t *testing.T) {
	for _, k := range []kind{upload, copied, remove, list, read} {
		for _, f := range []fault{after503, afterDrop} {
			t.Run(fmt.Sprintf("%s %s", f, k), func(t *testing.T) {
				s, c := shop(t)
				p := startProxy(t, s)
				var mu sync.Mutex
				released := 0
				p.watch = func(r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					if kindOf(r) == upload && strings.Contains(r.URL.Query().Get("name"), "-release/") {
						released++
					}
				}
				p.inject(k, f, 1, 2)
				c.Rows = 100
				mustRun(t, c)
				_, failed := p.seen(k)
				must.Hold(t, failed != 0 && released != 0, "%d requests failed, %d uploads of a release", failed, released)
				complete(t, c.Output, 100)
			})
		}
	}
}
