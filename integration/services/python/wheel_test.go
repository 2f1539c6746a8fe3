package python

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// mostBytes of a wheel, which people download with every installation.
const mostBytes = 45 << 20

const root = "../../.."

// wheel makes the wheel of this machine once, and installs it into a fresh environment, whose Python it returns. Other
// packages come from DAPPLE_PYTHON. The program in it is built as for the other tests; make wheel strips it further.
var wheel = sync.OnceValues(func() (fresh string, err error) {
	python := os.Getenv("DAPPLE_PYTHON")
	dir, err := os.MkdirTemp("", "dapple-wheel-")
	if err != nil {
		return "", err
	}
	made = dir
	env, platform := filepath.Join(dir, "env"), runtime.GOOS+"/"+runtime.GOARCH
	do := func(name string, args ...string) {
		if err == nil {
			_, err = said(root, name, args...)
		}
	}
	do("go", "build", "-o", filepath.Join(dir, "dapple-"+strings.ReplaceAll(platform, "/", "-")), "./pipelines/dapple")
	do("make", "packed", "PLATFORMS="+platform, "RELEASED="+dir)
	wheels, _ := filepath.Glob(filepath.Join(dir, "dapple-*.whl")) // the pattern is sound
	if err == nil && len(wheels) != 1 {
		err = fmt.Errorf("wheels %v", wheels)
	}
	do(python, "-m", "venv", env)
	fresh = filepath.Join(env, "bin", "python")
	do(fresh, append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--no-deps"}, wheels...)...)
	if err != nil {
		return "", err
	}
	const purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
	others, err := said(root, python, "-c", purelib)
	if err != nil {
		return "", err
	}
	at, err := said(root, fresh, "-c", purelib)
	if err != nil {
		return "", err
	}
	return fresh, os.WriteFile(filepath.Join(at, "others.pth"), []byte(others+"\n"), 0o600)
})

var made string // the directory of wheel

// TestMain runs the tests in a temporary directory of their own, since they look at what is left there.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "dapple-package-")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	_ = os.RemoveAll(dir) // what is left harms nobody
	os.Exit(status)
}

// installed returns the Python that has the wheel.
func installed(t *testing.T) string {
	t.Helper()
	if os.Getenv("DAPPLE_PYTHON") == "" {
		t.Skip("missing: Python with pyarrow and others; set DAPPLE_PYTHON or run make services")
	}
	fresh := must.Value(wheel())(t)
	return fresh
}

// TestWheel runs the package's tests and mypy where the wheel is installed.
func TestWheel(t *testing.T) {
	fresh := installed(t)
	wheels := must.Value(filepath.Glob(filepath.Join(made, "dapple-*.whl")))(t)
	fits(t, wheels[0])
	must.Contain(t, output(t, t.TempDir(), filepath.Join(filepath.Dir(fresh), "dapple"), "--version"), "v0.1.0", "the installed command")
	test := must.Value(filepath.Abs(root + "/pipelines/python/tests/test_dapple.py"))(t)
	t.Log(output(t, t.TempDir(), fresh, "-W", "error::ResourceWarning", test))
	_ = output(t, root+"/pipelines/python", fresh, "-m", "mypy", "--cache-dir", t.TempDir())
}

