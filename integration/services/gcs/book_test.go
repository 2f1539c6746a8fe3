package gcs

import (
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
)

// A budget book on Cloud Storage, where answers to writes get lost.
func TestBook(t *testing.T) {
	s, c := shop(t)
	p := startProxy(t, s)
	services.CheckBook(t, c, "gs://release/book", func() { p.inject(upload, after503, 1, 3) })
	if _, lost := p.seen(upload); lost != 3 {
		t.Errorf("%d answers were lost, want 3", lost)
	}
}
