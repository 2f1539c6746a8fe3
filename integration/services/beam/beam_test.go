package beam

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The examples run as they are told to: the one in Python starts the command itself, the one in YAML finds a service, on
// Python's own runner and on prism, which may choose between the service's processes and containers. Nothing warns of a run
// that goes well but Beam itself, of packages that it is installed without.
func TestExamples(t *testing.T) {
	_ = python(t)
	t.Run("Python", func(t *testing.T) {
		dir := examples(t, "people.py", "people.yaml")
		quiet(t, start(t, dir, "people.py").end(t, true))
		lines(t, dir, map[string]int{"synthetic-*.txt": 1000, "promise-*.txt": 1})
		must.Equal(t, readAll(t, dir, "promise-*.txt"), "ε = 1, δ = 0, add or remove one person\n", "promise")
	})
	onYAML := func(env string, options []string) {
		t.Run("YAML "+env, func(t *testing.T) {
			s, dir := serve(t, "--env="+env), examples(t, "pipeline.yaml")
			copyTo(t, dir, "../../../pipelines/python/src/dapple/provider.yaml", func(text string) string { return strings.ReplaceAll(text, "8097", s.port) })
			quiet(t, start(t, dir, append([]string{"-m", "apache_beam.yaml.main", "--yaml_pipeline_file=pipeline.yaml"}, options...)...).end(t, true))
			lines(t, dir, map[string]int{"synthetic.csv-*": 101, "statement.json-*": 1})
			until(t, "the end of the workers", func() bool { return len(workers(t, s.pid)) == 0 })
		})
	}
	onYAML("local", nil)
	options, _ := onPrism(t)
	onYAML("anyof", options)
}

// quiet sees no warning, error or trace in what a run said.
func quiet(t *testing.T, said string) {
	t.Helper()
	for line := range strings.Lines(said) {
		beams := strings.HasPrefix(line, "WARNING:root:apitools not found") || strings.HasPrefix(line, "WARNING:root:Could not load ML transform module")
		must.Hold(t, beams || !regexp.MustCompile(`WARN|ERROR|CRITICAL|Traceback|Exception`).MatchString(line), "it said %q", line)
	}
}

func examples(t *testing.T, names ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		copyTo(t, dir, "../../../pipelines/python/examples/"+name, func(text string) string { return text })
	}
	return dir
}

// lines counts the lines of the files of patterns.
func lines(t *testing.T, dir string, want map[string]int) {
	t.Helper()
	for pattern, lines := range want {
		must.Equal(t, strings.Count(readAll(t, dir, pattern), "\n"), lines, "%s: lines", pattern)
	}
}

func readAll(t *testing.T, dir, pattern string) (text string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	must.Need(t, err == nil && len(names) != 0, "%s: no file, %v", pattern, err)
	for _, name := range names {
		b := must.Value(os.ReadFile(name))(t)
		text += string(b)
	}
	return text
}

// Python's own runner, and a standalone prism with Python's workers in the driver.
func TestRunners(t *testing.T) {
	_ = python(t)
	options, log := onPrism(t)
	for name, on := range map[string]struct {
		options []string
		log     string // of the runner; empty: the driver's
	}{"local": {}, "prism": {options, log}} {
		t.Run(name+" types", func(t *testing.T) { types(t, on.options) })
		t.Run(name+" discover", func(t *testing.T) { finds(t, on.options) })
		t.Run(name+" histories", func(t *testing.T) { histories(t, on.options) })
		t.Run(name+" marginals", func(t *testing.T) { sameMarginals(t, on.options) })
		t.Run(name+" errors", func(t *testing.T) { sentences(t, on.options, on.log) })
		t.Run(name+" drivers", func(t *testing.T) { drivers(t, on.options) })
		t.Run(name+" deaths", func(t *testing.T) { deaths(t, on.options) })
	}
}

// Every type goes in and comes out as itself, timestamps of both kinds.
func types(t *testing.T, options []string) {
	said := start(t, t.TempDir(), append([]string{script(t, "alltypes.py")}, options...)...).end(t, true)
	for _, label := range []string{"micros", "millis"} {
		right := 0
		if at := strings.Index(said, label+" True "); at >= 0 {
			_, _ = fmt.Sscan(said[at+len(label+" True "):], &right) // 0 is wrong
		}
		must.Hold(t, right >= 190, "%s: %d rows are right:\n%s", label, right, said) // of 200
	}
}

