package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

// logged returns the results of named tests that files of events hold: a test that has run whole need not run again. The
// names are between commas. Files whose names begin with "short" hold runs with -short: tests that look at it are left out.
func logged(root string, tests []named, names string) (map[named]result, error) {
	results := map[named]result{}
	for name := range strings.SplitSeq(names, ",") {
		if name == "" {
			continue
		}
		all, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		events := map[string][]byte{} // of a package, by its directory
		for line := range bytes.Lines(all) {
			_, rest, ok := bytes.Cut(line, []byte(`"Package":"github.com/dapple-dp/dapple`))
			if !ok {
				continue
			}
			pkg, _, _ := bytes.Cut(rest, []byte(`"`))
			dir := strings.TrimPrefix(string(pkg), "/")
			events[dir] = append(events[dir], line...)
		}
		byDir := map[string][]string{}
		for _, n := range tests {
			byDir[n.dir] = append(byDir[n.dir], n.test)
		}
		for dir, list := range byDir {
			if strings.HasPrefix(filepath.Base(name), "short") {
				less, err := repo.Longer(filepath.Join(root, filepath.FromSlash(dir)))
				if err != nil {
					return nil, err
				}
				list = slices.DeleteFunc(list, func(test string) bool { return slices.Contains(less, test) })
			}
			for test, r := range read(events[dir], list, nil) {
				if r.verdict == passed {
					results[named{dir, test}] = r
				}
			}
		}
	}
	return results, nil
}

// without returns the tests that have no result.
func without(tests []named, results map[named]result) []named {
	return slices.DeleteFunc(slices.Clone(tests), func(n named) bool { _, ok := results[n]; return ok })
}
