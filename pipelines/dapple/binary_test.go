package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var update = flag.Bool("update", false, "write the golden files anew")

// binary is the command as people run it, built once; DAPPLE_TEST_PROGRAM names one that is built already.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	if binary = os.Getenv("DAPPLE_TEST_PROGRAM"); binary != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "dapple-test-")
	if err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "dapple")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-tags=osusergo,disable_grpc_modules", "-o", binary, ".").CombinedOutput(); err != nil {
		log.Printf("go build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// patience is far above what any command of these tests takes on a busy machine: some seconds.
const patience = 5 * time.Minute

// ended is a command that is over.
type ended struct {
	stdout, stderr string
	status         int
}

// dapple runs the command in dir to its end.
func dapple(t *testing.T, dir string, args ...string) ended {
	t.Helper()
	return dappleWith(t, dir, os.TempDir(), args...)
}

// dappleWith is dapple with a temporary directory of its own.
func dappleWith(t *testing.T, dir, temp string, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	must.Need(t, ctx.Err() == nil, "dapple %s: not done after %v", strings.Join(args, " "), patience)
	exit := (*exec.ExitError)(nil)
	must.Need(t, err == nil || errors.As(err, &exit), "%v", err)
	return ended{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// want fails if the command did not end with status, or stderr lacks one of the texts.
func (e ended) want(t *testing.T, status int, texts ...string) {
	t.Helper()
	must.Hold(t, e.status == status, "exit status %d, want %d", e.status, status)
	for _, text := range texts {
		must.Hold(t, strings.Contains(e.stderr, text), "standard error lacks %q", text)
	}
	if t.Failed() {
		t.Logf("standard output:\n%sstandard error:\n%s", e.stdout, e.stderr)
	}
}

const peopleDomain = `privacy_id: person_id
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: age, type: INT64, min: 0, max: 100, bins: 5, null: true}
  - {name: income, type: FLOAT64, min: 0, max: 100000, bins: 4, fallback: 0}
  - {name: day, type: DATE, min: 2024-01-01, max: 2024-12-31, step: quarter, fallback: 2024-01-01}
`

const peopleHeader = "person_id,sex,age,income,day\n"

// people makes a directory with people.yaml and people.csv of n records of n/2 people.
func people(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(peopleHeader)
	for i := range n {
		fmt.Fprintf(&b, "p%d,%s,%d,%d,2024-%02d-15\n", i/2, []string{"Female", "Male"}[i/2%2], i*7%100, i*977%100000, 1+i%12)
	}
	return tableOf(t, b.String())
}

// tableOf makes a directory with people.yaml and the given people.csv.
func tableOf(t *testing.T, csv string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "people.yaml", peopleDomain)
	put(t, dir, "people.csv", csv)
	return dir
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
}

// synth is a request without fault in a directory of people, with more flags after it.
func synth(more ...string) []string {
	return append([]string{"synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--epsilon=1", "--delta=1e-9", "--shards=3"}, more...)
}

// names lists what a directory holds; nil if it is not there.
func names(t *testing.T, dir string) []string {
	t.Helper()
	paths := must.Value(filepath.Glob(filepath.Join(dir, "*")))(t)
	var out []string
	for _, p := range paths {
		out = append(out, filepath.Base(p))
	}
	return out
}

// noOutput fails if dir holds anything that a reader could take for output.
func noOutput(t *testing.T, dir string) {
	t.Helper()
	for _, dir := range []string{dir, dir + ".release"} {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is there, with %v", filepath.Base(dir), names(t, dir))
		}
	}
}
