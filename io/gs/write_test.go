package gs

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/remote"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// early starts a service that answers the first chunk of an upload as if it were the last.
func early(t *testing.T) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "http://"+r.Host+r.URL.Path+"?upload_id=1")
		fmt.Fprint(w, `{"bucket": "bucket", "name": "object", "size": "1", "crc32c": "AAAAAA=="}`)
	}))
	t.Cleanup(s.Close)
	t.Setenv(emulator, s.URL)
}

// An upload that the service takes for complete before it is ends with an error, and in time.
func TestEarlyEnd(t *testing.T) {
	early(t)
	old := patience
	t.Cleanup(func() { patience = old })
	patience = 2 * time.Second
	w := must.Value(cloud.Create(t.Context(), "gs://bucket/object"))(t)
	ended := make(chan error)
	go func() {
		_, err := w.Write(make([]byte, 3*chunk))
		ended <- errors.Join(err, w.Close())
	}()
	select {
	case err := <-ended:
		must.Hold(t, errors.Is(err, remote.ErrSlow), "%v", err)
	case <-time.After(time.Minute):
		t.Fatal("the upload hangs")
	}
}