// TestNotebook runs docs/tutorials/notebook.ipynb where the wheel is installed: five lines to a picture of the real beside the
// synthetic, and what a notebook shows of a release.
func TestNotebook(t *testing.T) {
	fresh, dir := installed(t), t.TempDir()
	script := must.Value(filepath.Abs("testdata/notebook.py"))(t)
	book := must.Value(filepath.Abs(root + "/docs/tutorials/notebook.ipynb"))(t)
	_ = output(t, root, "go", "run", "./examples/visits", "-people", "5000", "-seed", "1", "-out", filepath.Join(dir, "visits.csv"))
	got := output(t, dir, fresh, script, book)
	for _, want := range []string{`pictures: \[\['real', 'synthetic'\]\]`, `Release: \d{4,} letters`, `Domain: \d{3,} letters`, `Answers: .*Female`, `DataFrame: \d{3,} letters`} {
		must.Hold(t, regexp.MustCompile(want).MatchString(got), "no %s in\n%s", want, got)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	must.Hold(t, err == nil && len(left) == 1, "left behind: %v, %v", left, err)
}

// TestCost: a call computes at most 1.2 times as much as the command, on 1,000,000 rows; make bench runs it so. Of fewer rows the
// libraries' own start is a larger part.
func TestCost(t *testing.T) {
	fresh, rows, most := installed(t), "300000", 1.5
	if n := os.Getenv("DAPPLE_ROWS"); n != "" {
		rows, most = n, 1.2
	}
	script := must.Value(filepath.Abs("testdata/cost.py"))(t)
	for range 3 { // a busy machine counts waits for memory as work: the least of three counts
		var command, call float64
		must.Value(fmt.Sscan(output(t, t.TempDir(), fresh, script, rows), &command, &call))(t)
		t.Logf("%s rows: the command computes %.2f s, a call %.2f s, %.2f times as much", rows, command, call, call/command)
		if call <= most*command {
			return
		}
	}
	t.Errorf("more than %g times", most)
}

// TestFits sees a wheel of a program for another machine, and one that is too large.
func TestFits(t *testing.T) {
	for name, head := range map[string]string{
		"dapple-0.1.0-py3-none-manylinux_2_17_x86_64.whl":  "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 11) + "\x3e\x00",
		"dapple-0.1.0-py3-none-manylinux_2_17_aarch64.whl": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 11) + "\xb7\x00",
		"dapple-0.1.0-py3-none-macosx_12_0_x86_64.whl":     "\xcf\xfa\xed\xfe\x07\x00\x00\x01",
		"dapple-0.1.0-py3-none-macosx_12_0_arm64.whl":      "\xcf\xfa\xed\xfe\x0c\x00\x00\x01",
		"dapple-0.1.0-py3-none-win_amd64.whl":              windows("\x64\x86"),
		"dapple-0.1.0-py3-none-win_arm64.whl":              windows("\x64\xaa"),
	} {
		got := machine([]byte(head))
		must.Hold(t, got != "" && strings.HasSuffix(name, got+".whl"), "%s: a program for %q", name, got)
	}
	for _, head := range []string{"", "#!/bin/sh\n", "\x7fELF", "MZ", windows("\x00\x00")} {
		must.Equal(t, machine([]byte(head)), "", "%q is for", head)
	}
}

func windows(machine string) string {
	return "MZ" + strings.Repeat("\x00", 58) + "\x40\x00\x00\x00PE\x00\x00" + machine
}

// TestMadeWheels looks at the wheels of all machines, where make wheel has made them.
func TestMadeWheels(t *testing.T) {
	wheels := must.Value(filepath.Glob(root + "/out/release/dapple-*.whl"))(t)
	if len(wheels) == 0 {
		t.Skip("missing: wheels of other machines; make wheel makes them in out/release")
	}
	for _, name := range wheels {
		fits(t, name)
	}
}

// fits sees that the program in a wheel is for the machine that its name says, and that the wheel is small enough.
func fits(t *testing.T, wheel string) {
	t.Helper()
	z := must.Value(zip.OpenReader(wheel))(t)
	defer func() { _ = z.Close() }()
	info := must.Value(os.Stat(wheel))(t)
	must.Hold(t, info.Size() <= mostBytes, "%s has %d MiB, want at most %d", wheel, info.Size()>>20, mostBytes>>20)
	t.Logf("%s: %.1f MB", filepath.Base(wheel), float64(info.Size())/1e6)
	programs := 0
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, "dapple/_bin/") {
			continue
		}
		programs++
		r := must.Value(f.Open())(t)
		head := make([]byte, 4096)
		n, err := io.ReadFull(r, head)
		_ = r.Close() // it was read
		got := machine(head[:n])
		must.Hold(t, err == nil && got != "" && strings.HasSuffix(wheel, got+".whl"), "%s holds a program for %q, %v", wheel, got, err)
		must.Hold(t, strings.HasPrefix(got, "win") == strings.HasSuffix(f.Name, ".exe"), "%s: the program is called %s", wheel, f.Name)
	}
	must.Hold(t, programs == 1, "%s holds %d programs", wheel, programs)
}

// machine returns the end of the tag of the machine that a program is for, by its first bytes; empty: of none that is known.
func machine(head []byte) string {
	at := func(i, n int) string { return string(head[min(i, len(head)):min(i+n, len(head))]) }
	switch at(0, 4) {
	case "\x7fELF":
		return map[string]string{"\x3e\x00": "manylinux_2_17_x86_64", "\xb7\x00": "manylinux_2_17_aarch64"}[at(18, 2)]
	case "\xcf\xfa\xed\xfe":
		return map[string]string{"\x07\x00\x00\x01": "macosx_12_0_x86_64", "\x0c\x00\x00\x01": "macosx_12_0_arm64"}[at(4, 4)]
	}
	if at(0, 2) != "MZ" || len(head) < 64 {
		return ""
	}
	pe := int(head[60]) | int(head[61])<<8
	if at(pe, 4) != "PE\x00\x00" {
		return ""
	}
	return map[string]string{"\x64\x86": "win_amd64", "\x64\xaa": "win_arm64"}[at(pe+4, 2)]
}

// said returns what a command prints, without the DAPPLE of whoever runs the test.
func said(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "DAPPLE=", "PYTHONPATH=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	text := must.Value(said(dir, name, args...))(t)
	return text
}
