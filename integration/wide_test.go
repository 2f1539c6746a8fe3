package integration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
	"github.com/dapple-dp/dapple/internal/testkit/widetable"
)

// command is the real binary.
type command struct{ path string }

// binary is the command as built for the first test that wants it.
var binary struct {
	sync.Once
	dir, path string
	err       error
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(binary.dir)
	os.Exit(code)
}

func buildCommand(t *testing.T) command {
	t.Helper()
	binary.Do(func() {
		if binary.dir, binary.err = os.MkdirTemp("", "dapple-command-"); binary.err == nil {
			binary.path, binary.err = program.Build("..", binary.dir)
		}
	})
	must.Need(t, binary.err == nil, "%v", binary.err)
	return command{binary.path}
}

// outcome is how a command ended.
type outcome struct {
	stdout, stderr string
	status         int
	cpu            time.Duration
	memory         int64 // bytes, largest resident set
}

// patience is far above what a command of these tests takes on a busy machine: twenty seconds, if it says no
// other.
const patience = 5 * time.Minute

// run runs the command to its end, for at most the given time.
func (c command) run(t *testing.T, patience time.Duration, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Env = append(os.Environ(), "GOGC=100") // as people run it: its memory is looked at
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	must.Need(t, ctx.Err() == nil, "dapple %s: not done after %v", strings.Join(args, " "), patience)
	exit := (*exec.ExitError)(nil)
	must.Need(t, err == nil || errors.As(err, &exit), "%v", err)
	s := cmd.ProcessState
	o := outcome{stdout: stdout.String(), stderr: stderr.String(), status: s.ExitCode(), cpu: s.UserTime() + s.SystemTime()}
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		o.memory = u.Maxrss << 10
	}
	return o
}

// brokenLine is where a long line of output goes on in the next one.
var brokenLine = regexp.MustCompile(`\n +`)

// want fails if the command did not end with status, or its output lacks a text.
func (o outcome) want(t *testing.T, status int, texts ...string) {
	t.Helper()
	must.Hold(t, o.status == status, "exit status %d, want %d", o.status, status)
	for _, text := range texts {
		must.Hold(t, strings.Contains(brokenLine.ReplaceAllString(o.stdout+o.stderr, " "), text), "the output lacks %q", text)
	}
	must.Hold(t, !strings.Contains(o.stderr, "goroutine "), "the command panicked")
	if t.Failed() {
		t.Logf("standard output:\n%.3000s\nstandard error:\n%.3000s", o.stdout, o.stderr)
	}
}

// wide writes a made-up table and its domain file to a new directory.
func wide(t *testing.T, p widetable.Params) (dir string) {
	t.Helper()
	dir = t.TempDir()
	w := widetable.New(p)
	for name, write := range map[string]func(io.Writer) error{"domain.yaml": w.WriteDomain, "table.csv": w.WriteCSV} {
		f := must.Value(os.Create(filepath.Join(dir, name)))(t)
		must.Do(t, write(f))
		must.Do(t, f.Close())
	}
	return dir
}

// request is the arguments of a command on the table in dir.
func request(name, dir string, more ...string) []string {
	return append([]string{name, "--domain=" + filepath.Join(dir, "domain.yaml"), "--input=" + filepath.Join(dir, "table.csv"),
		"--output=" + filepath.Join(dir, "out"), "--epsilon=1", "--delta=1e-9"}, more...)
}

// given writes a domain file and a table to a new directory.
func given(t *testing.T, domain, table string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range map[string]string{"domain.yaml": domain, "table.csv": table} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
	}
	return dir
}

// manyValues is a domain with a column of n categories.
func manyValues(n int) string {
	var b strings.Builder
	b.WriteString("privacy_id: none\ncolumns:\n  - {name: a, type: STRING, other: true, values: [v0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ",v%d", i)
	}
	b.WriteString("]}\n")
	return b.String()
}

// bins is a domain with two columns of n bins, and one of two values.
func bins(n int) string {
	return fmt.Sprintf("privacy_id: none\ncolumns:\n  - {name: a, type: INT64, min: 0, max: %[1]d, bins: %[2]d, fallback: 0}\n"+
		"  - {name: b, type: INT64, min: 0, max: %[1]d, bins: %[2]d, fallback: 0}\n  - {name: c, type: BOOL, fallback: false}\n", n-1, n)
}

const constants = "privacy_id: none\ncolumns:\n  - {name: a, type: STRING, values: [x], fallback: x}\n  - {name: b, type: STRING, values: [y], fallback: y}\n"

