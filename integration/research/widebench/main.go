// Command widebench prints what wide tables cost: CPU seconds on one core, and peak memory.
//
//	go -C integration/research run ./widebench
//
// Each line is a made-up table, from CSV to Parquet, by the real binary and without a tuning flag. Reading
// is a run that measures single columns and writes one row; solving is the same solve in this process
// without counting; sampling writes as many rows again from the saved model. Counting is the rest.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/internal/testkit/widetable"
)

var tables = []widetable.Params{
	{Columns: 15, People: 1_000_000},
	{Columns: 30, People: 1_000_000},
	{Columns: 60, People: 1_000_000},
	{Columns: 60, People: 1_000_000, ID: "person_id"},
	{Columns: 100, People: 200_000},
	{Columns: 200, People: 20_000},
}

func main() {
	only := flag.Int("columns", 0, "measure tables of so many columns only; 0: all")
	flag.Parse()
	dir, err := os.MkdirTemp("", "widebench-")
	if err != nil {
		log.Fatalf("widebench: %v", err)
	}
	err = run(dir, *only)
	os.RemoveAll(dir)
	if err != nil {
		log.Fatalf("widebench: %v", err)
	}
}

func run(dir string, only int) error {
	binary := filepath.Join(dir, "dapple")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", binary, "./pipelines/dapple").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "columns\tpeople\tprivacy ID\tread, krows/s\tcount s\tsolve s\tsample, krows/s\twhole s\tpeak MB\tpair TV of rows")
	for _, p := range tables {
		if only != 0 && only != p.Columns {
			continue
		}
		if err := line(w, dir, binary, p); err != nil {
			return err
		}
		w.Flush() // writes to the standard output, which has no better way to fail
	}
	return nil
}

// line measures one table.
func line(w *tabwriter.Writer, dir, binary string, p widetable.Params) error {
	b, err := newBench(dir, binary, p)
	if err != nil {
		return err
	}
	read, err := b.command("synth", "--marginals=1", "--rows=1", "--shards=1")
	if err != nil {
		return err
	}
	whole, err := b.command("synth")
	if err != nil {
		return err
	}
	tv, err := b.pairTV()
	if err != nil {
		return err
	}
	sample, err := b.sample()
	if err != nil {
		return err
	}
	solve, err := b.solve()
	if err != nil {
		return err
	}
	thousands := float64(p.People) / 1000
	fmt.Fprintf(w, "%d\t%d\t%v\t%.0f\t%.1f\t%.1f\t%.0f\t%.1f\t%d\t%.4f\n", p.Columns, p.People, p.ID != "",
		thousands/read.cpu, max(0, whole.cpu-read.cpu-sample.cpu-solve), solve, thousands/sample.cpu, whole.cpu, whole.memory>>20, tv)
	return nil
}

// used is what a process took.
type used struct {
	cpu    float64 // seconds
	memory int64   // bytes, largest resident set
}

func measure(cmd *exec.Cmd) (used, error) {
	if out, err := cmd.CombinedOutput(); err != nil {
		return used{}, fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	s := cmd.ProcessState
	u := used{cpu: (s.UserTime() + s.SystemTime()).Seconds()}
	if r, ok := s.SysUsage().(*syscall.Rusage); ok {
		u.memory = r.Maxrss << 10
	}
	return u, nil
}
