// Package must says what has to be true in a test. What is not so ends the test (Do, Value, Need) or marks it as failed (Pass,
// Passes, Hold, Equal, List, Contain, Fail, Fails).
package must

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Value returns what returns the value of a call, or ends the test with the error of the call: Value(os.Open(name))(t).
func Value[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Do ends the test with an error, if there is one.
func Do(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Need ends the test, with the words of a format, if something does not hold. The arguments are evaluated either way.
func Need(t testing.TB, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		t.Fatalf(format, args...)
	}
}

// Pass marks the test as failed if there is an error. What was tried may be named: a format and its arguments.
func Pass(t testing.TB, err error, about ...any) {
	t.Helper()
	Hold(t, err == nil, "%s%v", named(about), err)
}

// Passes is Pass for a call that returns a value, too.
func Passes[T any](_ T, err error) func(t testing.TB, about ...any) {
	return func(t testing.TB, about ...any) {
		t.Helper()
		Pass(t, err, about...)
	}
}

// Hold marks the test as failed, with the words of a format, if something does not hold. The arguments are evaluated either way.
func Hold(t testing.TB, ok bool, format string, args ...any) {
	if !ok {
		t.Helper()
		t.Errorf(format, args...)
	}
}

// Equal marks the test as failed if two values differ. What is compared may be named: a format and its arguments.
func Equal[T comparable](t testing.TB, got, want T, about ...any) {
	t.Helper()
	Hold(t, got == want, "%sgot %v, want %v", named(about), got, want)
}

// List is Equal for slices.
func List[S ~[]T, T comparable](t testing.TB, got, want S, about ...any) {
	t.Helper()
	Hold(t, slices.Equal(got, want), "%sgot %v, want %v", named(about), got, want)
}

// Contain marks the test as failed if a text lacks another.
func Contain(t testing.TB, got, want string, about ...any) {
	t.Helper()
	Hold(t, strings.Contains(got, want), "%sgot\n%s\nwant %q in it", named(about), got, want)
}

// Fail marks the test as failed unless there is an error that holds a text. What was tried may be named, as for Equal.
func Fail(t testing.TB, err error, text string, about ...any) {
	t.Helper()
	Hold(t, err != nil && strings.Contains(err.Error(), text), "%sgot %v, want an error with %q", named(about), err, text)
}

// Fails is Fail for a call that returns a value, too: Fails(os.Open(name))(t, "no such file").
func Fails[T any](_ T, err error) func(t testing.TB, text string, about ...any) {
	return func(t testing.TB, text string, about ...any) {
		t.Helper()
		Fail(t, err, text, about...)
	}
}

// named is written only where the test fails.
type named []any

func (about named) String() string {
	if len(about) == 0 {
		return ""
	}
	return fmt.Sprintf(fmt.Sprint(about[0]), about[1:]...) + ": "
}
