package dofn

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/reflectx"
)

// Each arity has one generic type that implements reflectx.Func and Beam's interface for that arity
// (Call2x1 and so on), which is what Beam looks for before it falls back to reflection.

// wrapped is a function with its name and type.
type wrapped[F any] struct{ fn F }

func (w *wrapped[F]) Name() string       { return reflectx.FunctionName(w.fn) }
func (w *wrapped[F]) Type() reflect.Type { return reflect.TypeOf(w.fn) }

// Method0x1 is a method of no arguments and one result.
func Method0x1[D, R any](name string, m func(*D) R) Method {
	return method(name, wrap0x1[R], func(d *D) func() R {
		return func() R { return m(d) }
	})
}

func wrap0x1[R any](fn func() R) reflectx.Func { return &func0x1[R]{wrapped[func() R]{fn}} }

type func0x1[R any] struct{ wrapped[func() R] }

func (f *func0x1[R]) Call(args []any) []any { return []any{f.fn()} }
func (f *func0x1[R]) Call0x1() any          { return f.fn() }

// Method1x1 is a method of one argument and one result.
func Method1x1[D, A0, R any](name string, m func(*D, A0) R) Method {
	return method(name, wrap1x1[A0, R], func(d *D) func(A0) R {
		return func(a0 A0) R { return m(d, a0) }
	})
}

func wrap1x1[A0, R any](fn func(A0) R) reflectx.Func { return &func1x1[A0, R]{wrapped[func(A0) R]{fn}} }

type func1x1[A0, R any] struct{ wrapped[func(A0) R] }

func (f *func1x1[A0, R]) Call(args []any) []any { return []any{f.fn(args[0].(A0))} }
func (f *func1x1[A0, R]) Call1x1(a0 any) any    { return f.fn(a0.(A0)) }

// Method2x1 is a method of two arguments and one result.
func Method2x1[D, A0, A1, R any](name string, m func(*D, A0, A1) R) Method {
	return method(name, wrap2x1[A0, A1, R], func(d *D) func(A0, A1) R {
		return func(a0 A0, a1 A1) R { return m(d, a0, a1) }
	})
}

func wrap2x1[A0, A1, R any](fn func(A0, A1) R) reflectx.Func {
	return &func2x1[A0, A1, R]{wrapped[func(A0, A1) R]{fn}}
}

type func2x1[A0, A1, R any] struct{ wrapped[func(A0, A1) R] }

func (f *func2x1[A0, A1, R]) Call(args []any) []any  { return []any{f.fn(args[0].(A0), args[1].(A1))} }
func (f *func2x1[A0, A1, R]) Call2x1(a0, a1 any) any { return f.fn(a0.(A0), a1.(A1)) }

// Method3x1 is a method of three arguments and one result.
func Method3x1[D, A0, A1, A2, R any](name string, m func(*D, A0, A1, A2) R) Method {
	return method(name, wrap3x1[A0, A1, A2, R], func(d *D) func(A0, A1, A2) R {
		return func(a0 A0, a1 A1, a2 A2) R { return m(d, a0, a1, a2) }
	})
}

func wrap3x1[A0, A1, A2, R any](fn func(A0, A1, A2) R) reflectx.Func {
	return &func3x1[A0, A1, A2, R]{wrapped[func(A0, A1, A2) R]{fn}}
}

type func3x1[A0, A1, A2, R any] struct{ wrapped[func(A0, A1, A2) R] }

func (f *func3x1[A0, A1, A2, R]) Call(args []any) []any {
	return []any{f.fn(args[0].(A0), args[1].(A1), args[2].(A2))}
}
func (f *func3x1[A0, A1, A2, R]) Call3x1(a0, a1, a2 any) any { return f.fn(a0.(A0), a1.(A1), a2.(A2)) }

// Method4x1 is a method of four arguments and one result.
func Method4x1[D, A0, A1, A2, A3, R any](name string, m func(*D, A0, A1, A2, A3) R) Method {
	return method(name, wrap4x1[A0, A1, A2, A3, R], func(d *D) func(A0, A1, A2, A3) R {
		return func(a0 A0, a1 A1, a2 A2, a3 A3) R { return m(d, a0, a1, a2, a3) }
	})
}

func wrap4x1[A0, A1, A2, A3, R any](fn func(A0, A1, A2, A3) R) reflectx.Func {
	return &func4x1[A0, A1, A2, A3, R]{wrapped[func(A0, A1, A2, A3) R]{fn}}
}

type func4x1[A0, A1, A2, A3, R any] struct {
	wrapped[func(A0, A1, A2, A3) R]
}

func (f *func4x1[A0, A1, A2, A3, R]) Call(args []any) []any {
	return []any{f.fn(args[0].(A0), args[1].(A1), args[2].(A2), args[3].(A3))}
}
func (f *func4x1[A0, A1, A2, A3, R]) Call4x1(a0, a1, a2, a3 any) any {
	return f.fn(a0.(A0), a1.(A1), a2.(A2), a3.(A3))
}

// Method5x1 is a method of five arguments and one result.
func Method5x1[D, A0, A1, A2, A3, A4, R any](name string, m func(*D, A0, A1, A2, A3, A4) R) Method {
	return method(name, wrap5x1[A0, A1, A2, A3, A4, R], func(d *D) func(A0, A1, A2, A3, A4) R {
		return func(a0 A0, a1 A1, a2 A2, a3 A3, a4 A4) R { return m(d, a0, a1, a2, a3, a4) }
	})
}

func wrap5x1[A0, A1, A2, A3, A4, R any](fn func(A0, A1, A2, A3, A4) R) reflectx.Func {
	return &func5x1[A0, A1, A2, A3, A4, R]{wrapped[func(A0, A1, A2, A3, A4) R]{fn}}
}

type func5x1[A0, A1, A2, A3, A4, R any] struct {
	wrapped[func(A0, A1, A2, A3, A4) R]
}

func (f *func5x1[A0, A1, A2, A3, A4, R]) Call(args []any) []any {
	return []any{f.fn(args[0].(A0), args[1].(A1), args[2].(A2), args[3].(A3), args[4].(A4))}
}
func (f *func5x1[A0, A1, A2, A3, A4, R]) Call5x1(a0, a1, a2, a3, a4 any) any {
	return f.fn(a0.(A0), a1.(A1), a2.(A2), a3.(A3), a4.(A4))
}
