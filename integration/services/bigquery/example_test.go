package bigquery

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The example program makes one table of another.
func TestExampleProgram(t *testing.T) {
	r := newRig(t, false)
	c := shop(t, r)
	bin := built(t, "./examples/bigquery")
	ctx := services.Deadline(t)
	out, err := exec.CommandContext(ctx, bin, "-domain", c.Domain, "-from", c.Input, "-to", c.Output, "-release", c.Release,
		"-emulator", r.Endpoint).CombinedOutput()
	must.Need(t, err == nil && strings.Contains(string(out), " rows to bq://test.d.out (load job dapple_"), "%v\n%s", err, out)
}

// built returns a program of the project. Where nothing is compiled yet it takes some minutes.
func built(t *testing.T, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", bin, pkg)
	build.Dir = filepath.Join("..", "..", "..")
	out, err := build.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	return bin
}

// The command finds an emulator by its variable.
func TestCommandFromTableToTable(t *testing.T) {
	r := newRig(t, true)
	c := shop(t, r)
	bin := built(t, "./pipelines/dapple")
	ctx := services.Deadline(t)
	t.Setenv("BIGQUERY_EMULATOR_HOST", strings.TrimPrefix(r.Endpoint, "http://"))
	for _, row := range []struct {
		args string
		want string
	}{
		{"plan --domain=" + c.Domain + " --input=bq://test.d.shop --output=bq://test.d.out --release=" + c.Release + " --epsilon=1 --delta=1e-6 --json=-", "output    bq://test.d.out, write=empty; one load job of one file from this machine"},
		{"synth --domain=" + c.Domain + " --input=bq://test.d.shop --output=bq://test.d.out --release=" + c.Release + " --epsilon=1 --delta=1e-6 --rows=150 --quiet", "wrote   150 rows to bq://test.d.out"},
		{"sample --model=" + filepath.Join(c.Release, "_model.arrow") + " --output=bq://test.d.out --write=append --rows=20 --quiet", "wrote   20 rows to bq://test.d.out"},
		{"evaluate --domain=" + c.Domain + " --input=bq://test.d.shop --synthetic=bq://test.d.out", "170"},
		{"infer --input=bq://test.d.shop --privacy_id=customer", "{name: age, type: INT64"},
	} {
		out, err := exec.CommandContext(ctx, bin, strings.Fields(row.args)...).CombinedOutput()
		must.Hold(t, err == nil && strings.Contains(string(out), row.want), "%s: %v\n%s", row.args, err, out)
	}
}
