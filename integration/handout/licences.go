package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	own       = "github.com/dapple-dp/dapple"
	goLibrary = "Go standard library"
)

// module is code that the command is linked from.
type module struct {
	path, version string
	spdx          []string // identifiers of its licences, sorted
	texts         []text   // licences and notices
}

type text struct{ name, body string }

// expression is the licence in SPDX's form.
func (m module) expression() string { return strings.Join(m.spdx, " AND ") }

// linked returns dapple itself, Go's library, and every module that the command is linked from on any system, with their
// licences. A program that go install makes has more than one of make release, which leaves out gRPC for Cloud Storage.
func linked(root string) ([]module, error) {
	dirs := map[source]map[string]bool{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, tags := range []string{"", "osusergo,disable_grpc_modules"} {
			list := exec.Command("go", "list", "-C", root, "-deps", "-tags="+tags, "-f", "{{.Dir}}\t{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./pipelines/dapple")
			list.Env, list.Stderr = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+system), os.Stderr
			out, err := list.Output()
			if err != nil {
				return nil, fmt.Errorf("go list for %s: %w", system, err)
			}
			for line := range strings.Lines(string(out)) {
				at := strings.Split(strings.TrimSpace(line), "\t")
				if len(at) != 4 { // of Go's library, or of dapple
					continue
				}
				m := source{at[1], at[2], at[3]}
				if dirs[m] == nil {
					dirs[m] = map[string]bool{}
				}
				for dir := at[0]; strings.HasPrefix(dir, m.dir); dir = filepath.Dir(dir) {
					dirs[m][dir] = true
				}
			}
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	dirs[source{path: goLibrary, dir: strings.TrimSpace(string(goroot))}] = nil
	dirs[source{path: own, dir: root}] = nil
	var all []module
	for m, below := range dirs {
		found, err := m.licensed(below)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// source is where the licences of a module are read.
type source struct{ path, version, dir string }

// licenceFile matches names of files that have to be handed on with what they are about. LICENSE.docs is about documents.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)(\.txt|\.md)?$`)

// licensed reads the licences of a module: in its own folder and in the folders of the linked packages, where code that
// was copied from others has its own.
func (m source) licensed(below map[string]bool) (module, error) {
	out := module{path: m.path, version: m.version}
	dirs := []string{m.dir}
	for dir := range below {
		if dir != m.dir {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return module{}, err
		}
		for _, e := range entries {
			if e.IsDir() || !licenceFile.MatchString(e.Name()) {
				continue
			}
			at := filepath.Join(dir, e.Name())
			b, err := os.ReadFile(at)
			if err != nil {
				return module{}, err
			}
			name, err := filepath.Rel(m.dir, at)
			if err != nil {
				return module{}, err
			}
			out.add(filepath.ToSlash(name), string(b))
		}
	}
	if len(out.spdx) == 0 {
		if err := out.addStated(m.dir); err != nil {
			return module{}, err
		}
	}
	slices.Sort(out.spdx)
	return out, nil
}

func (m *module) add(name, body string) {
	m.texts = append(m.texts, text{name, tidy(body)})
	for _, id := range identified(body) {
		if !slices.Contains(m.spdx, id) {
			m.spdx = append(m.spdx, id)
		}
	}
}

// addStated takes a licence from the end of README.md, where a module has no file of its own for it.
func (m *module) addStated(dir string) error {
	b, err := fs.ReadFile(os.DirFS(dir), "README.md")
	at := regexp.MustCompile(`(?m)^#* *[A-Z][\w ]*\bLicense *$`).FindIndex(b)
	if err != nil || at == nil || identified(string(b[at[0]:])) == nil {
		return fmt.Errorf("%s %s: has no licence that is known here; do not link it, or teach identified its licence", m.path, m.version)
	}
	m.add("README.md", string(b[at[0]:]))
	return nil
}

// identified returns the SPDX identifiers of the licences in a text, each by words that no other has.
func identified(text string) (ids []string) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "//", " ")), " ")
	for _, l := range []struct{ id, words string }{
		{"Apache-2.0", `Apache License,? Version 2\.0`},
		{"MIT", `Permission is hereby granted, free of charge, to any person obtaining a copy of this software`},
		{"BSD-3-Clause", `Redistribution and use in source and binary forms.{0,900}Neither the name`},
		{"ISC", `Permission to use, copy, modify, and(/or)? distribute this software`},
		{"MPL-2.0", `Mozilla Public License,? [Vv]ersion 2\.0`},
		{"Zlib", `This software is provided 'as-is'`},
		{"CC0-1.0", `CC0 1\.0 Universal`},
	} {
		if regexp.MustCompile(l.words).MatchString(text) {
			ids = append(ids, l.id)
		}
	}
	if !slices.Contains(ids, "BSD-3-Clause") && strings.Contains(text, "Redistribution and use in source and binary forms") {
		ids = append(ids, "BSD-2-Clause")
	}
	return ids
}

// tidy removes what differs between copies of one text without meaning.
func tidy(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		b.WriteString(strings.TrimRight(line, " \t\n") + "\n")
	}
	return strings.Trim(b.String(), "\n") + "\n"
}

// notices is the file that has to go wherever the program goes: each module with its licences, and each text once.
func notices(all []module) []byte {
	var b bytes.Buffer
	b.WriteString("Programs of dapple contain the modules below, each under its own licence. Behind each file stands the number of its text.\n" +
		"make notices writes this file; dapple --licenses prints it.\n\n")
	numbers, bodies := map[string]int{}, []string{}
	for _, m := range all {
		fmt.Fprintf(&b, "%s\n    %s:", strings.TrimSpace(m.path+" "+m.version), m.expression())
		for i, t := range m.texts {
			key := strings.Join(strings.Fields(t.body), " ")
			if numbers[key] == 0 {
				bodies = append(bodies, t.body)
				numbers[key] = len(bodies)
			}
			fmt.Fprintf(&b, "%s %s (%d)", []string{"", ","}[min(i, 1)], path.Clean(t.name), numbers[key])
		}
		b.WriteByte('\n')
	}
	for i, body := range bodies {
		fmt.Fprintf(&b, "\n%s\n(%d)\n\n%s", strings.Repeat("=", 80), i+1, body)
	}
	return b.Bytes()
}