// A domain is found in one pipeline, with its charge and without a value that nobody shares, and another synthesizes with it. Noise
// makes a range or the number of rows larger in one of some hundreds of runs: what they are is not compared.
func finds(t *testing.T, options []string) {
	said := start(t, t.TempDir(), append([]string{script(t, "discover.py")}, options...)...).end(t, true)
	for _, want := range []string{"rows ", "left out ['note: no value was found", "name: \"ward\", type: STRING, values: [\"", "name: \"nights\", type: INT64, min: ", "found: {id: \"", "rows: {max: ",
		"values: [eye, heart], other: true} # as it is known", "{name: nights, type: INT64, min: 0, max: "} {
		must.Hold(t, strings.Contains(said, want), "nothing says %s:\n%s", want, said)
	}
	ids := regexp.MustCompile(`found: \{id: "(\w+)"`).FindAllStringSubmatch(said, -1)
	must.Hold(t, len(ids) == 2 && ids[0][1] != ids[1][1], "the findings are %v; want two, each with an ID of its noise", ids)
	must.Hold(t, !strings.Contains(said, "canary"), "a cell is told:\n%s", said)
}

// Rows of people come back with the number of the person, and follow each other as those that went in. The script sees to it that
// a person has one sex and at most 8 rows.
func histories(t *testing.T, options []string) {
	said := start(t, t.TempDir(), append([]string{script(t, "histories.py")}, options...)...).end(t, true)
	_, text, _ := strings.Cut(said, "pairs ")
	var pairs, follow int
	if _, err := fmt.Sscan(text, &pairs, &follow); err != nil || pairs < 5000 || pairs > 7500 || follow < pairs*9/10 { // 6,000 went in
		t.Errorf("%d of %d rows follow the one before: %v\n%s", follow, pairs, err, said)
	}
}

const domain = `privacy_id: person
columns:
  - {name: sex, type: STRING, values: [Female, Male], fallback: Female}
  - {name: age, type: INT64, min: 0, max: 100, bins: 5, fallback: 0}
  - {name: cost, type: FLOAT64, edges: [0, 100, 200, 400, 800], "null": true}
`

// Rows of a pipeline in Python have the marginals of a pipeline in Go on the same records.
func sameMarginals(t *testing.T, options []string) {
	dir := t.TempDir()
	people := "person,sex,age,cost\n"
	for i := range 3000 {
		age, cost := i*37%60+i%3*20, ""
		if i%7 != 0 {
			cost = fmt.Sprint(age*8 + i%5)
		}
		people += fmt.Sprintf("p%d,%s,%d,%s\n", i, []string{"Female", "Male"}[i*i%5%2], age, cost)
	}
	for name, text := range map[string]string{"people.csv": people, "people.yaml": domain} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.Command(program(t), "synth", "--domain=people.yaml", "--input=people.csv", "--output=go", "--epsilon=5", "--delta=1e-6", "--format=csv", "--quiet")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	must.Need(t, err == nil, "%v\n%s", err, out)
	want := marginals(t, readAll(t, dir, "go/*.csv"))
	said := start(t, dir, append([]string{script(t, "marginals.py"), "people.csv", "people.yaml", "python.csv", filepath.Join(dir, "store")}, options...)...).end(t, true)
	_, text, _ := strings.Cut(said, "expanded in ")
	took := math.Inf(1)
	_, err = fmt.Sscan(text, &took)
	must.Hold(t, err == nil && took <= 5, "the quickest expansion of three took %g s: %v", took, err)
	t.Logf("expanded in %g s", took)
	_, text, _ = strings.Cut(said, "the release is ")
	place, _, _ := strings.Cut(text, "\n")
	_, err = os.Stat(place)
	must.Hold(t, filepath.Dir(place) == filepath.Join(dir, "store") && err == nil, "the statement says that the release is %q: %v", place, err)
	// Rows of two releases differ by the noise of both, at most √2 times the noise of the largest scale in the ledger for each
	// marginal, and by rounding. Eight of its standard deviations are exceeded by none of 100 cells with a probability
	// of 1−1e-13.
	most := 8*math.Sqrt2*largestScale(t, said) + 4
	got := marginals(t, readAll(t, dir, "python.csv"))
	for cell, n := range want {
		must.Hold(t, math.Abs(got[cell]-n) <= most, "%s has %g rows, %g in Go; at most %.1f apart", cell, got[cell], n, most)
	}
	must.Need(t, len(want) >= 30, "%d cells", len(want))
}

// largestScale is the largest standard deviation of a noisy marginal in a ledger.
func largestScale(t *testing.T, said string) (most float64) {
	t.Helper()
	var ledger struct {
		Ledger []struct{ Stage, Scale string }
	}
	at := strings.Index(said, `{"epsilon"`)
	must.Need(t, at >= 0 && json.NewDecoder(strings.NewReader(said[at:])).Decode(&ledger) == nil, "no ledger in:\n%s", said)
	for _, line := range ledger.Ledger {
		if strings.Contains(line.Stage, "scores") || line.Stage == "total" {
			continue
		}
		for _, m := range regexp.MustCompile(`(\d+)/(\d+)`).FindAllStringSubmatch(line.Scale, -1) {
			num, _ := strconv.ParseFloat(m[1], 64)
			den, _ := strconv.ParseFloat(m[2], 64)
			most = max(most, math.Sqrt(num/den))
		}
	}
	must.Need(t, most > 0 && most < 20, "the largest standard deviation is %g", most)
	return most
}

