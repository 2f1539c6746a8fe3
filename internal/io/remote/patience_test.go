package remote

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The time that the reader's caller takes does not count: between two calls no clock runs.
func TestSlowCaller(t *testing.T) {
	r, err := Open(context.Background(), func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(strings.Repeat("x", 100))), nil
	})
	must.Do(t, err)
	n, calls := 0, 0
	for err == nil {
		must.Hold(t, !r.silent.Stop(), "after %d reads the clock runs on", calls)
		var m int
		m, err = r.Read(make([]byte, 30))
		n, calls = n+m, calls+1
	}
	must.Pass(t, r.Close())
	must.Hold(t, n == 100 && calls >= 4 && errors.Is(err, io.EOF), "read %d bytes in %d reads, %v", n, calls, err)
}
