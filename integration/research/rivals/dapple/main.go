// Command dapple, here, is the command of dapple with the methods of package rivals:
//
//	go -C integration/research run ./rivals/dapple plan --domain=people.yaml --epsilon=1 --delta=1e-9 --method=pmw
//
// No program can import another, so that this one builds the command with one more file, which imports the package, and
// runs it with its own arguments, in the directory that PWD names. The arguments, input and output are the command's.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

// added is the one file more.
const added = "package main\n\nimport _ \"github.com/dapple-dp/dapple/integration/research/rivals\"\n"

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "rivals:", err)
	}
	os.Exit(status)
}

// run builds the command, runs it and returns its exit status.
func run(args []string) (status int, err error) {
	dir, err := os.MkdirTemp("", "dapple-rivals-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	binary, err := build(dir)
	if err != nil {
		return 1, err
	}
	c := exec.Command(binary, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = c.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil // the command has said why
	}
	return 0, err
}

// build makes the command in dir, from the sources around this directory.
func build(dir string) (binary string, err error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	source, overlay := filepath.Join(dir, "rivals.go"), filepath.Join(dir, "overlay.json")
	table, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "pipelines", "dapple", "rivals.go"): source}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(source, []byte(added), 0o600), os.WriteFile(overlay, table, 0o600)); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "dapple")
	c := exec.Command("go", "build", "-overlay", overlay, "-o", binary, "github.com/dapple-dp/dapple/pipelines/dapple")
	c.Dir = filepath.Join(root, "integration")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
}
