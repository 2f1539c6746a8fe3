//go:build !(linux && amd64)

package crash

// plan says what happens to a process, where there is a tracer.
type plan struct {
	At     int
	Do     string
	Code   int
	Within string
	Log    string
	Draws  string
}

const (
	role     = "DAPPLE_CRASH_ROLE"
	planText = "DAPPLE_CRASH_PLAN"
)

func canTrace() string { return "the tracer is for Linux on amd64" }
