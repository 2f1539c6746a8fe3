package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/dapple-dp/dapple/examples/ownmethod/oneway" // what a main of one's own adds
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A method that is compiled into the command is planned, run and named in the statement like the others.
func TestMethodOfOthers(t *testing.T) {
	dir := people(t, 400)
	args := synth("--method=oneway", "--runner=direct")
	for i, a := range args {
		for _, flag := range []string{"--domain=", "--input=", "--output="} {
			if name, ok := strings.CutPrefix(a, flag); ok {
				args[i] = flag + filepath.Join(dir, name)
			}
		}
	}
	said := func(args []string) string {
		out := must.Value(os.Create(filepath.Join(t.TempDir(), "said")))(t)
		defer out.Close()
		must.Equal(t, run(context.Background(), args, out, out), 0, "exit status")
		text := must.Value(os.ReadFile(out.Name()))(t)
		return string(text)
	}
	plan := said(append([]string{"plan", "--json=-"}, args[1:]...))
	for _, want := range []string{`"why": "named in the request"`, `"solve_cpu_seconds": null`} {
		must.Hold(t, strings.Contains(plan, want), "the plan lacks %q:\n%s", want, plan)
	}
	closing := said(append(args, "--quiet"))
	statement, err := os.ReadFile(filepath.Join(dir, "out.release", "_privacy.json"))
	must.Need(t, err == nil, "%v; the run said:\n%s", err, closing)
	must.Hold(t, strings.Contains(string(statement), `"method": "oneway"`), "the statement does not name the method:\n%s", statement)
}
