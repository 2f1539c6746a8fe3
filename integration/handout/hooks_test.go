package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

func parsed[T any](t *testing.T, file string) (v T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, file))
	if err == nil {
		err = yaml.Unmarshal(b, &v)
	}
	must.Need(t, err == nil, "%s: %v", file, err)
	return v
}

// TestForms: issue forms, workflows and the citation are YAML, and the citation names the version that the source becomes.
func TestForms(t *testing.T) {
	forms, err := filepath.Glob(filepath.Join(root, ".github", "*", "*.yml"))
	must.Need(t, err == nil && len(forms) >= 4, "%v: %v", forms, err)
	for _, form := range forms {
		file := strings.TrimPrefix(form, root)
		must.Hold(t, len(parsed[map[string]any](t, file)) >= 2, "%s is empty", file)
	}
	c := parsed[struct{ Version string }](t, "CITATION.cff")
	must.Hold(t, "v"+c.Version == buildinfo.Release, "CITATION.cff names %s, the source is %s", c.Version, buildinfo.Release)
}

// TestHooks: the hooks of pre-commit pass a sound domain file and a table that fits, and stop a faulty one among others.
func TestHooks(t *testing.T) {
	dir := t.TempDir()
	dapple := must.Value(program.Build(root, dir))(t)
	if dapple != filepath.Join(dir, "dapple") {
		must.Do(t, os.Symlink(dapple, filepath.Join(dir, "dapple")))
	}
	for name, text := range map[string]string{
		"domain.yaml":     "privacy_id: none\ncolumns: [{name: ward, type: STRING, values: [eye, heart], other: true}]\n",
		"domain-bad.yaml": "privacy_id: none\ncolumns: [{name: ward, type: STRIN, values: [eye, heart]}]\n",
		"visits.csv":      "ward\neye\nheart\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	hooks := map[string]string{}
	for _, h := range parsed[[]struct{ ID, Entry, Files string }](t, ".pre-commit-hooks.yaml") {
		hooks[h.ID] = h.Entry
		must.Hold(t, h.Files == "" || regexp.MustCompile(h.Files).MatchString("a/domain-visits.yml"), "%s is not run on domain files", h.ID)
	}
	for line, passes := range map[string]bool{
		"dapple-plan domain.yaml":                         true,
		"dapple-plan domain.yaml domain-bad.yaml":         false,
		"dapple-plan domain.yaml domain.yaml domain.yaml": true,
		"dapple-check domain.yaml visits.csv":             true,
		"dapple-check domain-bad.yaml visits.csv":         false,
	} {
		id, args, _ := strings.Cut(line, " ")
		run := exec.Command("sh", "-c", hooks[id]+" "+args)
		run.Dir, run.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := run.CombinedOutput()
		must.Hold(t, hooks[id] != "" && (err == nil) == passes, "%s: %v\n%s", line, err, out)
	}
}

// TestAction: the steps of the action install the command from a release, plan a domain file and check a table.
func TestAction(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("missing: Linux, whose program is served")
	}
	dapple := must.Value(program.Build(root, t.TempDir()))(t)
	command := must.Value(os.ReadFile(dapple))(t)
	name := "dapple-linux-" + runtime.GOARCH
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/SHA256SUMS":
			fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(command), name)
		case "/" + name:
			_, _ = w.Write(command)
		}
	}))
	defer server.Close()
	work, temp := t.TempDir(), t.TempDir()
	table := filepath.Join(work, "visits.csv")
	must.Do(t, os.WriteFile(table, []byte("ward\neye\n"), 0o600))
	domain := filepath.Join(work, "a domain.yaml")
	must.Do(t, os.WriteFile(domain, []byte("privacy_id: none\ncolumns: [{name: ward, type: STRING, values: [eye, heart], other: true}]\n"), 0o600))
	action := parsed[struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}](t, "action.yml")
	given := map[string]string{"release": server.URL, "domain": domain, "table": table, "plan": action.Inputs["plan"].Default}
	at := must.Value(filepath.Abs(root))(t)
	var said bytes.Buffer
	path := os.Getenv("PATH")
	for _, step := range action.Runs.Steps {
		run := exec.Command("bash", "-eo", "pipefail", "-c", step.Run)
		run.Env = append(os.Environ(), "PATH="+path, "GITHUB_ACTION_PATH="+at, "RUNNER_TEMP="+temp, "GITHUB_PATH="+temp+"/path", "GITHUB_STEP_SUMMARY="+temp+"/summary")
		for k, v := range step.Env {
			input := regexp.MustCompile(`^\$\{\{ inputs\.(\w+) \}\}$`).FindStringSubmatch(v)
			must.Need(t, input != nil, "%s: %s is no input", k, v)
			run.Env = append(run.Env, k+"="+given[input[1]])
		}
		out, err := run.CombinedOutput()
		said.Write(out)
		must.Need(t, err == nil, "%v\n%s", err, out)
		b, _ := os.ReadFile(temp + "/path")
		path = strings.TrimSpace(string(b)) + ":" + os.Getenv("PATH")
	}
	summary, _ := os.ReadFile(temp + "/summary")
	must.Hold(t, strings.Contains(string(summary), "promise   ε = 1") && strings.Contains(said.String(), "installed "+temp), "the action said:\n%s", said.String())
}
