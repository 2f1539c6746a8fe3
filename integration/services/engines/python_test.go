package engines

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// fromPython runs a pipeline in Python on Flink, with workers of dapple expand. Flink may start it again, so that it has a
// store, which holds one release in the end.
func (a account) fromPython(t *testing.T) {
	python := os.Getenv("DAPPLE_BEAM")
	if python == "" {
		t.Skip("missing: Python with apache-beam; set DAPPLE_BEAM, or run make services first")
	}
	service := exec.Command(a.program, "expand", "--port=0", "--until_eof")
	in := must.Value(service.StdinPipe())(t)
	out, err := service.StdoutPipe()
	if err == nil {
		err = service.Start()
	}
	must.Do(t, err)
	defer func() {
		_ = in.Close() // which ends it
		must.Pass(t, service.Wait(), "the service")
	}()
	line := must.Value(bufio.NewReader(out).ReadString('\n'))(t)
	address, store := strings.TrimSpace(strings.TrimPrefix(line, "listening on ")), filepath.Join(t.TempDir(), "store")
	job := exec.Command(python, "../beam/testdata/job.py", "1000", "50", address, store,
		"--runner=PortableRunner", "--job_endpoint="+a.endpoint, "--environment_type=LOOPBACK")
	job.Env = append(os.Environ(), "PYTHONPATH=../../../pipelines/python/src", "PYTHONDONTWRITEBYTECODE=1")
	defer time.AfterFunc(patience, func() { _ = job.Process.Kill() }).Stop()
	said, err := job.CombinedOutput()
	must.Hold(t, err == nil && strings.Contains(string(said), "rows 50\n"), "%v\n%s", err, said)
	list, err := filepath.Glob(filepath.Join(store, "*.release"))
	must.Hold(t, err == nil && len(list) == 1, "releases %v, %v", list, err)
}
