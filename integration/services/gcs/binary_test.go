package gcs

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

// The real command goes from objects to objects, and leaves nothing on this machine.
func TestCommand(t *testing.T) {
	shop(t)
	binary := must.Value(program.Build("../../..", t.TempDir()))(t)
	temp := t.TempDir()
	dapple := func(want int, args ...string) string {
		t.Helper()
		c := exec.Command(binary, args...)
		c.Dir, c.Env = t.TempDir(), append(os.Environ(), "TMPDIR="+temp)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		_ = c.Run() // its status is what counts
		got := c.ProcessState.ExitCode()
		must.Need(t, got == want, "%v: status %d, want %d\n%s", args, got, want, out.String())
		return out.String()
	}
	request := []string{"--domain=gs://shop/domain.yaml", "--input=gs://shop/in/*.csv", "--output=gs://shop/out", "--epsilon=1", "--delta=1e-6", "--rows=200"}
	dapple(0, append([]string{"plan"}, request...)...)
	out := dapple(0, append(request, "--quiet", "--store=gs://release/temp")...)
	must.Hold(t, strings.Contains(out, "wrote   200 rows to gs://shop/out/*.parquet (1 file, ") && strings.Contains(out, "report  gs://shop/out.release/_report.html"),
		"%v", out)
	complete(t, "gs://shop/out", 200)
	dapple(0, "sample", "--model=gs://shop/out", "--output=gs://shop/more", "--rows=50", "--quiet")
	complete(t, "gs://shop/more", 50)
	must.Hold(t, dapple(0, "evaluate", "--domain=gs://shop/domain.yaml", "--input=gs://shop/in/customers.csv", "--synthetic=gs://shop/out") != "",
		"evaluate says nothing")
	for range 2 { // a file that is there is replaced
		dapple(0, "evaluate", "--domain=gs://shop/domain.yaml", "--input=gs://shop/in/customers.csv", "--synthetic=gs://shop/out", "--json=gs://shop/errors.json")
		b, err := files.ReadAll(ctx, "gs://shop/errors.json", 1<<20)
		must.Hold(t, err == nil && json.Valid(b), "the figures: %v, %d bytes", err, len(b))
	}
	figures := []string{"evaluate", "--domain=gs://shop/domain.yaml", "--input=gs://shop/in/customers.csv", "--synthetic=gs://shop/out"}
	must.Contain(t, dapple(2, append(figures, "--json=gs://nowhere/x.json")...), `--json: bucket "nowhere" does not exist; create it, or check the name`)
	if out := dapple(2, append(figures, "--json=gs://shop/a?b")...); !strings.Contains(out, "--json: gs://shop/a?b: the characters ? # % [ ] are not allowed in names of objects") {
		t.Error(out)
	}
	propose := []string{"infer", "--input=gs://shop/in/customers.csv", "--privacy_id=none", "--output=gs://shop/proposed.yaml"}
	must.Contain(t, dapple(0, propose...), "wrote gs://shop/proposed.yaml: review it")
	b, err := files.ReadAll(ctx, "gs://shop/proposed.yaml", 1<<20)
	must.Hold(t, err == nil && strings.Contains(string(b), "plan"), "the proposal: %v, %q", err, b)
	must.Contain(t, dapple(2, propose...), "--output: gs://shop/proposed.yaml is there already; set --overwrite, or name another file")
	must.Contain(t, dapple(0, append(propose, "--overwrite")...), "wrote gs://shop/proposed.yaml: review it")
	must.Contain(t, dapple(2, append(propose[:3:3], "--output=gs://nowhere/x.yaml")...), `--output: bucket "nowhere" does not exist`)
	must.Contain(t, dapple(0, "infer", "--input=gs://shop/in/customers.csv", "--privacy_id=none"), "customer")
	if out := dapple(2, append([]string{"synth"}, request...)...); !strings.Contains(out, "--output: gs://shop/out is not empty: it holds the output of an earlier run; set --overwrite, or name another directory") {
		t.Error(out)
	}
	left, err := os.ReadDir(temp)
	must.Hold(t, err == nil && len(left) == 0, "left on this machine: %v, %v", left, err)
	if left, err := files.Names(ctx, "gs://release/temp"); err != nil || len(left) != 0 {
		t.Errorf("left in the directory for temporary files: %v, %v", left, err)
	}
}

// A run that cannot publish says that its budget is spent, and leaves its release alone, which the next run
// publishes.
func TestRunThatCannotPublish(t *testing.T) {
	s, c := shop(t)
	p := startProxy(t, s)
	p.inject(copied, denied, 2, 1000) // after those that the launch tries
	_, err := run(t, c)
	must.Hold(t, err != nil && strings.Contains(err.Error(), "not allowed; grant this account roles/storage.objectUser on bucket \"shop\"") && strings.Contains(err.Error(), "its release is kept: the same command, also with another --output, publishes it and spends nothing more") && strings.Contains(err.Error(), "`gcloud storage rm -r gs://shop/out.release/_tmp/"),
		"%v", err)
	p.inject(copied, denied, 0, 0)
	for _, name := range names(t, s, "shop") {
		must.Hold(t, !strings.HasPrefix(name, "out") || strings.Contains(name, "-release/"), "left behind: %s", name)
	}
	res := mustRun(t, c)
	must.Hold(t, strings.Contains(res.Written.Adopted, "the table was not read again, and no more budget is spent"),
		"the release was not taken up: %q", res.Written.Adopted)
	complete(t, c.Output, res.Written.Rows)
	for _, name := range names(t, s, "shop") {
		must.Hold(t, !strings.Contains(name, "_tmp/"), "left after the release was published: %s", name)
	}
}
