// Package program builds the command for tests that run it as people do.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build returns the path of the command: the one that DAPPLE_TEST_PROGRAM names, which make links once for all tests, or
// one that it builds below dir. root is the repository.
func Build(root, dir string) (string, error) {
	if path := os.Getenv("DAPPLE_TEST_PROGRAM"); path != "" {
		return path, nil
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "dapple")
	if out, err := exec.Command("go", "build", "-C", root, "-o", path, "./pipelines/dapple").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}
