package main

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
)

// profile writes profiles of the process to the files that DAPPLE_CPUPROFILE and DAPPLE_HEAPPROFILE name, for go tool pprof.
// stop ends both. They hold names of functions, times and sizes: they stay with the operator, as logs of runners do.
func profile(stderr io.Writer) (stop func()) {
	create := func(variable string) *os.File {
		name := os.Getenv(variable)
		if name == "" {
			return nil
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			fmt.Fprintf(stderr, "dapple: %s: %v; no profile is written\n", variable, err)
			return nil
		}
		return f
	}
	cpu, heap := create("DAPPLE_CPUPROFILE"), create("DAPPLE_HEAPPROFILE")
	if cpu != nil {
		_ = pprof.StartCPUProfile(cpu) // it fails if a profile is being written, and this is the first
	}
	return func() {
		if cpu != nil {
			pprof.StopCPUProfile()
			_ = cpu.Close() // a profile that is cut off harms nobody
		}
		if heap != nil {
			_ = pprof.Lookup("allocs").WriteTo(heap, 0)
			_ = heap.Close()
		}
	}
}
