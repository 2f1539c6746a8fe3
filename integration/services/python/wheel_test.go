package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// mostBytes of a wheel, which people download with every installation.
const mostBytes = 45 << 20

// TestWheel makes the wheel of this machine, installs it into a fresh environment, and runs the package's tests and
// mypy there. The program in it is built as for the other tests; make wheel strips it further.
func TestWheel(t *testing.T) {
	python := os.Getenv("DAPPLE_PYTHON")
	if python == "" {
		t.Skip("missing: Python with pyarrow and others; set DAPPLE_PYTHON or run make services")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	platform := runtime.GOOS + "/" + runtime.GOARCH
	run(t, root, "go", "build", "-o", filepath.Join(dir, "dapple-"+strings.ReplaceAll(platform, "/", "-")), "./pipelines/dapple")
	run(t, root, "make", "packed", "PLATFORMS="+platform, "RELEASED="+dir)
	wheels, err := filepath.Glob(filepath.Join(dir, "dapple-*.whl"))
	if err != nil || len(wheels) != 1 {
		t.Fatalf("wheels %v, %v", wheels, err)
	}
	info, err := os.Stat(wheels[0])
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostBytes {
		t.Errorf("the wheel has %d MiB, want at most %d", info.Size()>>20, mostBytes>>20)
	}
	env := filepath.Join(dir, "env")
	run(t, dir, python, "-m", "venv", env)
	fresh := filepath.Join(env, "bin", "python")
	run(t, dir, fresh, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps", wheels[0])
	others := output(t, dir, python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
	at := output(t, dir, fresh, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
	if err := os.WriteFile(filepath.Join(at, "others.pth"), []byte(others+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := output(t, dir, filepath.Join(env, "bin", "dapple"), "--version"); !strings.Contains(got, "v0.1.0") {
		t.Errorf("the installed command says %q", got)
	}
	t.Log(output(t, dir, fresh, "-W", "error::ResourceWarning", filepath.Join(root, "pipelines/python/tests/test_dapple.py")))
	run(t, filepath.Join(root, "pipelines/python"), fresh, "-m", "mypy", "--cache-dir", filepath.Join(dir, "mypy"))
}

// output returns what a command prints, without the DAPPLE of whoever runs the test.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "DAPPLE=", "PYTHONPATH=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	_ = output(t, dir, name, args...)
}
