package dptest

import (
	"runtime"
	"testing"
)

// WithinMemory runs code and fails where it allocates more than most bytes: a hostile header that asks for
// gigabytes is then an error and no crash. What other goroutines allocate meanwhile is counted too, so that
// most should leave room for them.
func WithinMemory(t testing.TB, most uint64, code func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code()
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > most {
		t.Errorf("%d bytes were allocated, allowed are %d", used, most)
	}
}
