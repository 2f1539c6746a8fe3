package gcs

import (
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/integration/services"
	objects "github.com/dapple-dp/dapple/internal/release/gcs"
)

// An upload that is given up makes no object, however much of it was sent.
func TestAbortedUploadMakesNoObject(t *testing.T) {
	s := services.StartStorage(t, "bucket")
	for _, size := range []int{0, 10, 12 << 20} {
		w, err := objects.System{}.Create(ctx, "gs://bucket/x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(strings.Repeat("x", size))); err != nil {
			t.Fatal(err)
		}
		w.Abort()
		if err := w.Close(); err == nil {
			t.Error("an upload was closed after it had been given up")
		}
	}
	time.Sleep(100 * time.Millisecond) // for requests under way
	if all := names(t, s, "bucket"); len(all) != 0 {
		t.Errorf("the bucket holds %v", all)
	}
}