// marginals counts rows of sex, age and cost by cells of one column and of pairs.
func marginals(t *testing.T, text string) map[string]float64 {
	t.Helper()
	rows := must.Value(csv.NewReader(strings.NewReader(strings.ReplaceAll(text, "\r", ""))).ReadAll())(t)
	counts := map[string]float64{}
	for _, r := range rows {
		if r[0] == "sex" {
			continue
		}
		age := must.Value(strconv.Atoi(r[1]))(t)
		cost := "NULL"
		if v, err := strconv.ParseFloat(r[2], 64); err == nil {
			cost = fmt.Sprint(math.Floor(math.Log2(max(v, 50) / 50)))
		}
		cells := []string{"sex " + r[0], fmt.Sprint("age ", min(age, 99)/20), "cost " + cost}
		for i, a := range cells {
			counts[a]++
			for _, b := range cells[i+1:] {
				counts[a+", "+b]++
			}
		}
	}
	return counts
}

// Faults reach Python as one sentence each, and no text holds a cell: neither what the driver says, its workers and the
// service with it, nor the runner's log.
func sentences(t *testing.T, options []string, log string) {
	said := start(t, t.TempDir(), append([]string{script(t, "errors.py")}, options...)...).end(t, true)
	for _, want := range []string{
		`domain: dapple: domain:3:39: column "sex": values: the list is empty`,
		"option: dapple: row is no option of Synthesize",
		"epsilon: dapple: epsilon -1: want a finite number above 0",
		`missing: dapple: column "sex" of the domain is no field of the rows; the rows have id, gender`,
		`int16: dapple: field "x" is INT16`,
		`datetime: dapple: field "at" is of any type`,
		"elements: dapple: the elements are no rows with a schema",
		"windows: dapple: the rows are in windows",
		"service: dapple: nothing answers at localhost:9; start it by: dapple expand --port=9",
		"program: dapple: there is no program no-such-dapple",
		"version: dapple: apache-beam 2.40.0 is installed",
		"newer: dapple: apache-beam 2.99.0 is newer than",
		"store: dapple: store is required on FlinkRunner",
		"first: it is expanded",
		"second: it is expanded",
		"twice: dapple: another release is made of these people, and their losses add",
		"third: dapple: a release of ε = 0.6 does not fit a Budget of ε = 1",
		"run: dapple: synth: noting the launch",
		"unfit: it ran",
	} {
		must.Hold(t, strings.Contains(said, want), "nothing says %s", want)
	}
	if log != "" {
		text, err := os.ReadFile(log)
		must.Hold(t, err == nil && bytes.Contains(text, []byte("synth: noting the launch")), "the runner's log lacks what its workers said: %v", err)
		said += string(text)
	}
	must.Hold(t, !strings.Contains(said, "canary") && !strings.Contains(said, "731731731731") && !strings.Contains(said, "NO ") && !t.Failed(), "it said\n%s", said)
}

// job.py makes rows by a service: of each so many, or of as many as were read.
func (s service) job(t *testing.T, read, made int, options []string) *job {
	t.Helper()
	return start(t, t.TempDir(), append([]string{script(t, "job.py"), fmt.Sprint(read), fmt.Sprint(made), "localhost:" + s.port, ""}, options...)...)
}

// Two drivers share a service, and their workers end.
func drivers(t *testing.T, options []string) {
	s := serve(t)
	first, second := s.job(t, 20_000, 0, options), s.job(t, 20_000, 0, options)
	for _, j := range []*job{first, second} {
		must.Contain(t, j.end(t, true), "rows ")
	}
	until(t, "the end of the workers", func() bool { return len(workers(t, s.pid)) == 0 })
}

// A worker that ends early ends its job in words, in the middle of its work or before it.
func deaths(t *testing.T, options []string) {
	at := filepath.Join(t.TempDir(), "dapple")
	must.Do(t, os.Link(program(t), at))
	s := serveBy(t, at)
	j := s.job(t, 1000, 1_000_000_000, options) // a quarter of an hour
	until(t, "a worker at work", func() bool { return cpu(workers(t, s.pid)) > time.Second })
	for _, pid := range workers(t, s.pid) {
		must.Pass(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	const want = "dapple: its worker ended before its work did ("
	if said := j.end(t, false); !strings.Contains(said, want+"signal: killed); a machine that is short of memory") {
		t.Error(said[max(0, len(said)-2000):])
	}

	// From here on the program that the pool starts is another.
	must.Do(t, os.WriteFile(at+"2", []byte("#!/bin/sh\necho no room >&2\nexit 3\n"), 0o700))
	must.Do(t, os.Rename(at+"2", at))
	if said := s.job(t, 100, 0, options).end(t, false); !strings.Contains(said, want+"exit status 3): no room") {
		t.Error(said[max(0, len(said)-2000):])
	}
}
