package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// told passes on what is written.
type told chan string

func (c told) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}

// A service that takes long is named; no service is waited for in silence or noted in vain.
func TestServicesAreNamed(t *testing.T) {
	t.Setenv("BIGQUERY_EMULATOR_HOST", "")
	t.Setenv("STORAGE_EMULATOR_HOST", "http://localhost:4443")
	both := []string{"--input=bq://p.d.t", "--release=gs://b/r"}
	if got := emulatorNotes(both); got != "dapple: note: STORAGE_EMULATOR_HOST is set: Cloud Storage is http://localhost:4443, for all that is read and written\n" {
		t.Error(got)
	}
	must.Equal(t, emulatorNotes([]string{"--output=out"}), "", "noted of local files")
	said := make(told, 1)
	sayIfSlow(said, 0, servicesOf(both))
	got := <-said
	must.Hold(t, strings.HasPrefix(got, "dapple: waiting for an answer of BigQuery or Cloud Storage"), "%v", got)
	sayIfSlow(said, 0, servicesOf([]string{"--output=out"}))() // a channel that is full would block it
}

// What keeps a run from beginning on this machine is named for what it is.
func TestMachineFaults(t *testing.T) {
	dir := people(t, 10)
	dappleWith(t, dir, filepath.Join(dir, "nowhere"), synth()...).want(t, 2, "TMPDIR: ", "nowhere cannot be written to: no such file or directory; set TMPDIR")
	script := fmt.Sprintf("ulimit -n 12; exec '%s' %s", binary, strings.Join(synth(), " "))
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "ulimit -n: 12 files may be open at a time; a run needs 64; raise it") {
		t.Errorf("exit status %d: %s", cmd.ProcessState.ExitCode(), out)
	}
	if err := exec.Command("ln", "-s", "away", filepath.Join(dir, "out")).Run(); err != nil {
		t.Skipf("missing: links: %v", err)
	}
	dapple(t, dir, synth()...).want(t, 2, "--output: out is a link to away, which is not there; make that directory")
}
