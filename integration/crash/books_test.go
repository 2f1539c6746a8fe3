package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

// TestBooksByAModel runs random sequences of commands on one budget book, some of them killed, interrupted or failing at a random
// file operation, some two at once, and counts every mark that noise is drawn as the kernel sees it made. After each command the
// book has at least as many findings and runs as were drawn. It has exactly as many where nothing was killed or failed to write,
// and again once what unfinished runs have left is removed.
func TestBooksByAModel(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: hundreds of runs; make integration runs 12 sequences, and make nightly 500")
	}
	if why := canTrace(); why != "" {
		t.Skip("missing: " + why)
	}
	sequences := uint64(12)
	if os.Getenv("DAPPLE_NIGHTLY") != "" {
		sequences = 500
	}
	dapple, err := program.Build("../..", t.TempDir())
	must.Do(t, err)
	var sum drawn
	for seed := range sequences {
		m := &model{T: t, seed: seed, program: dapple, random: rand.New(rand.NewPCG(46, seed))}
		m.begin()
		for range 5 {
			m.step()
		}
		m.clean()
		_ = os.RemoveAll(m.home)
		sum.findings, sum.runs = sum.findings+m.drawn().findings, sum.runs+m.drawn().runs
		if t.Failed() {
			break // the first says enough
		}
	}
	t.Logf("figure: %d sequences, %d findings and %d runs have drawn", sequences, sum.findings, sum.runs)
	must.Hold(t, sum.findings >= int(sequences)/3 && sum.runs >= int(sequences), "too few to say anything: %+v", sum)
}

// drawn counts what has drawn noise, or what is entered in a book.
type drawn struct{ findings, runs int }

// model is one sequence of commands, with what is to be true of the book.
type model struct {
	*testing.T
	seed    uint64
	program string
	random  *rand.Rand
	home    string
	loose   bool // something was killed or could not be written: the book may have more
	log     []string
}

func (m *model) in(name string) string { return filepath.Join(m.home, name) }

func (m *model) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// begin makes a table, a domain file, one with an open part, and a book.
func (m *model) begin() {
	m.Helper()
	base, err := os.MkdirTemp("/dev/shm", "dapple-books-")
	if err != nil {
		base = m.TempDir()
	}
	m.Cleanup(func() { _, _ = os.RemoveAll(base), os.Remove(base+".draws") })
	m.home = base
	var rows strings.Builder
	rows.WriteString("person,sex,age,ward\n")
	for i := range 1500 {
		fmt.Fprintf(&rows, "p%d,%s,%d,%s\n", i, []string{"F", "M"}[i%2], i%64, []string{"A", "B", "C"}[i%3])
	}
	m.must(os.MkdirAll(m.in("tmp"), 0o700))
	m.must(os.WriteFile(m.in("people.csv"), []byte(rows.String()), 0o600))
	m.must(os.WriteFile(m.in("broken.csv"), []byte(rows.String()+"p,\"F,1,A\n"), 0o600))
	declared := "privacy_id: person\ncolumns:\n  - {name: sex, type: STRING, values: [F, M], other: true}\n  - {name: ward, type: STRING, values: [A, B, C], other: true}\n"
	m.must(os.WriteFile(m.in("declared.yaml"), []byte(declared), 0o600))
	for _, args := range [][]string{
		{"--create=people", "--input=" + m.in("people.csv"), "--privacy_id=person", "--epsilon=15", "--delta=1e-3"},
		{"--input=" + m.in("broken.csv")},
	} {
		if status, text := m.run(nil, append([]string{"ledger", m.in("book")}, args...)); status != 0 {
			m.Fatal(text)
		}
	}
}

// command is a random command that may draw noise.
func (m *model) command() []string {
	output := "--output=" + m.in([]string{"a", "b"}[m.random.IntN(2)])
	args := []string{"synth", "--input=" + m.in("people.csv"), output, "--overwrite", "--delta=1e-6", "--quiet", "--ledger=" + m.in("book"), fmt.Sprintf("--epsilon=%d", 1+m.random.IntN(2)),
		fmt.Sprintf("--marginals=%d", 1+m.random.IntN(2))}
	if m.random.IntN(4) == 0 {
		args[1] = "--input=" + m.in("broken.csv")
	}
	if m.random.IntN(3) == 0 {
		args = append(args, []string{"--run_id=r1", "--run_id=r2"}[m.random.IntN(2)])
	}
	found := m.in("found.yaml")
	_, err := os.Stat(found)
	switch kind := m.random.IntN(5); {
	case kind == 0 && err == nil:
		return append(args, "--domain="+found)
	case kind == 0:
		return []string{"infer", args[1], "--output=" + found, "--privacy_id=person", "--epsilon=1", "--delta=1e-6", "--ledger=" + m.in("book")}
	case kind <= 2:
		return append(args, "--privacy_id=person", "--domain_share=0.3")
	}
	return append(args, "--domain="+m.in("declared.yaml"))
}

