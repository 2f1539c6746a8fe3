package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tree is the Go files of the repository, by their slash paths from its root: where defects find their places, and their
// tests, wherever a move has put them.
type tree map[string]string

// readTree reads the files below root, but for this program's own, which hold the text of every defect.
func readTree(root string) (tree, error) {
	files := tree{}
	err := fs.WalkDir(sources{os.DirFS(root)}, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || name == "integration/mutation"):
			return fs.SkipDir
		case e.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		files[name] = string(b)
		return err
	})
	return files, err
}

// placed returns the defects with the files in which their texts stand and the packages that have their tests.
func (t tree) placed(list []defect) ([]defect, error) {
	var faults []error
	list = slices.Clone(list)
	for i := range list {
		if err := t.place(&list[i]); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", list[i].name, err))
		}
	}
	return list, errors.Join(faults...)
}

// place keeps the file and the package that a defect names, if they have its text and its test. If not, it takes the one
// file that has the text once, of the same name if there are several, and the one package that has the test, the nearest
// to that file if there are several.
func (t tree) place(d *defect) error {
	test := d.pkg()
	if strings.Count(t[d.file], d.old) != 1 {
		found := t.where(func(name, text string) bool {
			return !strings.HasSuffix(name, "_test.go") && strings.Count(text, d.old) == 1
		})
		if len(found) > 1 {
			found = slices.DeleteFunc(found, func(name string) bool { return path.Base(name) != path.Base(d.file) })
		}
		if len(found) != 1 {
			return fmt.Errorf("its text occurs once in %d files %v, and not in %s; give it more of the lines around it", len(found), found, d.file)
		}
		d.file = found[0]
	}
	declares := func(name, text string) bool {
		return strings.HasSuffix(name, "_test.go") && strings.Contains(text, "\nfunc "+d.test+"(")
	}
	var dirs []string
	for _, name := range t.where(declares) {
		dirs = append(dirs, path.Dir(name))
	}
	for _, dir := range []string{test, path.Dir(d.file)} {
		if slices.Contains(dirs, dir) {
			d.dir = dir
			return nil
		}
	}
	if dirs = nearest(slices.Compact(dirs), d.file); len(dirs) != 1 {
		return fmt.Errorf("%s is in %d packages %v, and not in %s; name its package", d.test, len(dirs), dirs, test)
	}
	d.dir = dirs[0]
	return nil
}

// nearest returns the folders whose path has most in common with a file's.
func nearest(dirs []string, file string) (list []string) {
	most := -1
	for _, dir := range dirs {
		a, b, n := strings.Split(dir, "/"), strings.Split(file, "/"), 0
		for n < min(len(a), len(b)) && a[n] == b[n] {
			n++
		}
		if n > most {
			most, list = n, nil
		}
		if n == most {
			list = append(list, dir)
		}
	}
	return list
}

// where returns the names of the files for which keep is true, in order.
func (t tree) where(keep func(name, text string) bool) (names []string) {
	for name, text := range t {
		if keep(name, text) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
