package gcs

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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
	old := stall
	t.Cleanup(func() { stall = old })
	stall = 50 * time.Millisecond
}

// A connection that is silent without being cut ends the read in words, before its answer and within it.
func TestSilentConnection(t *testing.T) {
	for _, first := range []int{0, 40} {
		silence(t, first)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		n := 0
		r, err := Open(ctx, Object{Name: "gs://bucket/object"}, 0, -1)
		if err == nil {
			var b []byte
			b, err = io.ReadAll(r)
			n = len(b)
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if n != first || !errors.Is(err, errStalled) || strings.Count(err.Error(), "gs://") > 1 {
			t.Errorf("after %d bytes: read %d, %v", first, n, err)
		}
	}
}

// The time that the reader's caller takes does not count.
func TestSlowCaller(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 100))
	}))
	t.Cleanup(s.Close)
	t.Setenv(emulator, s.URL)
	old := stall
	t.Cleanup(func() { stall = old })
	stall = 500 * time.Millisecond
	r, err := Open(context.Background(), Object{Name: "gs://bucket/object"}, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for err == nil {
		var m int
		m, err = r.Read(make([]byte, 30))
		n += m
		time.Sleep(200 * time.Millisecond) // five times: longer than the limit
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if n != 100 || !errors.Is(err, io.EOF) {
		t.Errorf("read %d bytes, %v", n, err)
	}
}
