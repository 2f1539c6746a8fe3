package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestPackages: a package for Debian holds the program, its licences and a page for each command, and so does the one for
// Red Hat, whose archive is looked at if there is rpm.
func TestPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build what makes packages; make integration runs it")
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("missing: dpkg-deb, which reads packages")
	}
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "dapple-linux-amd64"), []byte("#!/bin/sh\n"), 0o755))
	if out, err := exec.Command("make", "-C", root, "packages", "PLATFORMS=linux/amd64", "VERSION=v1.2.3", "RELEASED="+dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	look := func(name string, args ...string) {
		out, err := exec.Command(name, args...).Output()
		must.Need(t, err == nil, "%s: %v", name, err)
		for _, file := range []string{"/usr/bin/dapple", "/usr/share/doc/dapple/copyright", "/usr/share/doc/dapple/THIRD_PARTY_NOTICES", "/usr/share/man/man1/dapple-synth.1"} {
			must.Hold(t, strings.Contains(string(out), file+"\n"), "%s shows no %s:\n%s", name, file, out)
		}
	}
	look("dpkg-deb", "-c", filepath.Join(dir, "dapple_1.2.3_amd64.deb"))
	red := filepath.Join(dir, "dapple-1.2.3-1.x86_64.rpm")
	b, err := os.ReadFile(red)
	must.Hold(t, err == nil && strings.HasPrefix(string(b), "\xed\xab\xee\xdb"), "%s is no package: %v", red, err)
	if _, err := exec.LookPath("rpm"); err == nil {
		look("rpm", "-qpl", red)
	}
}
