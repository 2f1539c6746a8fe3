// Package repo finds the repository around a program, and the module that each of its folders belongs to.
package repo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// root begins the go.mod of the repository's first module.
const root = "module github.com/dapple-dp/dapple\n"

// Root returns the directory of the repository: the one here or above whose go.mod is dapple's own.
func Root() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && bytes.HasPrefix(text, []byte(root)) {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", fmt.Errorf("%s: not in the repository of dapple; run it there", here)
		}
	}
}

// Module returns the directory of the module that a folder belongs to, and the folder's pattern for the go command there.
// The folder is a slash path from the repository's root.
func Module(root, folder string) (dir, pattern string) {
	for module := folder; module != ""; {
		dir := filepath.Join(root, filepath.FromSlash(module))
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, "." + strings.TrimPrefix(folder, module)
		}
		module = module[:max(0, strings.LastIndex(module, "/"))]
	}
	return root, "./" + folder
}
