// Package crash runs the command under a tracer, which lets one file operation of it fail: it kills the process
// before the operation, gives an error in its place, shortens a write, or sends a signal. Afterwards the output is
// either the older release or the new one, the command has said which, and the same command finishes the work.
//
// The tracer is this test's own program again, twice: as the tracer, and as the process that asks the kernel to stop at
// file operations (seccomp) before it becomes the command. It needs Linux on amd64.
package crash
