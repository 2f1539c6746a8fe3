//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package main

import (
	"fmt"
	"syscall"

	"github.com/dapple-dp/dapple/internal/pipelines"
)

// leastFiles is how many files a run has to be allowed to open at a time: 24 were enough for a small one on two
// processors, with fewer the runner waits for minutes and does not say for what.
const leastFiles = 64

// checkLimits refuses a process that may open too few files.
func checkLimits() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= leastFiles {
		return nil // a system that does not tell is tried
	}
	return pipelines.Faults{{
		Where: "ulimit -n", What: fmt.Sprintf("%d files may be open at a time; a run needs %d", limit.Cur, leastFiles),
		Fix: "raise it, such as by ulimit -n 1024",
	}}
}
