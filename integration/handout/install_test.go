package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A release on a server of this machine is installed if its checksum is right, by curl and by wget; else an error says why,
// and nothing is left behind. What was installed before stays as it was.
func TestInstall(t *testing.T) {
	script := must.Value(filepath.Abs(root + "/install.sh"))(t)
	const body = "#!/bin/sh\necho dapple v9.9.9\n"
	right := fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
	for name, c := range map[string]struct {
		sums, system, machine string
		without               string // a tool that this machine lacks
		files                 []string
		want                  string // part of the error; empty: it is installed
	}{
		"linux":            {right + "  dapple-linux-amd64\n", "Linux", "x86_64", "", []string{"dapple-linux-amd64"}, ""},
		"by wget":          {right + "  dapple-linux-amd64\n", "Linux", "x86_64", "curl", []string{"dapple-linux-amd64"}, ""},
		"by shasum":        {right + "  dapple-darwin-arm64\n", "Darwin", "arm64", "sha256sum", []string{"dapple-darwin-arm64"}, ""},
		"arm":              {right + "  dapple-linux-arm64\n", "Linux", "aarch64", "", []string{"dapple-linux-arm64"}, ""},
		"changed":          {strings.Repeat("0", 64) + "  dapple-linux-amd64\n", "Linux", "x86_64", "", []string{"dapple-linux-amd64"}, "nothing was installed"},
		"not listed":       {right + "  dapple-linux-amd64.exe\n", "Linux", "x86_64", "", []string{"dapple-linux-amd64"}, "does not list dapple-linux-amd64"},
		"another's sum":    {right + "  xdapple-linux-amd64\n", "Linux", "x86_64", "", []string{"dapple-linux-amd64"}, "does not list"},
		"missing":          {right + "  dapple-linux-amd64\n", "Linux", "x86_64", "", nil, "cannot be fetched"},
		"another system":   {right + "  dapple-linux-amd64\n", "Plan9", "x86_64", "", nil, "Plan9: no program for this system"},
		"another machine":  {right + "  dapple-linux-amd64\n", "Linux", "riscv64", "", nil, "riscv64: no program for this machine"},
		"nothing to fetch": {right + "  dapple-linux-amd64\n", "Linux", "x86_64", "curl wget", []string{"dapple-linux-amd64"}, "no curl and no wget"},
		"nothing to check": {right + "  dapple-linux-amd64\n", "Linux", "x86_64", "sha256sum shasum", []string{"dapple-linux-amd64"}, "cannot be checked"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch at := strings.TrimPrefix(r.URL.Path, "/v9/"); {
				case at == "SHA256SUMS":
					fmt.Fprint(w, c.sums)
				case len(c.files) > 0 && at == c.files[0]:
					fmt.Fprint(w, body)
				default:
					http.NotFound(w, r)
				}
			}))
			defer server.Close()
			tools, to := t.TempDir(), filepath.Join(t.TempDir(), "a b", "bin")
			for _, tool := range strings.Fields("sh mkdir mktemp rm sed chmod mv curl wget sha256sum shasum") {
				if strings.Contains(" "+c.without+" ", " "+tool+" ") {
					continue
				}
				if at, err := exec.LookPath(tool); err == nil {
					_ = os.Symlink(at, filepath.Join(tools, tool))
				} else if tool == "wget" && c.without == "curl" || tool == "shasum" && c.without == "sha256sum" {
					t.Skip("missing: " + tool)
				}
			}
			uname := fmt.Sprintf("#!/bin/sh\ncase $1 in -s) echo %s;; *) echo %s;; esac\n", c.system, c.machine)
			must.Do(t, os.WriteFile(filepath.Join(tools, "uname"), []byte(uname), 0o755))
			must.Do(t, os.MkdirAll(to, 0o777))
			must.Do(t, os.WriteFile(filepath.Join(to, "dapple"), []byte("old"), 0o755))
			run := exec.Command("sh", script)
			run.Env = []string{"PATH=" + tools, "DAPPLE_FROM=" + server.URL + "/v9", "DAPPLE_BIN=" + to}
			said, err := run.CombinedOutput()
			left, _ := os.ReadDir(to)
			b, _ := os.ReadFile(filepath.Join(to, "dapple"))
			switch {
			case len(left) != 1:
				t.Errorf("left behind: %v", left)
			case c.want == "" && (err != nil || string(b) != body || !strings.Contains(string(said), "dapple v9.9.9") || !strings.Contains(string(said), "to your PATH")):
				t.Errorf("%v: %s", err, said)
			case c.want != "" && (err == nil || string(b) != "old" || !strings.Contains(string(said), c.want)):
				t.Errorf("want an error with %q, got %v: %s", c.want, err, said)
			}
		})
	}
}
