package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

// workspace is a copy of the repository to break.
type workspace struct{ dir string }

func newWorkspace(root string) (*workspace, error) {
	dir, err := os.MkdirTemp("", "dapple-mutation-")
	if err != nil {
		return nil, err
	}
	w := &workspace{dir}
	if err := os.CopyFS(dir, sources{os.DirFS(root)}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return w, nil
}

func (w *workspace) remove() { os.RemoveAll(w.dir) }

// sources hides what no test reads: version control and outputs.
type sources struct{ fs.FS }

func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	if name != "." {
		return entries, err
	}
	var kept []fs.DirEntry
	for _, e := range entries {
		if n := e.Name(); !strings.HasPrefix(n, ".") && n != "bin" && n != "out" {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// outcome is what became of one defect.
type outcome struct {
	verdict string
	output  string
}

// The verdicts.
const (
	found    = "found"
	survived = "SURVIVED"
	invalid  = "INVALID" // does not apply, does not compile, another test failed, or time ran out
)

// try lets a defect of the shared build act, and runs its test.
func (w *workspace) try(d defect) outcome {
	return d.judge(w.runBuilt(d.pkg(), "^"+d.test+"$", d.number))
}

// tryAlone builds a defect in, runs its test, and takes it out again.
func (w *workspace) tryAlone(d defect) outcome {
	text, err := d.applied(w.dir)
	if err != nil {
		return outcome{invalid, err.Error()}
	}
	file := filepath.Join(w.dir, filepath.FromSlash(d.file))
	whole, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o644)
	}
	if err != nil {
		return outcome{invalid, err.Error()}
	}
	output, failed := w.test(d.pkg(), "^"+d.test+"$")
	if err := os.WriteFile(file, whole, 0o644); err != nil {
		return outcome{invalid, err.Error()}
	}
	return d.judge(output, failed)
}

// judge says what the result of a defect's test means.
func (d defect) judge(output string, failed error) outcome {
	switch {
	case failed == nil:
		return outcome{survived, output}
	case strings.Contains(output, "panic: test timed out"): // a slow machine finds nothing
		return outcome{invalid, output}
	case strings.Contains(output, "--- FAIL: "+d.test) || strings.Contains(output, "panic: "):
		return outcome{found, output}
	}
	return outcome{invalid, output}
}

// test runs the tests that match a pattern. -trimpath lets the copies share the build cache.
func (w *workspace) test(pkg, pattern string) (output string, err error) {
	dir, pkg := repo.Module(w.dir, pkg)
	return run(dir, nil, "go", "test", "-trimpath", "-vet=off", "-short", "-failfast", "-count=1", "-timeout="+patience, "-run", pattern, pkg)
}

// patience is how long a test may take.
const patience = "6m"

// command is the package of the program, which its tests run.
const command = "pipelines/dapple"

// build compiles the tests of a package, and the program once for all of them.
func (w *workspace) build(pkg string) (output string, err error) {
	dir, rest := repo.Module(w.dir, pkg)
	if pkg == command {
		if output, err = run(dir, nil, "go", "build", "-trimpath", "-tags=osusergo,disable_grpc_modules", "-ldflags=-s -w", "-o", w.program(), rest); err != nil {
			return output, err
		}
	}
	return run(dir, nil, "go", "test", "-c", "-trimpath", "-vet=off", "-ldflags=-s -w", "-o", w.binary(pkg), rest)
}

// runBuilt runs the tests that match a pattern, as they were built, with one defect; 0 is none.
func (w *workspace) runBuilt(pkg, pattern string, number int) (output string, err error) {
	return run(filepath.Join(w.dir, filepath.FromSlash(pkg)), []string{acting + "=" + strconv.Itoa(number), "DAPPLE_TEST_PROGRAM=" + w.program()},
		w.binary(pkg), "-test.short", "-test.failfast", "-test.timeout="+patience, "-test.run", pattern)
}

// run runs a program, and returns all that it prints.
func run(dir string, env []string, name string, args ...string) (output string, err error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// program is where the program is built for its tests.
func (w *workspace) program() string { return filepath.Join(w.dir, "bin", "dapple") }

// binary is where the tests of a package are built.
func (w *workspace) binary(pkg string) string {
	return filepath.Join(w.dir, "bin", strings.ReplaceAll(pkg, "/", "_")+".test")
}
