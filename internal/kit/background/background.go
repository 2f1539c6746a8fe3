// Package background lets work go on beside its caller, or on all cores.
package background

import (
	"bytes"
	"fmt"
	"iter"
	"runtime/debug"
)

// Work is a function that runs beside its caller, at most one at a time. The zero Work runs none. Its methods are for one
// goroutine, and what a function does has happened once Wait returns.
type Work struct{ done chan any }

// Start waits for the function before, and starts f.
func (w *Work) Start(f func()) {
	w.Wait()
	done := make(chan any, 1)
	w.done = done
	go func() {
		defer func() { done <- located(recover()) }()
		f()
	}()
}

// Wait returns when no function runs. If one has panicked, Wait does so in its place, once.
func (w *Work) Wait() {
	if w.done == nil {
		return
	}
	value := <-w.done
	if w.done = nil; value != nil {
		panic(value)
	}
}

// fault is a panic and the place at which it began, which no stack of the caller shows.
type fault struct {
	value any
	stack []byte
}

func (f *fault) Error() string { return fmt.Sprintf("%v\n\n%s", f.value, f.stack) }

// located returns what was recovered with its place.
func located(value any) any {
	if _, ok := value.(*fault); ok || value == nil {
		return value
	}
	stack := debug.Stack()
	if _, at, ok := bytes.Cut(stack, []byte("\npanic(")); ok { // without the frames of recovering
		stack = append([]byte("goroutine 0 [beside]:\npanic("), at...)
	}
	return &fault{value, stack}
}

// Ahead yields what seq does, and has seq make the next pair while the one before is used: a pair must stay valid as long.
func Ahead[A, B any](seq iter.Seq2[A, B]) iter.Seq2[A, B] {
	return func(yield func(A, B) bool) {
		next, stop := iter.Pull2(func(yield func(A, B) bool) {
			defer func() {
				if value := recover(); value != nil {
					panic(located(value))
				}
			}()
			seq(yield)
		})
		var work Work
		var a A
		var b B
		var more bool
		step := func() { a, b, more = next() }
		defer stop()
		work.Start(step)
		defer func() {
			if work.done != nil {
				<-work.done // next and stop must not meet
			}
		}()
		for {
			work.Wait()
			if !more {
				return
			}
			x, y := a, b
			work.Start(step)
			if !yield(x, y) {
				return
			}
		}
	}
}
