package beam

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// Beam's boot program, which containers start with, gets the command as an artifact of the service, and runs it with a
// file of the options of a pipeline in Python. There is no container: prism starts the boot program as a process.
func TestBoot(t *testing.T) {
	_ = python(t)
	endpoint, config := transformtest.Processes(t)
	var boot struct{ Command string }
	must.Do(t, json.Unmarshal([]byte(config), &boot))
	s := serve(t, "--env=docker")
	said := start(t, t.TempDir(), script(t, "boot.py"), boot.Command, "1000", "50", "localhost:"+s.port, "",
		"--runner=PortableRunner", "--job_endpoint="+endpoint, "--environment_type=LOOPBACK").end(t, true)
	must.Hold(t, strings.Contains(said, "rows 50\n") && strings.Contains(said, "replaced ['beam:env:docker:v1']") && len(workers(t, s.pid)) <= 0, "%v", said)
}