// step runs a command, or two at once, or one that costs nothing, and compares.
func (m *model) step() {
	m.Helper()
	switch kind := m.random.IntN(10); {
	case kind == 0:
		m.run(nil, []string{"clean", m.in("a")})
	case kind == 1:
		m.run(nil, []string{"sample", m.in("a"), "--output=" + m.in("rows"), "--overwrite", "--quiet"})
	case kind <= 3:
		first := m.command()
		second := first
		if m.random.IntN(2) == 0 {
			second = m.command()
		}
		var both sync.WaitGroup
		for i, args := range [][]string{first, second} {
			wait := time.Duration(i*m.random.IntN(400)) * time.Millisecond
			both.Go(func() { time.Sleep(wait); m.run(&plan{}, args) })
		}
		both.Wait()
	default:
		p := &plan{}
		switch m.random.IntN(5) {
		case 0:
			p.At, p.Do, m.loose = 1+m.random.IntN(160), "kill", true
		case 1:
			p.At, p.Do, p.Code, m.loose = 1+m.random.IntN(160), "errno", int(syscall.ENOSPC), true
		case 2:
			p.At, p.Do, p.Code = 1+m.random.IntN(160), "signal", int(syscall.SIGTERM)
		}
		m.run(p, m.command())
	}
	m.compare()
}

// clean removes all that is left. What a killed finding was charged may stay charged: a later request of the same output has
// replaced what it left.
func (m *model) clean() {
	m.Helper()
	for _, output := range []string{"a", "b", "found.yaml"} {
		m.run(nil, []string{"clean", m.in(output), "--releases"})
	}
	m.run(nil, []string{"clean", "--releases"})
	m.compare()
}

var noted sync.Mutex

// run runs a command to its end, under the tracer if there is a plan, and notes it.
func (m *model) run(p *plan, args []string) (status int, text string) {
	m.Helper()
	cmd := exec.Command(m.program, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+m.in("tmp"))
	if p != nil {
		noted.Lock()
		p.Within, p.Draws, p.Log = m.home+"/", m.home+".draws", fmt.Sprintf("%s.log%d", m.home, len(m.log))
		m.log = append(m.log, "")
		noted.Unlock()
		defer os.Remove(p.Log)
		b, err := json.Marshal(p)
		m.must(err)
		cmd = exec.Command(os.Args[0], append([]string{m.program}, args...)...)
		cmd.Env = append(os.Environ(), "TMPDIR="+m.in("tmp"), role+"=tracer", planText+"="+string(b))
	}
	patience := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer patience.Stop()
	out, _ := cmd.CombinedOutput() // its status is what counts
	status, text = cmd.ProcessState.ExitCode(), string(out)
	noted.Lock()
	defer noted.Unlock()
	m.loose = m.loose || status < 0 // it has taken too long, and was killed
	m.log = append(m.log, fmt.Sprintf("%+v %s\nstatus %d: %s", p, strings.ReplaceAll(strings.Join(args, " "), m.home, ""), status, text))
	return status, text
}

// drawn counts the marks that were made.
func (m *model) drawn() (d drawn) {
	text, _ := os.ReadFile(m.home + ".draws") // none is there before the first
	for mark := range strings.Lines(string(text)) {
		if strings.Contains(mark, ".found.drawn") {
			d.findings++
		} else {
			d.runs++
		}
	}
	return d
}

var standing = regexp.MustCompile(`(?m)^ +\d+ .* (run|domain) \S+ for .*$`)

// compare compares the book with what was drawn.
func (m *model) compare() {
	m.Helper()
	status, text := m.run(nil, []string{"ledger", m.in("book")})
	var book drawn
	for _, line := range standing.FindAllStringSubmatch(text, -1) {
		switch {
		case strings.Contains(line[0], "taken back"):
		case line[1] == "domain":
			book.findings++
		default:
			book.runs++
		}
	}
	have := m.drawn()
	if status == 0 && book.findings >= have.findings && book.runs >= have.runs && (m.loose || book == have) {
		return
	}
	m.Errorf("sequence %d: the book has %+v, and %+v have drawn (exact: %v):\n%s", m.seed, book, have, !m.loose, strings.Join(m.log, "\n"))
}
