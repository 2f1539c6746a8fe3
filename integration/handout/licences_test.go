package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

const root = "../.."

// TestNoticesAreWhole: the program prints the licences of all that any build of it links, and a built one holds no module
// that they leave out.
func TestNoticesAreWhole(t *testing.T) {
	all := must.Value(linked(root))(t)
	dapple := must.Value(program.Build(root, t.TempDir()))(t)
	printed := must.Value(exec.Command(dapple, "--licenses").Output())(t)
	must.Hold(t, bytes.Equal(printed, notices(all)), "%s is stale: run make notices", noticesFile)
	info := must.Value(buildinfo.ReadFile(dapple))(t)
	must.Need(t, len(info.Deps) >= 50, "%d modules in the program: the check is blind", len(info.Deps))
	for _, d := range info.Deps {
		must.Hold(t, strings.Contains(string(printed), "\n"+d.Path+" "+d.Version+"\n    "), "%s %s is linked, and the notices do not name it", d.Path, d.Version)
	}
	for _, m := range all {
		must.Hold(t, len(m.spdx) != 0 && len(m.texts) != 0, "%s has no licence", m.path)
		for _, text := range m.texts {
			must.Hold(t, strings.Contains(string(printed), strings.Fields(text.body)[0]), "%s of %s is not printed", text.name, m.path)
		}
	}
}

// TestMissingLicence: a module without a licence, or with one that is not known, is an error that names it; a licence in
// README.md counts, and so does one of code that was copied into a folder.
func TestMissingLicence(t *testing.T) {
	const mit = "MIT License\n\nCopyright (c) 2020 X\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy of this software\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  string // the licences; empty: an error
	}{
		"no file":           {map[string]string{"a.go": "package a\n"}, ""},
		"an unknown one":    {map[string]string{"LICENSE": "All rights reserved.\n"}, ""},
		"a notice alone":    {map[string]string{"NOTICE": "Copyright X\n"}, ""},
		"README that links": {map[string]string{"README.md": "# a\n\nSee License\n"}, ""},
		"in README":         {map[string]string{"README.md": "# a\n\n- - -\n" + mit}, "MIT"},
		"a file":            {map[string]string{"LICENCE.txt": mit}, "MIT"},
		"copied code":       {map[string]string{"LICENSE": mit, "in/LICENSE": "Apache License\nVersion 2.0, January 2004\n"}, "Apache-2.0 AND MIT"},
	} {
		dir := t.TempDir()
		for file, body := range c.files {
			at := filepath.Join(dir, file)
			must.Do(t, os.MkdirAll(filepath.Dir(at), 0o777))
			must.Do(t, os.WriteFile(at, []byte(body), 0o666))
		}
		below := map[string]bool{dir: true}
		if c.files["in/LICENSE"] != "" {
			below[filepath.Join(dir, "in")] = true
		}
		m, err := source{path: "example.com/a", version: "v1.0.0", dir: dir}.licensed(below)
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "example.com/a v1.0.0") {
				t.Errorf("%s: got %q and error %v, want an error that names the module", name, m.expression(), err)
			}
		} else if err != nil || m.expression() != c.want {
			t.Errorf("%s: got %q and error %v, want %s", name, m.expression(), err, c.want)
		}
	}
}

// TestMaterials: every module is a component once, with a licence and a place in a registry.
func TestMaterials(t *testing.T) {
	all := []module{{path: own, spdx: []string{"Apache-2.0"}}, {path: goLibrary, spdx: []string{"BSD-3-Clause"}}}
	for i := range 5 {
		all = append(all, module{path: fmt.Sprint("example.com/", i), version: "v1.0.0+incompatible", spdx: []string{"Apache-2.0", "MIT"}})
	}
	b := must.Value(materials(all, "v0.1.0"))(t)
	var out billOfMaterials
	must.Do(t, json.Unmarshal(b, &out))
	refs := map[string]bool{out.Metadata.Component.Ref: true}
	for _, c := range out.Components {
		refs[c.Ref] = true
	}
	c := out.Metadata.Component
	must.Hold(t, c.URL == "pkg:golang/"+own+"@v0.1.0" && len(out.Components) == 6 && len(refs) == 7, "%+v", out)
	if c := out.Components[5]; c.URL != "pkg:golang/example.com/4@v1.0.0%2Bincompatible" || c.Licenses[0].Expression != "Apache-2.0 AND MIT" {
		t.Errorf("%+v", c)
	}
}
