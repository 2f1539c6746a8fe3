//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package main

// checkLimits does nothing on systems without a limit of open files.
func checkLimits() error { return nil }
