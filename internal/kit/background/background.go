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
	if fault := w.ended(); fault != nil {
		panic(fault)
	}
}

// ended returns the panic of the function, once none runs.
func (w *Work) ended() (fault any) {
	if w.done != nil {
		fault, w.done = <-w.done, nil
	}
	return fault
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

// ahead is how many pairs wait until they are used: what uses them may stop now and then, as when its memory is full.
const ahead = 2

// Ahead yields what seq does, and has seq go on while a pair is used: the four last pairs must stay valid.
func Ahead[A, B any](seq iter.Seq2[A, B]) iter.Seq2[A, B] {
	type pair struct {
		a A
		b B
	}
	return func(yield func(A, B) bool) {
		made, stop := make(chan pair, ahead), make(chan struct{})
		var work Work
		work.Start(func() {
			defer close(made)
			for a, b := range seq {
				select {
				case made <- pair{a, b}:
				case <-stop:
					return
				}
			}
		})
		defer func() {
			close(stop)
			work.ended() // before what uses seq goes on
		}()
		for p := range made {
			if !yield(p.a, p.b) {
				return
			}
		}
		work.Wait()
	}
}
