package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// workshop builds and runs runners in out/ablate.
type workshop struct{ root, dir string }

func newWorkshop(root string) (*workshop, error) {
	w := &workshop{root, filepath.Join(root, "out", "ablate")}
	return w, os.MkdirAll(w.dir, 0o755)
}

// overlay writes the files of changes, and what the go command is told to read in place of the source.
func (w *workshop) overlay(files map[string]string, name string) (string, error) {
	replace := map[string]string{}
	dir := filepath.Join(w.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for file, text := range files {
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "_")+".txt") // no Go file: out is in the module
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(w.root, filepath.FromSlash(file))] = to
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(dir, "overlay.json")
	return list, os.WriteFile(list, b, 0o600)
}

// build runs go build with the files laid over the source, in a module of the repository.
func (w *workshop) build(files map[string]string, name, module string, args ...string) error {
	list, err := w.overlay(files, name)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-overlay", list}, args...)...)
	cmd.Dir = filepath.Join(w.root, module)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: go build: %w\n%s", name, err, out)
	}
	return nil
}

// run builds the runner of a change and returns its points.
func (w *workshop) run(c change, r request) (list []point, err error) {
	files, err := c.applied(w.root)
	if err != nil {
		return nil, err
	}
	name := strings.NewReplacer(" ", "-", ",", "", "'", "").Replace(c.name)
	binary := filepath.Join(w.dir, name, "runner")
	if err := w.build(files, name, "integration/research", "-o", binary, "./ablate"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(filepath.Join(w.dir, name))
	errand, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, "-errand", string(errand))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var faults bytes.Buffer
	cmd.Stderr = &faults
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", c.name, err, faults.String())
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var p point
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, lines.Err()
}

// numbers reads numbers with commas between.
func numbers(text string) (list []float64, err error) {
	for _, x := range strings.Split(text, ",") {
		v, fault := strconv.ParseFloat(x, 64)
		if fault != nil || !(v > 0) {
			err = errors.Join(err, fmt.Errorf("-epsilon: %q is no number above 0", x))
		}
		list = append(list, v)
	}
	return list, err
}

// seconds returns the process's user time.
func seconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("ablate: no resource usage")
	}
	return float64(u.Utime.Sec) + float64(u.Utime.Usec)/1e6
}
