package files

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// object returns ranges over made-up content, and counts the requests.
func object(size int, requests *int, fail *bool) (*ranges, []byte) {
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i * 7 >> 3)
	}
	r := newRanges(nil, Info{Name: "gs://bucket/x", Size: int64(size)}) //nolint:staticcheck // nothing is fetched with it
	r.fetch = func(p []byte, off int64) error {
		*requests++
		if *fail {
			return errors.New("no answer")
		}
		copy(p, content[off:off+int64(len(p))])
		return nil
	}
	return r, content
}

// Whatever is read, it is what the object holds there; a file's end and failures are told apart.
func TestRanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 100, tail, ahead - 1, ahead, 3*ahead + 17} {
		requests, fail := 0, false
		r, content := object(size, &requests, &fail)
		for range 300 {
			off, n := rng.IntN(size+10), rng.IntN(ahead*3/2)
			if rng.IntN(2) == 0 {
				n = rng.IntN(50)
			}
			fail = rng.IntN(4) == 0
			before, p := requests, make([]byte, n)
			got, err := r.ReadAt(p, int64(off))
			if fail && requests > before {
				must.Need(t, got == 0 && err != nil && !errors.Is(err, io.EOF), "a failure gives %d, %v", got, err)
				continue
			}
			want := min(n, max(size-off, 0))
			must.Need(t, got == want && (err == nil) == (want == n) && (err == nil || errors.Is(err, io.EOF)),
				"size %d: %d bytes from %d: %d, %v", size, n, off, got, err)
			for i := range got {
				must.Need(t, p[i] == content[off+i], "size %d: another byte at %d", size, off+i)
			}
		}
		end, err := r.Seek(0, io.SeekEnd)
		must.Hold(t, err == nil && end == int64(size), "%v %v", end, err)
	}
}

// A footer and its length are one request, a large column chunk is one, and small chunks share one.
func TestRequests(t *testing.T) {
	requests, fail := 0, false
	r, _ := object(20<<20, &requests, &fail)
	read := func(off, n, want int) {
		t.Helper()
		_, err := r.ReadAt(make([]byte, n), int64(off))
		must.Hold(t, err == nil && requests == want, "%d requests, want %d; %v", requests, want, err)
	}
	read(20<<20-8, 8, 1)
	read(20<<20-8-5000, 5000, 1)
	read(0, 8<<20, 2)
	for i := range 100 {
		read(9<<20+i*10_000, 10_000, 3)
	}
}
