package dptest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"
)

// memoryTries is how often WithinMemory measures before it fails.
const memoryTries = 10

// WithinMemory runs code and fails if it allocates more than most bytes: a hostile header that asks for
// gigabytes is then an error and no crash. Code must do the same however often it runs: what goroutines of
// earlier tests allocate meanwhile is counted too, and so code that takes too much is run again, up to ten
// times in half a second, and the least that was seen is what counts.
func WithinMemory(t testing.TB, most uint64, code func()) {
	t.Helper()
	least := Allocated(code)
	for try := 1; try < memoryTries && least > most; try++ {
		time.Sleep(time.Duration(try) * 10 * time.Millisecond)
		least = min(least, Allocated(code))
	}
	if least > most {
		t.Errorf("%d bytes were allocated, allowed are %d", least, most)
	}
}

// Allocated runs code and returns how many bytes the process allocated meanwhile.
func Allocated(code func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// WriteCalls runs code and returns how often the process asked the kernel to write meanwhile; known: the kernel tells, as
// Linux does.
func WriteCalls(code func()) (calls int64, known bool) {
	count := func() (n int64) {
		b, err := os.ReadFile("/proc/self/io")
		if _, rest, found := bytes.Cut(b, []byte("syscw: ")); err != nil || !found {
			known = false
		} else if _, err := fmt.Fscan(bytes.NewReader(rest), &n); err != nil {
			known = false
		}
		return n
	}
	known = true
	before := count()
	code()
	return count() - before, known
}
