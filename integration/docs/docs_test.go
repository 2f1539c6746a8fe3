package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

const root = "../.."

// programs holds dapple and the examples that pages run, each built for the first test that wants it.
var programs struct {
	dir                    string
	dapple, examples       sync.Once
	dappleErr, examplesErr error
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if programs.dir, err = os.MkdirTemp("", "dapple-docs-"); err != nil {
		log.Print(err)
		return 1
	}
	defer os.RemoveAll(programs.dir)
	return m.Run()
}

// theCommand returns the path of dapple.
func theCommand(t *testing.T) string {
	t.Helper()
	path := filepath.Join(programs.dir, "dapple")
	programs.dapple.Do(func() {
		at, err := program.Build(root, programs.dir)
		if err == nil && at != path {
			err = os.Symlink(at, path)
		}
		programs.dappleErr = err
	})
	must.Need(t, programs.dappleErr == nil, "%v", programs.dappleErr)
	return path
}

// built returns the folder of dapple and the examples.
func built(t *testing.T) string {
	t.Helper()
	theCommand(t)
	programs.examples.Do(func() {
		if out, err := exec.Command("go", "build", "-C", root, "-o", programs.dir+"/", "./examples/visits", "./examples/whynotmask").CombinedOutput(); err != nil {
			programs.examplesErr = fmt.Errorf("go build: %w\n%s", err, out)
		}
	})
	must.Need(t, programs.examplesErr == nil, "%v", programs.examplesErr)
	return programs.dir
}

// pages are README.md and all below docs.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md"}
	must.Do(t, filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" && filepath.Base(filepath.Dir(path)) != "reference" {
			all = append(all, strings.TrimPrefix(filepath.ToSlash(path), root+"/"))
		}
		return err
	}))
	must.Need(t, len(all) >= 20, "%d pages, want README.md and those below docs", len(all))
	return all
}

func page(t *testing.T, name string) string {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join(root, filepath.FromSlash(name))))(t)
	return string(b)
}

// TestReferencesAreCurrent: docs/reference is what make docs writes.
func TestReferencesAreCurrent(t *testing.T) {
	want := must.Value(references(root, theCommand(t)))(t)
	for name, text := range want {
		must.Hold(t, page(t, name) == text, "the reference of %s is stale: run make docs", name)
		must.Hold(t, !strings.Contains(text, "|  |"), "the reference of %s: a key has no meaning: write a comment at its field", name)
	}
}

// TestCommandsOfPages: every block of commands runs on the toy table, in the order of its page, and prints the output
// that the page shows.
func TestCommandsOfPages(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to run all pages; make integration does")
	}
	bin := built(t)
	dir := t.TempDir()
	for _, people := range []string{"800", "3000"} {
		out, err := exec.Command(filepath.Join(bin, "visits"), "-people", people, "-seed", "1", "-out", filepath.Join(dir, people)).CombinedOutput()
		must.Need(t, err == nil, "%v\n%s", err, out)
	}
	for _, name := range pages(t) {
		table := filepath.Join(dir, "800")
		if name == "README.md" || name == "docs/howto/ci.md" { // what it prints, or meets, depends on how many there are
			table = filepath.Join(dir, "3000")
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			copyTo(t, table, filepath.Join(dir, "visits.csv"))
			if !strings.Contains(page(t, name), "--output=visits.yaml") { // else the page makes it
				copyTo(t, filepath.Join(root, "examples", "visits", "people.yaml"), filepath.Join(dir, "visits.yaml"))
			}
			for _, b := range blocksOf(page(t, name)) {
				if b.file() != "" {
					must.Do(t, os.WriteFile(filepath.Join(dir, b.file()), []byte(b.text), 0o600))
				}
				if b.lang != "sh" || b.marked("elsewhere") {
					continue
				}
				cmd := exec.Command("bash", "-e", "-c", b.text)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				err := cmd.Run()
				must.Need(t, err == nil, "%s:%d: %v\n%s%s", name, b.line, err, stdout.String(), stderr.String())
				if b.output != nil {
					for _, line := range missing(*b.output, stdout.String()) {
						t.Errorf("%s:%d shows a line that the run did not print: %s\nit printed:\n%s", name, b.output.line, line, stdout.String())
					}
				}
			}
			if name == "docs/tutorials/first-release.md" {
				checkRelease(t, filepath.Join(dir, "out.release"))
			}
		})
	}
}

// checkRelease compares the files of a release with those that the reference lists.
func checkRelease(t *testing.T, dir string) {
	t.Helper()
	entries := must.Value(os.ReadDir(dir))(t)
	var got, want []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	for _, f := range files {
		if f[0] != "_answers.parquet" { // the tutorial's workload has no linear queries
			want = append(want, f[0])
		}
	}
	slices.Sort(want)
	must.Hold(t, slices.Equal(got, want), "a release holds %q, the reference lists %q", got, want)
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	b := must.Value(os.ReadFile(from))(t)
	must.Do(t, os.WriteFile(to, b, 0o600))
}

