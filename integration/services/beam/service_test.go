package beam

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// patience is far above what anything here takes on a busy machine.
const patience = 4 * time.Minute

// python names the Python with apache-beam.
func python(t *testing.T) string {
	t.Helper()
	p := os.Getenv("DAPPLE_BEAM")
	if p == "" {
		t.Skip("missing: Python with apache-beam; set DAPPLE_BEAM or run make services")
	}
	return p
}

var built struct {
	sync.Once
	path, said string
}

// program builds the command once.
func program(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		dir, err := os.MkdirTemp("", "dapple-expand-")
		if err != nil {
			built.said = err.Error()
			return
		}
		built.path = filepath.Join(dir, "dapple")
		cmd := exec.Command("go", "build", "-o", built.path, "./pipelines/dapple")
		cmd.Dir = "../../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			built.said = fmt.Sprintf("%v\n%s", err, out)
		}
	})
	must.Need(t, built.said == "", "%v", built.said)
	return built.path
}

func TestMain(m *testing.M) {
	beam.Init()
	status := m.Run()
	if built.path != "" {
		_ = os.RemoveAll(filepath.Dir(built.path)) // what is left harms nobody
	}
	os.Exit(status)
}

// service is a dapple expand.
type service struct {
	port string
	pid  int
	log  *bytes.Buffer
	// end ends it, and returns what it and its workers have computed.
	end func() time.Duration
}

func serve(t *testing.T, options ...string) service {
	t.Helper()
	return serveBy(t, program(t), options...)
}

func serveBy(t *testing.T, program string, options ...string) service {
	t.Helper()
	cmd := exec.Command(program, append([]string{"expand", "--port=0", "--until_eof"}, options...)...)
	s := service{log: &bytes.Buffer{}}
	cmd.Stderr = s.log
	in := must.Value(cmd.StdinPipe())(t)
	out := must.Value(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must.Need(t, err == nil, "%v, %v", err, s.log)
	s.port, s.pid = strings.TrimSpace(strings.TrimPrefix(line, "listening on localhost:")), cmd.Process.Pid
	s.end = sync.OnceValue(func() time.Duration {
		_ = in.Close() // which ends it
		err := cmd.Wait()
		must.Hold(t, err == nil, "the service: %v\n%s", err, s.log)
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	})
	t.Cleanup(func() { s.end() })
	return s
}

// workers lists the processes that a process has started.
func workers(t *testing.T, pid int) (pids []int) {
	t.Helper()
	children := must.Value(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)))(t)
	for _, c := range children {
		text, err := os.ReadFile(c)
		if err != nil {
			continue // a thread that has ended
		}
		for _, w := range strings.Fields(string(text)) {
			n := 0
			if _, err := fmt.Sscan(w, &n); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// cpu is the time that processes have computed so far.
func cpu(pids []int) (sum time.Duration) {
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		for _, ticks := range fields[11:13] { // in user mode and in the system
			n, _ := strconv.Atoi(ticks)
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return sum
}

// job is a Python at work.
type job struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// start runs a Python in dir. It finds the package where it is written, and the command.
func start(t *testing.T, dir string, args ...string) *job {
	t.Helper()
	source := must.Value(filepath.Abs("../../../pipelines/python/src"))(t)
	j := &job{cmd: exec.Command(python(t), args...)}
	j.cmd.Dir = dir
	j.cmd.Env = append(os.Environ(), "PYTHONPATH="+source, "DAPPLE="+program(t), "PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=ignore")
	j.cmd.Stdout, j.cmd.Stderr = &j.out, &j.out
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must.Do(t, j.cmd.Start())
	t.Cleanup(func() { _ = syscall.Kill(-j.cmd.Process.Pid, syscall.SIGKILL) }) // it has ended, as a rule
	return j
}

// end waits for a job, and returns what it said.
func (j *job) end(t *testing.T, fine bool) string {
	t.Helper()
	defer time.AfterFunc(patience, func() { _ = j.cmd.Process.Kill() }).Stop()
	if err := j.cmd.Wait(); (err == nil) != fine {
		t.Errorf("%v: %v\n%s", j.cmd.Args[1:], err, j.out.String()[max(0, j.out.Len()-4000):])
	}
	return j.out.String()
}

// computed is what a job that has ended has computed, its service left out.
func (j *job) computed() time.Duration {
	return j.cmd.ProcessState.UserTime() + j.cmd.ProcessState.SystemTime()
}

// script is the path of a Python program of the tests.
func script(t *testing.T, name string) string {
	t.Helper()
	path := must.Value(filepath.Abs(filepath.Join("testdata", name)))(t)
	return path
}

// onPrism are options of Beam for a standalone prism, whose log is in a file.
func onPrism(t *testing.T) (options []string, log string) {
	t.Helper()
	endpoint, log := transformtest.Prism(t)
	return []string{"--runner=PortableRunner", "--job_endpoint=" + endpoint, "--environment_type=LOOPBACK"}, log
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		must.Need(t, time.Since(began) <= patience, "%s: not after %v", what, patience)
	}
}

func copyTo(t *testing.T, dir, from string, change func(string) string) {
	t.Helper()
	b := must.Value(os.ReadFile(from))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, filepath.Base(from)), []byte(change(string(b))), 0o600))
}
