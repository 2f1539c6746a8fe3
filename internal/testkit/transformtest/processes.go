package transformtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal" // the runner that talks to a job server
)

// RunInProcesses runs p with prism and every worker in processes of their own, as on a cluster: what
// only works because memory, flags or registrations are shared fails here. The workers run this test
// binary. It skips the test, naming what is missing, where Beam's programs cannot be built.
func RunInProcesses(t *testing.T, p *beam.Pipeline) {
	t.Helper()
	worker, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	endpoint, config := Processes(t)
	set(t, jobopts.Endpoint, endpoint)
	set(t, jobopts.EnvironmentType, "PROCESS")
	set(t, jobopts.EnvironmentConfig, config)
	set(t, jobopts.WorkerBinary, worker)
	if err := RunOn("universal", p); err != nil {
		t.Fatalf("pipeline with workers in processes failed: %.4000v", err)
	}
}

// Processes starts prism, and returns its address and the configuration of an environment of processes. It skips
// the test, naming what is missing, if Beam's programs cannot be built.
func Processes(t *testing.T) (endpoint, config string) {
	t.Helper()
	dir := t.TempDir()
	boot := build(t, dir, "boot", "github.com/apache/beam/sdks/v2/go/container")
	script := filepath.Join(dir, "boot.sh")
	if err := os.WriteFile(script, []byte(bootScript(boot, dir)), 0o755); err != nil {
		t.Fatal(err)
	}
	endpoint, _ = Prism(t)
	return endpoint, fmt.Sprintf(`{"command":%q}`, script)
}

// Prism starts prism in a process of its own, and returns its address and the file with its log. It skips the test if it
// cannot be built.
func Prism(t *testing.T) (endpoint, log string) {
	t.Helper()
	return start(t, build(t, t.TempDir(), "prism", "github.com/apache/beam/sdks/v2/go/cmd/prism"))
}

// build builds a program of the Beam version that this module uses. A copy of go.mod takes up the
// program's own requirements, which the module itself does not have.
func build(t *testing.T, dir, name, pkg string) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Skipf("missing: the go command (%v)", err)
	}
	mod := filepath.Dir(string(root))
	for _, f := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(mod, f))
		if err != nil {
			t.Skipf("missing: the module's %s (%v)", f, err)
		}
		if err := os.WriteFile(filepath.Join(dir, f), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-mod=mod", "-modfile="+filepath.Join(dir, "go.mod"), "-o", out, pkg)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("missing: Beam's program %s, which did not build: %v\n%s", pkg, err, text)
	}
	return out
}

// bootScript strips the quotes that prism puts around arguments, without which boot does not find its
// worker and the job hangs.
func bootScript(boot, dir string) string {
	return fmt.Sprintf(`#!/bin/sh
for a in "$@"; do
	shift
	set -- "$@" "$(printf %%s "$a" | tr -d "'")"
done
exec %q --semi_persist_dir=%q "$@"
`, boot, filepath.Join(dir, "staged"))
}

// start starts prism in a process group of its own, which is killed when the test ends: workers outlive
// their job.
func start(t *testing.T, prism string) (endpoint, logged string) {
	t.Helper()
	port := Port(t)
	cmd := exec.Command(prism, fmt.Sprint("-job_port=", port), "-serve_http=false")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir = t.TempDir() // workers write files where they are started
	log, err := os.Create(filepath.Join(t.TempDir(), "prism.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it fails if all have ended
		_ = cmd.Wait()                                      // a killed process is an error
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("end of the job server's log:\n%s", text[max(0, len(text)-4000):])
		}
	})
	endpoint = fmt.Sprint("127.0.0.1:", port)
	await(t, endpoint)
	return endpoint, log.Name()
}

func await(t *testing.T, endpoint string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // it takes less than a second
	defer cancel()
	for {
		if c, err := net.Dial("tcp", endpoint); err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal("the job server did not open its port")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// set sets a flag of Beam's for the time of the test.
func set(t *testing.T, flag *string, value string) {
	old := *flag
	*flag = value
	t.Cleanup(func() { *flag = old })
}

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
