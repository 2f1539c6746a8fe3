package engines

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// cluster is a Flink whose parts are processes of their own.
type cluster struct{ jar, conf string }

// manager starts a task manager with one slot and the memory that Flink gives one without any configuration.
// The part for the network is given, in MB.
func (c cluster) manager(t *testing.T, network int) *exec.Cmd {
	t.Helper()
	args := []string{"-Xmx512m", "-XX:MaxDirectMemorySize=256m", "-XX:MaxMetaspaceSize=256m", "-cp", c.jar,
		"org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", c.conf}
	for name, value := range map[string]string{
		"cpu.cores": "1", "memory.framework.heap.size": "128m", "memory.framework.off-heap.size": "128m", "memory.task.heap.size": "384m",
		"memory.task.off-heap.size": "0m", "memory.managed.size": "512m", "memory.network.min": fmt.Sprint(network, "m"), "memory.network.max": fmt.Sprint(network, "m"),
		"memory.jvm-metaspace.size": "256m", "memory.jvm-overhead.min": "192m", "memory.jvm-overhead.max": "192m",
	} {
		args = append(args, "-D", "taskmanager."+name+"="+value)
	}
	return java(t, args...)
}

// end kills a part of a cluster; its workers have to notice.
func end(part *exec.Cmd) { _ = syscall.Kill(part.Process.Pid, syscall.SIGKILL) }

// byREST cancels the one job that a Flink runs, as its page does.
func byREST(master string) func(context.Context, string) error {
	return func(ctx context.Context, _ string) error { // Flink has a name of its own for the job
		var running struct {
			Jobs []struct{ ID, Status string }
		}
		ask := func(method, path string) ([]byte, error) {
			r, err := http.NewRequestWithContext(ctx, method, "http://"+master+path, nil)
			if err != nil {
				return nil, err
			}
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				return nil, err
			}
			defer resp.Body.Close()
			if resp.StatusCode >= 300 {
				return nil, errors.New(resp.Status)
			}
			return io.ReadAll(resp.Body)
		}
		list, err := ask(http.MethodGet, "/jobs")
		if err == nil {
			err = json.Unmarshal(list, &running)
		}
		if err != nil {
			return err
		}
		for _, j := range running.Jobs {
			if j.Status == "RUNNING" {
				_, err := ask(http.MethodPatch, "/jobs/"+j.ID+"?mode=cancel")
				return err
			}
		}
		return fmt.Errorf("no job runs: %s", list)
	}
}