var (
	flagOf  = regexp.MustCompile(`\s--([a-z_]+)`)
	ofGo    = regexp.MustCompile(`go (?:install|get|run) github\.com/dapple-dp/dapple(/[\w/]*)?@latest`)
	command = regexp.MustCompile(`^dapple ([a-z]+) `)
)

// TestCommandsForElsewhere: commands that need a service have flags that the command knows, and what is installed is
// there.
func TestCommandsForElsewhere(t *testing.T) {
	help := func(of string) string {
		out, err := exec.Command(theCommand(t), "help", of).Output()
		must.Need(t, err == nil, "dapple help %s: %v", of, err)
		return string(out)
	}
	runners, seen := help("engines"), 0
	for _, name := range pages(t) {
		text := page(t, name)
		for _, m := range ofGo.FindAllStringSubmatch(text, -1) {
			seen++
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1])))
			must.Hold(t, err == nil, "%s: %s: there is no such package", name, m[0])
		}
		for _, b := range blocksOf(text) {
			for line := range strings.Lines(b.text) {
				m := command.FindStringSubmatch(line)
				if b.lang != "sh" || m == nil {
					continue
				}
				known := help(m[1]) + runners
				for _, f := range flagOf.FindAllStringSubmatch(line, -1) {
					seen++
					must.Hold(t, regexp.MustCompile(`\b`+f[1]+`\b`).MatchString(known), "%s:%d: dapple %s has no flag --%s", name, b.line, m[1], f[1])
				}
			}
		}
	}
	must.Hold(t, seen >= 50, "%d flags and packages were seen: the check is blind", seen)
}

// TestReadme: it is short, and names few flags.
func TestReadme(t *testing.T) {
	text := page(t, "README.md")
	if lines, words := strings.Count(text, "\n"), len(strings.Fields(text)); lines > 125 || words > 1100 {
		t.Errorf("README.md has %d lines and %d words, want at most 125 and 1,100: move what is for few readers to docs", lines, words)
	}
	flags := map[string]bool{}
	for _, m := range flagOf.FindAllStringSubmatch(text, -1) {
		flags[m[1]] = true
	}
	must.Hold(t, len(flags) <= 12, "README.md names %d flags, want at most 12", len(flags))
}

// TestStages: blocks of Go that show the stage are statements of a pipeline.
func TestStages(t *testing.T) {
	for _, name := range []string{"README.md", "docs/howto/linear-queries.md"} {
		code := ""
		for _, b := range blocksOf(page(t, name)) {
			if b.lang == "go" {
				code += b.text
			}
		}
		file := filepath.Join(t.TempDir(), "stage.go")
		program := "package stage\n\nimport (\n\t\"github.com/apache/beam/sdks/v2/go/pkg/beam\"\n\n\t\"github.com/dapple-dp/dapple/dp/domain\"\n\t\"github.com/dapple-dp/dapple/dp/query\"\n\t" +
			"\"github.com/dapple-dp/dapple/transforms/synth\"\n)\n\nvar _ query.Workload\n\nfunc stage(s beam.Scope, visits *domain.Domain, read func(beam.Scope) beam.PCollection, write func(beam.Scope, beam.PCollection)) error {\n" + code + "return nil\n}\n"
		must.Do(t, os.WriteFile(file, []byte(program), 0o600))
		out, err := exec.Command("go", "vet", file).CombinedOutput()
		must.Hold(t, err == nil && code != "", "the program of %s: %v\n%s", name, err, out)
	}
}

// TestPipelineOfPage: the files of the tutorial are a package that passes its own test.
func TestPipelineOfPage(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to link a pipeline; make integration does")
	}
	dir := must.Value(os.MkdirTemp(".", "page"))(t)
	defer os.RemoveAll(dir)
	files := 0
	for _, b := range blocksOf(page(t, "docs/tutorials/pipeline.md")) {
		if b.lang == "go" && b.file() != "" {
			if files++; os.WriteFile(filepath.Join(dir, b.file()), []byte(b.text), 0o600) != nil {
				t.Fatal(b.file())
			}
		}
	}
	out, err := exec.Command("go", "test", "-vet=all", "./"+dir).CombinedOutput()
	must.Hold(t, err == nil && files == 3, "%d files: %v\n%s", files, err, out)
}

