package background

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestWorkIsDoneInOrder(t *testing.T) {
	var w Work
	w.Wait() // nothing runs
	var got []int
	for i := range 1000 {
		w.Start(func() { got = append(got, i) })
	}
	w.Wait()
	for i := range 1000 {
		must.Need(t, i < len(got) && got[i] == i, "got %v", got)
	}
}

// Nothing of the caller needs to happen for work to end.
func TestWorkRunsBesideItsCaller(t *testing.T) {
	var w Work
	there, back := make(chan int), make(chan int)
	w.Start(func() { there <- 1; <-back })
	<-there
	back <- 1
	w.Wait()
}

// A panic reaches the caller, whose stack does not have its place, with the place: the first frame of this module is what
// error texts name.
func TestPanicReachesTheCaller(t *testing.T) {
	var w Work
	w.Start(func() { panic("fault") })
	checkFault(t, caught(w.Wait), "fault")
	w.Wait()
	var none []int
	w.Start(func() { _ = none[len(none)] })
	checkFault(t, caught(w.Wait), "runtime error: index out of range [0] with length 0")
	seq := func(yield func(int, int) bool) {
		yield(1, 2)
		panic("later")
	}
	checkFault(t, caught(func() {
		for range Ahead(seq) {
		}
	}), "later")
}

// A panic of work on all cores is the caller's, once no work runs.
func TestOnAllCoresPanics(t *testing.T) {
	var ended atomic.Int64
	checkFault(t, caught(func() {
		_ = OnAllCores(context.Background(), 100, func(next func() (int, bool)) {
			defer ended.Add(1)
			for i, ok := next(); ok; i, ok = next() {
				if i == 7 {
					panic("seven")
				}
			}
		})
	}), "seven")
	must.Hold(t, ended.Load() == int64(min(runtime.GOMAXPROCS(0), 100)), "%d of the workers had ended", ended.Load())
}

func checkFault(t *testing.T, got any, value string) {
	t.Helper()
	text := fmt.Sprint(got)
	message, stack, ok := strings.Cut(text, "\n\ngoroutine 0 [beside]:\n")
	first := regexp.MustCompile(`internal/kit/background[^\n]*\n[^\n]*/(\w+\.go):`).FindStringSubmatch(stack)
	must.Hold(t, ok && message == value && first != nil && first[1] == "background_test.go", "panicked with %s", text)
}

func caught(f func()) (fault any) {
	defer func() { fault = recover() }()
	f()
	return nil
}

func TestAheadYieldsTheSame(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		for stop := range n + 2 {
			ended, i := false, 0
			for a, b := range Ahead(numbers(n, &ended)) {
				must.Need(t, a == i && b == i*i, "pair %d is %d, %d", i, a, b)
				if i++; i == stop {
					break
				}
			}
			want := min(max(stop, 1), n)
			must.Need(t, (stop <= 0 || i == want) && (stop != 0 || i == n), "%d pairs of %d, stopped at %d", i, n, stop)
			must.Need(t, ended, "the sequence of %d was left open when it was stopped at %d", n, stop)
		}
	}
}

// numbers ends, whether it is used up or stopped, before what uses it goes on.
func numbers(n int, ended *bool) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		defer func() { *ended = true }()
		for i := range n {
			if !yield(i, i*i) {
				return
			}
		}
	}
}

func TestAheadMakesTheNextWhileOneIsUsed(t *testing.T) {
	made := make(chan int, 3)
	seq := func(yield func(int, int) bool) {
		for i := range 3 {
			made <- i
			if !yield(i, 0) {
				return
			}
		}
	}
	for a := range Ahead(seq) {
		for want := a; want <= min(a+1, 2); want++ {
			if a > 0 && want == a {
				continue // taken while the pair before was used
			}
			got := <-made
			must.Need(t, got == want, "made %d, want %d", got, want)
		}
	}
}
