package transformtest

import (
	"runtime"
	"syscall"
	"testing"
)

// Port returns a port of 127.0.0.1 for a program that the test starts. Until the test ends the port is bound
// and not listened on, so that Linux gives it to nobody who asks for any port, whatever else runs on the
// machine, and lets the program listen, as servers in Go ask it to. Elsewhere the port was free a moment ago.
func Port(t testing.TB) int {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	release := func() {
		if err := syscall.Close(fd); err != nil {
			t.Error(err)
		}
	}
	if runtime.GOOS == "linux" {
		t.Cleanup(release)
	} else {
		defer release()
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return bound.(*syscall.SockaddrInet4).Port
}