// Limits are public rules: what is too large is refused with status 2, the figures and a way out, before
// anything is read or any long list is made; what is left out is said by plan.
func TestWideLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for whole runs of wide tables; make integration runs it")
	}
	c := buildCommand(t)
	for _, tt := range []struct {
		name   string
		dir    string
		args   []string
		status int
		want   []string
	}{
		{"a million categories", given(t, manyValues(1_000_000), "a\nv0\n"), nil, 2,
			[]string{"1000000 categories, at most 65534 are possible", "list the frequent ones and set other: true"}},
		{"a million bins", given(t, bins(1_000_000), "a,b,c\n"), nil, 2, []string{"at most 65535 are possible", "fewer, wider bins"}},
		{"no marginal is small enough", given(t, bins(5), "a,b,c\n"), []string{"--max_cells=1"}, 2,
			[]string{`--max_cells: got 1; column "a" has 5 cells, column "b" has 5 cells, column "c" has 2 cells`, "raise it"}},
		{"a column beyond max_cells", given(t, bins(20_000), "a,b,c\n"), nil, 2, []string{`column "a" has 20000 cells`, "nothing would be known"}},
		{"pairs beyond max_cells are left out", given(t, bins(2000), "a,b,c\n"), nil, 0, []string{"2 tables of more cells than --max_cells"}},
		{"pairs too large to be measured", given(t, bins(2000), "a,b,c\n"), []string{"--max_cells=1e7"}, 0,
			[]string{"2 tables too wide or large for method rake"}},
		{"tables beyond the memory", wide(t, widetable.Params{Columns: 60, People: 1}), []string{"--max_cells=1e7", "--memory_limit=1"}, 2,
			[]string{"the tables worth scoring take", "raise --memory_limit"}},
		{"constants alone", given(t, constants, "a,b\nx,y\n"), nil, 0, []string{"tables of two columns miss 0 %"}},
		{"200 columns", wide(t, widetable.Params{Columns: 200, People: 1}), nil, 0,
			[]string{"marginals of up to 2 columns, as 200 columns have more than 250000 of up to 3"}},
		{"200 columns, triples", wide(t, widetable.Params{Columns: 200, People: 1}), []string{"--marginals=3"}, 2,
			[]string{"200 columns have more than the 250000 marginals of up to 3 columns", "set --marginals=2"}},
		{"fours of a wide domain", wide(t, widetable.Params{Columns: 20, People: 1}), []string{"--marginals=4"}, 0,
			[]string{"too wide or large for method rake"}},
		{"60 columns, fives", wide(t, widetable.Params{Columns: 60, People: 1}), []string{"--marginals=5"}, 2, []string{"set --marginals=3"}},
		{"records that are kept", wide(t, widetable.Params{Columns: 30, People: 1}), nil, 0, nil},
		{"1,000 columns", wide(t, widetable.Params{Columns: 1000, People: 1}), nil, 2,
			[]string{"1000 columns have more than the 250000 marginals of up to 2 columns", "set --marginals=1, list those that matter under workload:"}},
		{"300 columns, ones", wide(t, widetable.Params{Columns: 300, People: 1}), []string{"--marginals=1"}, 0,
			[]string{"shares of single columns miss "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := c.run(t, patience, request("plan", tt.dir, tt.args...)...)
			got.want(t, tt.status, tt.want...)
			must.Hold(t, got.memory <= 1<<30, "%d MB of memory for a plan", got.memory>>20)
		})
	}
}

// Evaluating has the same limit, and no list is made of the triples of a domain file that lists its own
// marginals.
func TestWideEvaluate(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for whole runs of wide tables; make integration runs it")
	}
	c, dir := buildCommand(t), wide(t, widetable.Params{Columns: 1000, People: 50})
	table := filepath.Join(dir, "table.csv")
	file := filepath.Join(dir, "domain.yaml")
	args := []string{"evaluate", "--domain=" + file, "--input=" + table, "--synthetic=" + table}
	c.run(t, patience, args...).want(t, 2, "--marginals: 1000 columns have more than 250000 marginals of up to 3 columns", "compare narrower ones")
	declared := must.Value(os.ReadFile(file))(t)
	must.Do(t, os.WriteFile(file, append(declared, "workload:\n  - {columns: [c000_category, c001_category]}\n"...), 0o666))
	got := c.run(t, patience, args...)
	got.want(t, 0)
	must.Hold(t, got.memory <= 1<<30, "%d MB of memory for one marginal", got.memory>>20)
}

// Columns of one value cost nothing and come back as they are.
func TestConstantColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for whole runs of wide tables; make integration runs it")
	}
	c, dir := buildCommand(t), given(t, constants, "a,b\n"+strings.Repeat("x,y\n", 500))
	c.run(t, patience, request("synth", dir, "--format=csv", "--shards=1", "--rows=7")...).want(t, 0, "wrote   7 rows", "2 releases")
	must.Equal(t, part(t, filepath.Join(dir, "out"), 0, 1), "a,b\n"+strings.Repeat("x,y\n", 7), "the rows")
}