// TestFiguresOfMethods: the errors of methods that README.md shows, and the slopes of the page of the methods, are those that
// the bench and the paper's page have.
func TestFiguresOfMethods(t *testing.T) {
	_, bench, _ := strings.Cut(page(t, "integration/research/bench/README.md"), "\n## adult7-3\n")
	whole := page(t, "integration/research/bench/README.md")
	adult, _, _ := strings.Cut(bench, "\n## ")
	_, paper, _ := strings.Cut(page(t, "integration/research/paper/README.md"), "## Against units n")
	paper, _, _ = strings.Cut(paper, "\n## ")
	rows := func(text, heading string) (list [][]string) {
		_, text, _ = strings.Cut(text, heading)
		text, _, _ = strings.Cut(text, "\n\n")
		for _, m := range regexp.MustCompile(`(?m)^\| ([^|]*?) \| ([^|]*?) \| ([^|]*?) \| ([^|]*?) \|$`).FindAllStringSubmatch(text, -1) {
			list = append(list, m[1:])
		}
		return list
	}
	errors := rows(page(t, "README.md"), "| method | average TV |")
	slopes := rows(page(t, "docs/explanation/methods.md"), "| method | slope, against the people |")
	must.Need(t, len(errors) == 8 && len(slopes) == 9, "%d rows of errors and %d of slopes: the check is blind", len(errors), len(slopes))
	for _, r := range errors {
		in, like := adult, `(?m)^\| 1 \| `+r[0]+`(?: \(auto\))? \| \d+ \| `+r[1]+` \| `+r[2]+` \|.* `+r[3]+` \|`
		if strings.HasPrefix(r[0], "AIM") {
			in, like = whole, `(?m)^\| AIM \| adult7-3 \| 1 \| `+r[1]+` \| `+r[2]+` \| `+r[3]+` \|`
		}
		must.Hold(t, regexp.MustCompile(like).MatchString(in), "README.md: %q is not what the bench has", r)
	}
	for _, r := range slopes {
		must.Hold(t, strings.Contains(paper, "| "+strings.Join(r, " | ")+" |"), "the page of the methods: %q is not what the paper's page has", r)
	}
}

// TestFiguresOfHistories: the errors of rows in order on their page are those that the bench has.
func TestFiguresOfHistories(t *testing.T) {
	text, bench := page(t, "docs/howto/histories.md"), page(t, "integration/research/bench/README.md")
	figure, rows := `\| ([\d.]+) `, 0
	of := regexp.MustCompile(`(?m)^\| (\w+) (\| \d+ )` + strings.Repeat(figure, 7) + `\|$`)
	for _, m := range of.FindAllStringSubmatch(text, -1) {
		rows++
		ordered := regexp.MustCompile(`\n\| ` + m[1] + ` \| in order ` + regexp.QuoteMeta(m[2]) + `\| \d+ \| ` + m[4] + ` \| ` + m[3] + ` \| ` + m[5] + ` \| .*`)
		line := ordered.FindString(bench)
		without := regexp.MustCompile(`\n\| ` + m[1] + ` \| without an order .* \| ` + m[9] + ` \| [\d.]+ \| [\d-]+ \|\n`)
		must.Hold(t, line != "" && strings.Contains(line, fmt.Sprintf(" | %s | %s | ", m[6], m[7])) && strings.Contains(line, fmt.Sprintf(" | %s | ", m[8])) && without.MatchString(bench),
			"%q is not what the bench has", m[0])
	}
	must.Hold(t, rows == 5, "%d tables, want 5", rows)
}

// TestVersionsOfPeers: the page on other tools names the versions that the bench and the tests run.
func TestVersionsOfPeers(t *testing.T) {
	text, seen := page(t, "docs/explanation/other-tools.md"), 0
	run := page(t, "integration/research/bench/sequential.py") + page(t, "integration/services/sdmetrics/requirements.txt")
	for _, m := range regexp.MustCompile(`"([\w-]+)": "(\d+\.\d+\.\d+)"|(?m)^([\w-]+)==(\S+)`).FindAllStringSubmatch(run, -1) {
		if name, version := m[1]+m[3], m[2]+m[4]; strings.Contains(text, name+" ") {
			if seen++; !strings.Contains(text, name+" "+version) {
				t.Errorf("%s is run as %s; the page says otherwise: read its release notes, and mend the page", name, version)
			}
		}
	}
	must.Hold(t, seen == 3, "%d versions were compared, want sdv, sdmetrics and mostlyai-engine", seen)
}

func TestBlocks(t *testing.T) {
	blocks := blocksOf("a\n```sh\nls\n```\nprints\n```text exact\n1 file …\n```\n```yaml file=a.yaml\nx: 1\n```\n```sh elsewhere\nrm\n```\n")
	must.Need(t, len(blocks) == 3 && blocks[0].output != nil && blocks[0].output.marked("exact") && blocks[1].file() == "a.yaml" && blocks[2].marked("elsewhere"),
		"%+v", blocks)
	lines := missing(*blocks[0].output, "0\n1 file and more\n")
	must.Hold(t, len(lines) == 0, "missing %q", lines)
	must.Hold(t, len(missing(*blocks[0].output, "2 files\n")) == 1, "another number passes for an exact one")
	lines = missing(block{text: "wrote 1,200 rows (3.5 kB)\n"}, "wrote 97 rows (12 kB)\n")
	must.Hold(t, len(lines) == 0, "missing %q", lines)
}
