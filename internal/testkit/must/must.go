// Package must ends a test at an error that it does not expect.
package must

import "testing"

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