// part returns the content of one file of rows.
func part(t *testing.T, dir string, shard, shards int) string {
	t.Helper()
	b := must.Value(os.ReadFile(filepath.Join(dir, fmt.Sprintf("part-%05d-of-%05d.csv", shard, shards))))(t)
	return string(b)
}

// The files of any number of shards, one after the other, are the file of one.
func TestShardsAreOneTable(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for whole runs of wide tables; make integration runs it")
	}
	c, dir := buildCommand(t), wide(t, widetable.Params{Columns: 12, People: 2000, Seed: 5})
	c.run(t, patience, request("synth", dir, "--marginals=2")...).want(t, 0)
	for _, rows := range []int{2, 2001} {
		var whole string
		for _, shards := range []int{1, 3, 8} {
			out := filepath.Join(dir, fmt.Sprintf("out-%d-%d", rows, shards))
			c.run(t, patience, "sample", "--model="+filepath.Join(dir, "out.release", "_model.arrow"), "--output="+out, "--format=csv", "--sample_seed=3",
				fmt.Sprintf("--rows=%d", rows), fmt.Sprintf("--shards=%d", shards)).want(t, 0)
			var joined strings.Builder
			for i := range shards {
				header, lines, _ := strings.Cut(part(t, out, i, shards), "\n")
				if i == 0 {
					joined.WriteString(header + "\n")
				}
				joined.WriteString(lines)
			}
			if whole == "" {
				whole = joined.String()
			}
			n := strings.Count(whole, "\n")
			must.Hold(t, n == rows+1 && joined.String() == whole, "%d rows in %d shards differ from those in one, which has %d lines", rows, shards, n)
		}
	}
}

// Bars for the whole command on wide tables, CSV in, Parquet out, without a tuning flag: daily two thirds of the columns
// and a fifth of the people: the fit of pairs takes most of the time.
func TestWideBars(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for a wide table, half a minute; make integration runs it")
	}
	c := buildCommand(t)
	tables, longest, most := []widetable.Params{{Columns: 40, People: 200_000, ID: "person_id"}}, 90*time.Second, int64(3<<29)
	if dptest.Nightly() {
		tables = append(tables, widetable.Params{Columns: 60, People: 200_000, ID: "person_id"}, widetable.Params{Columns: 60, People: 1_000_000}, widetable.Params{Columns: 60, People: 1_000_000, ID: "person_id"}, widetable.Params{Columns: 100, People: 200_000})
		longest, most = 10*time.Minute, 4<<30
	}
	for _, tt := range tables {
		dir := wide(t, tt)
		var got outcome
		for range 3 { // on a busy machine a run in some takes more: the least of three counts
			got = c.run(t, 20*time.Minute, request("synth", dir, "--overwrite")...)
			got.want(t, 0, "wrote ")
			t.Logf("%d columns, %d people, ID %q: %.1f CPU-s, %d MB", tt.Columns, tt.People, tt.ID, got.cpu.Seconds(), got.memory>>20)
			if got.cpu <= longest && got.memory <= most {
				break
			}
		}
		must.Hold(t, got.cpu <= longest && got.memory <= most,
			"%d columns, %d people: %v CPU and %d MB, want at most %v and %d MB", tt.Columns, tt.People, got.cpu, got.memory>>20, longest, most>>20)
	}
}

// Ten million rows take no more memory than a thousand, but for one row group and page of each file being
// written, which do not grow, and for what the collector has not freed yet. 7 MB more at most are measured, on a
// busy machine; the codes alone of all rows would be 60 MB.
func TestRowsTakeNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to write 20 million rows; make integration runs it")
	}
	c, dir := buildCommand(t), given(t, bins(50), "a,b,c\n"+strings.Repeat("1,2,true\n3,4,false\n", 500))
	c.run(t, patience, request("synth", dir)...).want(t, 0)
	for _, format := range []string{"csv", "parquet"} {
		tables := 0
		took := func(rows string) int64 {
			tables++
			got := c.run(t, 20*time.Minute, "sample", "--model="+filepath.Join(dir, "out.release", "_model.arrow"),
				"--output="+filepath.Join(dir, fmt.Sprint(format, tables)), "--format="+format, "--rows="+rows)
			got.want(t, 0)
			t.Logf("%s, %s rows: %d MB, %.1f CPU-s", format, rows, got.memory>>20, got.cpu.Seconds())
			return got.memory
		}
		least, most := took("1e3"), took("1e7")
		for range 2 { // on a busy machine a run in some takes more: the least of three counts
			if most > least+48<<20 {
				most = min(most, took("1e7"))
			}
		}
		must.Hold(t, most <= least+48<<20, "%s: %d MB for 1e7 rows, %d MB for 1e3", format, most>>20, least>>20)
	}
}
