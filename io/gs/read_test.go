package gs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/remote"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// silence starts a service that sends the first bytes of an object of 100, and then nothing, nor ends.
func silence(t *testing.T, first int) {
	t.Helper()
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first > 0 {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, strings.Repeat("x", first))
			_ = http.NewResponseController(w).Flush()
		}
		<-end
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(end) }) // before Close, which waits for it
	t.Setenv(emulator, s.URL)
}

// impatient makes reads give up at once until the test ends.
func impatient(t *testing.T) {
	t.Helper()
	old := remote.Stall
	t.Cleanup(func() { remote.Stall = old })
	remote.Stall = 50 * time.Millisecond
}

// A connection that is silent without being cut ends the read in words, before its answer and within it.
// Patience ends where nothing more will come, so that a slow machine cannot make it end before.
func TestSilentConnection(t *testing.T) {
	for _, first := range []int{0, 40} {
		t.Run(fmt.Sprint(first, " bytes"), func(t *testing.T) {
			silence(t, first)
			if first == 0 {
				impatient(t)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			n := 0
			r, err := cloud.Open(ctx, files.Info{Name: "gs://bucket/object"}, 0, -1)
			if err == nil {
				b := make([]byte, 100)
				if n, err = io.ReadFull(r, b[:first]); err == nil {
					impatient(t)
					_, err = r.Read(b)
				}
				must.Pass(t, r.Close())
			}
			must.Hold(t, n == first && errors.Is(err, remote.ErrStalled) && strings.Count(err.Error(), "gs://") <= 1, "read %d, %v", n, err)
		})
	}
}

// So it is with every request that is not a read.
func TestSilentAnswers(t *testing.T) {
	silence(t, 0)
	impatient(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := files.Info{Name: "gs://bucket/object", Version: "1"}
	for name, request := range map[string]func() error{
		"stat":   func() error { _, err := cloud.Stat(ctx, o.Name); return err },
		"list":   func() error { _, err := cloud.List(ctx, "gs://bucket/*"); return err },
		"names":  func() error { _, err := cloud.Names(ctx, "gs://bucket"); return err },
		"copy":   func() error { return cloud.Copy(ctx, o, "gs://bucket/other", files.Info{}) },
		"remove": func() error { return cloud.Remove(ctx, o) },
	} {
		err := request()
		must.Hold(t, errors.Is(err, remote.ErrSlow) && strings.HasPrefix(err.Error(), "gs://bucket/") && strings.Count(err.Error(), "gs://") <= 1,
			"%s: %v", name, err)
	}
}
