package main

import (
	"crypto/sha256"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// since returns the defects in files that have changed since a commit, and a quarter of the others. The hash
// of the commit at hand picks the quarter, so that four commits try nearly three quarters of them.
func since(root, base string, list []defect) ([]defect, error) {
	changed, err := git(root, "diff", "--name-only", base)
	if err != nil {
		return nil, err
	}
	head, err := git(root, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	return pick(list, strings.Fields(changed), strings.TrimSpace(head)), nil
}

// pick is since, given the changed files and the commit at hand.
func pick(list []defect, changed []string, commit string) []defect {
	return slices.DeleteFunc(slices.Clone(list), func(d defect) bool {
		return !slices.Contains(changed, d.file) && sha256.Sum256([]byte(commit + d.name))[0] >= 64
	})
}

func git(root string, args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
