package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNamedTestsExist: whoever renames a test that a promise rests on is told here.
func TestNamedTestsExist(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, n := range planned() {
		if sources[n.dir] == "" {
			files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(n.dir), "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				sources[n.dir] += string(b)
			}
		}
		if !strings.Contains(sources[n.dir], "\nfunc "+n.test+"(") {
			t.Errorf("no %s in %s", n.test, n.dir)
		}
	}
}

// TestChecklistIsWhole: rows 1 to 34, each with a test.
func TestChecklistIsWhole(t *testing.T) {
	if len(checklist) != 34 {
		t.Errorf("%d rows, want 34", len(checklist))
	}
	for i, r := range checklist {
		if r.number != i+1 || len(r.tests) == 0 {
			t.Errorf("row %d: number %d, %d tests", i+1, r.number, len(r.tests))
		}
	}
}

// TestRead: a test counts as passed only where it says so; skipped, missing and failed ones do not.
func TestRead(t *testing.T) {
	out := `{"Time":"2026-01-01T00:00:00Z","Action":"run","Test":"TestA"}
{"Action":"output","Test":"TestA/x","Output":"    a_test.go:1: figure: 0.5 of the claim\n"}
{"Action":"pass","Test":"TestA/x"}
{"Time":"2026-01-01T00:00:02Z","Action":"pass","Test":"TestA"}
{"Action":"fail","Test":"TestB"}
{"Action":"skip","Test":"TestC"}
{"Action":"pass","Test":"TestD/sub"}
`
	got := read([]byte(out), []string{"TestA", "TestB", "TestC", "TestD", "TestE"}, nil)
	for test, want := range map[string]string{"TestA": passed, "TestB": failed, "TestC": absent, "TestD": absent, "TestE": absent} {
		if got[test].verdict != want {
			t.Errorf("%s: %s, want %s", test, got[test].verdict, want)
		}
	}
	if a := got["TestA"]; a.seconds != 2 || len(a.figures) != 1 || a.figures[0] != "0.5 of the claim" {
		t.Errorf("TestA: %+v", a)
	}
}