// onCluster opens an account on a cluster without task managers, and returns the address of Flink's own port.
func onCluster(t *testing.T) (c cluster, a account, master string) {
	t.Helper()
	port, rest := transformtest.Port(t), transformtest.Port(t)
	conf := configure(t, restarts+fmt.Sprintf("jobmanager.rpc.address: 127.0.0.1\njobmanager.rpc.port: %d\nrest.address: 127.0.0.1\nrest.port: %d\ntaskmanager.host: 127.0.0.1\n"+
		"slot.request.timeout: 15000\nheartbeat.interval: 1000\nheartbeat.timeout: 10000\n", port, rest))
	c = cluster{jars(t, "DAPPLE_FLINK_SERVER"), conf}
	java(t, "-Xmx512m", "-cp", c.jar, "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir", conf)
	master = fmt.Sprint("127.0.0.1:", rest)
	until(t, "the job manager", func() bool {
		conn, err := net.Dial("tcp", master)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return c, onFlink(t, master, conf), master
}

// A cluster of two task managers finishes what one of them has begun and did not live to finish; with none of them, or
// with too little memory for the network, the command says what is missing, and that nothing is spent.
func TestFlinkCluster(t *testing.T) {
	c, a, master := onCluster(t)
	wrong := a
	wrong.endpoint = master
	if said := a.run(t, 2, wrong.at("bad")...); !strings.Contains(said, "nothing was read or written") || !strings.Contains(said, "--endpoint: the server there is not a Beam job service ("+master+" is the REST port of a Flink)") {
		t.Errorf("%s", said)
	}
	a.fails(t, "bad", "no task manager has a free slot")
	small := []*exec.Cmd{c.manager(t, 1), c.manager(t, 1)}
	a.fails(t, "bad", "Insufficient number of network buffers")
	for _, m := range small {
		end(m)
	}

	managers := []*exec.Cmd{c.manager(t, 128), c.manager(t, 128)}
	a.finished(t, "well", a.run(t, 0, a.at("well")...), 1)
	a.cancelled(t, byREST(master), 2)
	for i, tt := range []struct {
		name string
		when func()
	}{
		{"counting", func() { until(t, "a worker", func() bool { return len(a.workers(t)) > 0 }) }},
		{"solving", func() { a.found(t, "dapple-run-*/*.drawn") }},
		{"writing", func() { a.found(t, parts) }},
	} {
		cmd, wait := a.start(t, a.at(tt.name, "--rows=50000000")...)
		tt.when()
		end(managers[i%2])
		managers[i%2] = c.manager(t, 128)
		a.again(t, tt.name, cmd, wait, 3+i)
	}
	for _, m := range managers { // one that has lost the job's other half may keep an idle worker for as long as it lives
		end(m)
	}
	a.over(t)
}

// Records are kept for learned bins, and 54 MB of them reach the solver. In one element for each of two tasks, Flink
// refuses them: "Record too large".
func TestKeptRecords(t *testing.T) {
	c, a, _ := onCluster(t)
	managers := []*exec.Cmd{c.manager(t, 128), c.manager(t, 128)}
	var b strings.Builder
	b.WriteString("privacy_id: none\ncolumns:\n")
	for i := range 10 {
		fmt.Fprintf(&b, "  - {name: c%d, type: INT64, min: 0, max: %d, fallback: 0}\n", i, 1+2*i)
	}
	for i := range 4 {
		fmt.Fprintf(&b, "  - {name: x%d, type: INT64, min: 0, max: 9999, fallback: 0}\n", i)
	}
	must.Do(t, os.WriteFile(filepath.Join(a.dir, "learned.yaml"), []byte(b.String()), 0o600))
	a.run(t, 0, "sample", "--domain=learned.yaml", "--rows=3000000", "--shards=4", "--output=table")
	a.run(t, 0, "synth", "--domain=learned.yaml", "--input=table/*.parquet", "--output=many", "--epsilon=1", "--delta=1e-9", "--expected_rows=3000000", "--rows=1000",
		"--runner=flink", "--endpoint="+a.endpoint, "--environment_type=PROCESS", "--parallelism=2", "--shared")
	a.run(t, 0, "verify", "many")
	for _, m := range managers {
		end(m)
	}
	a.over(t)
}

// People send 430 MB. Beam's runner holds a hundred messages of a bundle until it ends, and one worker that sent all of
// this from one bundle would wait for ever: the file is read in parts, each in a bundle of its own.
func TestLongIDs(t *testing.T) {
	c, a, _ := onCluster(t)
	managers := []*exec.Cmd{c.manager(t, 128), c.manager(t, 128)}
	f := must.Value(os.Create(filepath.Join(a.dir, "long.csv")))(t)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "person_id,sex,age")
	pad := strings.Repeat("x", 4000)
	for i := range 108_000 {
		fmt.Fprintf(w, "%s%d,Male,%d\n", pad, i, i%100)
	}
	must.Do(t, errors.Join(w.Flush(), f.Close()))
	a.run(t, 0, "synth", "--domain=people.yaml", "--input=long.csv", "--output=long", "--epsilon=1", "--delta=1e-9", "--method=dpam", "--rows=1000",
		"--runner=flink", "--endpoint="+a.endpoint, "--environment_type=PROCESS", "--parallelism=2", "--shared")
	a.run(t, 0, "verify", "long")
	for _, m := range managers {
		end(m)
	}
	a.over(t)
}
