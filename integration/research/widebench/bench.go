package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/widetable"
	"github.com/dapple-dp/dapple/solver"
)

// bench is one table on disk.
type bench struct {
	dir, binary string
	table       *widetable.Table
	people      int
	file        *schema.File
}

func newBench(dir, binary string, p widetable.Params) (*bench, error) {
	b := &bench{dir: filepath.Join(dir, fmt.Sprintf("%d-%s", p.Columns, p.ID)), binary: binary, table: widetable.New(p), people: p.People}
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		return nil, err
	}
	for name, write := range map[string]func(io.Writer) error{"domain.yaml": b.table.WriteDomain, "table.csv": b.table.WriteCSV} {
		f, err := os.Create(filepath.Join(b.dir, name))
		if err != nil {
			return nil, err
		}
		if err := write(f); err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	var err error
	b.file, err = schema.ReadFile(filepath.Join(b.dir, "domain.yaml"))
	return b, err
}

// command runs the binary on the table.
func (b *bench) command(name string, more ...string) (used, error) {
	return measure(exec.Command(b.binary, append([]string{name, "--domain=" + filepath.Join(b.dir, "domain.yaml"),
		"--input=" + filepath.Join(b.dir, "table.csv"), "--output=" + filepath.Join(b.dir, "out"), "--overwrite",
		"--epsilon=1", "--delta=1e-9", "--quiet"}, more...)...))
}

// sample writes as many rows as there are people.
func (b *bench) sample() (used, error) { return b.rows(b.people, "parquet") }

func (b *bench) rows(n int, format string) (used, error) {
	return measure(exec.Command(b.binary, "sample", "--model="+filepath.Join(b.dir, "out"),
		"--output="+filepath.Join(b.dir, format), "--format="+format, fmt.Sprintf("--rows=%d", n), "--shards=1", "--overwrite", "--quiet"))
}

// pairTV returns the mean total variation between the table's and the rows' marginals of neighbouring
// columns: the strongest dependences are among them. It is not private.
func (b *bench) pairTV() (float64, error) {
	if _, err := b.rows(b.people, "csv"); err != nil {
		return 0, err
	}
	d := *b.file.Domain
	d.PrivacyID = "" // rows have none
	encoder, sizes := domain.NewEncoder(&d), d.Sizes()
	rows := make([][]domain.Code, len(sizes))
	err := csvio.EachFile(filepath.Join(b.dir, "csv", "part-00000-of-00001.csv"), &d, b.file.CSV, func(c *domain.Chunk) error {
		codes := make([]domain.Code, c.Rows*len(sizes))
		encoder.Encode(c, codes)
		for i, v := range codes {
			rows[i%len(sizes)] = append(rows[i%len(sizes)], v)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	truth, synthetic, sum := counted{sizes, b.table.Codes()}, counted{sizes, rows}, 0.0
	for a := range len(sizes) - 1 {
		c := domain.Clique{a, a + 1}
		x, y := truth.Marginal(c), synthetic.Marginal(c)
		for i := range x {
			sum += math.Abs(float64(x[i])/float64(truth.Units())-float64(y[i])/float64(synthetic.Units())) / 2
		}
	}
	return sum / float64(len(sizes)-1), nil
}

// counted answers the curator by counting codes.
type counted struct {
	sizes   []int
	columns [][]domain.Code
}

func (t counted) Units() int64 { return int64(len(t.columns[0])) }

func (t counted) Marginal(c domain.Clique) []int64 {
	cells, err := c.Cells(t.sizes)
	if err != nil {
		panic("widebench: a clique whose cells cannot be counted")
	}
	n := make([]int64, cells)
	marginal.Count(n, t.sizes, c, t.columns, len(t.columns[0]))
	return n
}

// untimed keeps the time that counting takes out of a solve's.
type untimed struct {
	counted
	spent float64
	known map[string][]int64
}

func (u *untimed) Marginal(c domain.Clique) []int64 {
	if n, ok := u.known[c.Key()]; ok {
		return n
	}
	start := cpu()
	n := u.counted.Marginal(c)
	u.known[c.Key()] = n
	u.spent += cpu() - start
	return n
}

// solve runs the solve of the command in this process and returns its CPU seconds without counting.
func (b *bench) solve() (float64, error) {
	d := b.file.Domain
	w := query.AllMarginals(d.Sizes(), 3, 10_000)
	if d.Len() > 110 { // the command's own rule for so many columns
		w = query.AllMarginals(d.Sizes(), 2, 10_000)
	}
	p := solver.Problem{Domain: d, Workload: w, Epsilon: 1, Delta: 1e-9, Units: solver.DefaultUnits, MemoryLimit: 2 << 30, Seed: 1}
	m, _, err := methods.Choose(p, "auto")
	if err != nil {
		return 0, err
	}
	accesses, err := m.Accesses(p)
	if err != nil {
		return 0, err
	}
	ledger, err := accountant.NewLedger(accountant.Params{
		Accounting: m.Accounting(p.Epsilon, p.Delta), Epsilon: p.Epsilon, Delta: p.Delta, Coordinates: solver.Coordinates(accesses),
	})
	if err != nil {
		return 0, err
	}
	table := &untimed{counted: counted{d.Sizes(), b.table.Codes()}, known: map[string][]int64{}}
	config := sha256.Sum256([]byte("widebench"))
	curator, err := mechanism.New(table, mechanism.Params{Sizes: d.Sizes(), Ledger: ledger, Root: mechanism.NewRoot(mechanism.NewSeed(), config, config)})
	if err != nil {
		return 0, err
	}
	start := cpu()
	if _, err := m.Solve(context.Background(), p, curator); err != nil {
		return 0, err
	}
	return cpu() - start - table.spent, nil
}

// cpu returns the process's user and system time in seconds.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("widebench: no resource usage")
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
