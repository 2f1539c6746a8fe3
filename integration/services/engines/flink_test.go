package engines

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// restarts is the configuration of a Flink that starts a job again after a failure, and listens here alone.
const restarts = "jobmanager.bind-host: 127.0.0.1\ntaskmanager.bind-host: 127.0.0.1\nrest.bind-address: 127.0.0.1\n" +
	"restart-strategy: fixed-delay\nrestart-strategy.fixed-delay.attempts: 3\nrestart-strategy.fixed-delay.delay: 1 s\n"

// configure writes a configuration of Flink and returns its directory.
func configure(t *testing.T, conf string) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "flink-conf.yaml"), []byte(conf), 0o600))
	return dir
}

// onFlink opens an account on a Flink at an address, or in the job server itself.
func onFlink(t *testing.T, master, conf string) account {
	t.Helper()
	jar := jars(t, "DAPPLE_FLINK_SERVER")
	return open(t, "flink", serve(t, "-Xmx2g", "-jar", jar, "--flink-master="+master, "--flink-conf-dir="+conf))
}

// One run goes well, and one in Python; one is interrupted while it writes, and the next publishes its release. Each is charged once, and
// no worker and no staging is left. So it is if the job is cancelled by somebody else, or the launcher is killed.
func TestFlink(t *testing.T) {
	a := onFlink(t, "[local]", configure(t, restarts))
	a.finished(t, "well", a.run(t, 0, a.at("well")...), 1)
	t.Run("Python", a.fromPython)
	t.Run("Loopback", a.here)
	t.Run("Domain", a.withoutDomain)
	a.interrupted(t, 2)
	a.over(t)
	a.badWorkers(t)
	t.Run("Cancelled", func(t *testing.T) { a.cancelled(t, a.byServer, 3) })
	t.Run("LauncherKilled", func(t *testing.T) { a.deserted(t, 4) })
}

// The worker is the command itself. Records of people wait in its file, not in Flink: 250 MB of one compressed file are more
// than a bundle may send.
func (a account) here(t *testing.T) {
	f := must.Value(os.Create(filepath.Join(a.dir, "long.csv.gz")))(t)
	w, pad := gzip.NewWriter(f), strings.Repeat("x", 4000)
	fmt.Fprintln(w, "person_id,sex,age")
	for i := range 62_000 {
		fmt.Fprintf(w, "%s%d,Male,%d\n", pad, i, i%100)
	}
	must.Do(t, errors.Join(w.Close(), f.Close()))
	a.run(t, 0, "synth", "--domain=people.yaml", "--input=long.csv.gz", "--output=here", "--epsilon=1", "--delta=1e-9", "--method=dpam", "--rows=1000",
		"--runner=flink", "--endpoint="+a.endpoint, "--parallelism=2")
	a.run(t, 0, "verify", "here")
}

// All workers of a run are killed at once while they write.
func TestKilledWorkers(t *testing.T) {
	a := onFlink(t, "[local]", configure(t, restarts))
	cmd, wait := a.start(t, a.at("killed", "--rows=100000000")...)
	a.found(t, parts)
	must.Hold(t, a.kill(t) != 0, "no worker is there to be killed")
	a.again(t, "killed", cmd, wait, 1)
}

// again waits for a run that has lost workers. Flink starts the job again, or it waits for ever for data of the dead, as
// Beam's job server 2.70 does in BeamFnDataInboundObserver.awaitCompletion. Then Ctrl-C ends the job, and the next run
// publishes its release, if there is one. Either way it is paid for once.
func (a account) again(t *testing.T, output string, cmd *exec.Cmd, wait func() (int, string), charges int) {
	t.Helper()
	defer time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Signal(os.Interrupt) }).Stop() // it fails if all went well
	status, said := wait()
	if status != 0 {
		t.Logf("the job did not go on")
		must.Hold(t, status == 4 && strings.Contains(said, "dapple: interrupted\n"+kept) || status == 1 && strings.Contains(said, "dapple: interrupted\n"+unspent),
			"%s: exit status %d:\n%s", output, status, said)
		said = a.run(t, 0, a.at(output, "--rows=10")...)
	}
	a.finished(t, output, said, charges)
}
