package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// fault is one line of check.mjs.
type fault struct {
	Page, Scheme, Media, Kind, Text string
	Width                           int
}

// look opens pages and returns what is wrong with them.
func look(t *testing.T, shots string, pages ...string) (faults []fault) {
	t.Helper()
	chromium, modules := tool(t, "DAPPLE_CHROMIUM", "Chromium"), tool(t, "DAPPLE_NODE_MODULES", "a directory that holds playwright-core and axe-core")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"testdata/check.mjs", chromium, modules, shots}, pages...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	must.Need(t, err == nil, "%v\n%s", err, errs.Bytes())
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var f fault
		err := json.Unmarshal(lines.Bytes(), &f)
		must.Need(t, err == nil, "%s: %v", lines.Bytes(), err)
		faults = append(faults, f)
	}
	return faults
}

// tool skips a test if a variable is not set. On CI `make integration` fails if it cannot set it.
func tool(t *testing.T, variable, what string) string {
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("missing: %[2]s, which %[1]s does not name; `make integration` sets it", variable, what)
	}
	return path
}

// hostile is a domain whose names and values are markup, long, of another direction, and many.
func hostile() (domain, rows string) {
	names := []string{"<script>alert(1)</script>", "שם משפחה", strings.Repeat("long name ", 8) + "x", "W" + strings.Repeat("W", 70), `"><img src=x>`}
	var d, r strings.Builder
	d.WriteString("privacy_id: none\ncolumns:\n")
	for _, n := range names {
		fmt.Fprintf(&d, "  - {name: %q, type: STRING, values: [%q, %q, %q], null: true}\n", n, "<b>"+n, strings.Repeat("value", 15), "العمر")
	}
	d.WriteString("  - {name: many, type: STRING, other: true, values: [")
	for i := range 1000 {
		fmt.Fprintf(&d, "value%d, ", i)
	}
	d.WriteString("]}\n  - {name: number, type: INT64, min: -1000000000, max: 1000000000, bins: 100, null: true}\n")
	d.WriteString("  - {name: moment, type: DATETIME, min: 2020-01-01 00:00:00, max: 2024-12-31 23:59:59, bins: 60, null: true}\n")
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	cells := make([]string, 0, 8)
	for _, n := range names {
		cells = append(cells, quoted(n))
	}
	r.WriteString(strings.Join(append(cells, "many", "number", "moment"), ",") + "\n")
	for i := range 2000 {
		cells = cells[:0]
		for k, n := range names {
			cells = append(cells, quoted([]string{"<b>" + n, strings.Repeat("value", 15), "العمر", ""}[(i+k*i%7)%4]))
		}
		fmt.Fprintf(&r, "%s,value%d,%d,%d-%02d-10 %02d:00:00\n", strings.Join(cells, ","), i%1000, (i%200-100)*10000000, 2020+i%5, 1+i%12, i%24)
	}
	return d.String(), r.String()
}

// about is what only the curator knows, as hostile as the names.
var about = "name: \"<script>alert(1)</script>\"\ndescription: \"" + strings.Repeat("W", 200) + "\"\nuse: \"שם משפחה " + strings.Repeat("long text ", 60) + "\"\n"

// TestPages: the privacy report and the comparison of the demonstration's people and their rows, and of a table whose names and values are
// hostile.
func TestPages(t *testing.T) {
	tool(t, "DAPPLE_CHROMIUM", "Chromium")
	dir, shots := t.TempDir(), os.Getenv("DAPPLE_PAGES")
	if shots != "" {
		dir = shots
	}
	root := filepath.Join("..", "..", "..")
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		out, err := cmd.CombinedOutput()
		must.Need(t, err == nil, "%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", dir+"/", "./pipelines/dapple", "./examples/visits")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run(dir+"/visits", "-people", "5000", "-seed", "1", "-out", dir+"/visits.csv")
	domain, rows := hostile()
	for name, text := range map[string]string{"hostile.yaml": domain, "hostile.csv": rows, "about.yaml": about} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	var pages []string
	for name, yaml := range map[string]string{"visits": filepath.Join(root, "examples", "visits", "people.yaml"), "hostile": dir + "/hostile.yaml"} {
		in, out := dir+"/"+name+".csv", dir+"/"+name+"-out"
		args := []string{"synth", "--domain=" + yaml, "--input=" + in, "--output=" + out, "--epsilon=1", "--delta=1e-9", "--marginals=2", "--quiet", "--overwrite"}
		if name == "hostile" { // with every part that a report can have; its limit is further off than noise takes a share of 1,000
			args = append(args, "--criteria=many<=0.9", "--expected_rows=1000", "--about="+dir+"/about.yaml", "--ledger="+dir+"/hostile.book")
			run(dir+"/dapple", "ledger", dir+"/hostile.book", "--create="+strings.Repeat("book", 15), "--input="+in, "--epsilon=2", "--delta=1e-9")
		}
		run(dir+"/dapple", args...)
		run(dir+"/dapple", "report", out, "--html="+dir+"/"+name+"-report.html")
		run(dir+"/dapple", "evaluate", "--domain="+yaml, "--input="+in, "--synthetic="+out, "--html="+dir+"/"+name+"-compared.html")
		pages = append(pages, dir+"/"+name+"-report.html", dir+"/"+name+"-compared.html")
	}
	slices.Sort(pages)
	for _, f := range look(t, shots, pages...) {
		t.Errorf("%s at %d pixels, %s, %s: %s: %s", f.Page, f.Width, f.Scheme, f.Media, f.Kind, f.Text)
	}
}

// TestCheckerFinds: on a page with every fault the checker finds each of them.
func TestCheckerFinds(t *testing.T) {
	var kinds []string
	for _, f := range look(t, "", "testdata/broken.html") {
		if !slices.Contains(kinds, f.Kind) {
			kinds = append(kinds, f.Kind)
		}
	}
	slices.Sort(kinds)
	want := []string{"axe", "banner", "console", "cut off", "first screen", "keyboard", "outside", "overflow", "overlap", "request"}
	must.Hold(t, slices.Equal(kinds, want), "found %q, want %q", kinds, want)
}
