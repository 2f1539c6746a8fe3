package main

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/mechanism"
	"github.com/dapple-dp/dapple/dp/noise"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/methods"
	"github.com/dapple-dp/dapple/solver/population"
)

// coded is a table of codes; it answers the curator by counting.
type coded struct {
	domain  *domain.Domain
	sizes   []int
	columns [][]domain.Code
	rows    int
	tables  map[string][]int64
}

func (t *coded) Units() int64 { return int64(t.rows) }

// Marginal counts, and keeps what it counted.
func (t *coded) Marginal(c domain.Clique) []int64 {
	if n, ok := t.tables[c.Key()]; ok {
		return n
	}
	cells, err := c.Cells(t.sizes)
	if err != nil {
		panic("bench: a clique whose cells cannot be counted")
	}
	n := make([]int64, cells)
	for r := range t.rows {
		x := 0
		for _, a := range c {
			x = x*t.sizes[a] + int(t.columns[a][r])
		}
		n[x]++
	}
	t.tables[c.Key()] = n
	return n
}

// load reads DIR/name/name.csv and its sizes.
func load(dir, name string) (*coded, error) {
	b, err := os.ReadFile(filepath.Join(dir, name, name+"-domain.json"))
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	if err := json.Unmarshal(b, &sizes); err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, name, name+".csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	t := &coded{domain: &domain.Domain{}, rows: len(rows) - 1, tables: map[string][]int64{}}
	for a, column := range rows[0] {
		at := domain.Attribute{Name: column, Type: domain.Int64, Resolution: 1}
		codes := make([]domain.Code, t.rows)
		for r, row := range rows[1:] {
			v, err := strconv.Atoi(row[a])
			if err != nil || v < 0 || v >= sizes[column] {
				return nil, fmt.Errorf("%s: line %d, column %q: not a code", name, r+2, column)
			}
			codes[r] = domain.Code(v)
		}
		for v := range sizes[column] {
			at.Values = append(at.Values, strconv.Itoa(v))
		}
		t.domain.Attributes = append(t.domain.Attributes, at)
		t.columns = append(t.columns, codes)
	}
	t.sizes = t.domain.Sizes()
	return t, nil
}

// figures of one run.
type figures struct {
	method                   string
	modelTV, rowsTV, rowsMax float64
	roundingTV, iidTV        float64
	solveCPU, writeCPU       float64
}

// randomness of one run: of the noise, and of what privacy does not depend on.
type randomness struct {
	noise noise.Seed
	other uint64
}

// fresh returns randomness of the operating system.
func fresh() randomness { return randomness{noise.NewSeed(), rand.Uint64()} }

// run solves once and writes as many rows as the table has units.
func run(t *coded, s setting, random randomness) (figures, error) {
	w := query.AllMarginals(t.sizes, 3, 10_000)
	p := solver.Problem{
		Domain: t.domain, Workload: w, Neighbouring: s.relation, Epsilon: s.epsilon, Delta: s.delta,
		Units: float64(t.rows), Seed: random.other, MemoryLimit: 2 << 30,
	}
	m, _, err := methods.Choose(p, s.method)
	if err != nil {
		return figures{}, err
	}
	accesses, err := m.Accesses(p)
	if err != nil {
		return figures{}, err
	}
	ledger, err := accountant.NewLedger(accountant.Params{
		Neighbouring: p.Neighbouring, Accounting: m.Accounting(p.Epsilon, p.Delta), Epsilon: p.Epsilon, Delta: p.Delta,
		Coordinates: max(1, solver.Coordinates(accesses)),
	}.Preferred())
	if err != nil {
		return figures{}, err
	}
	config := sha256.Sum256([]byte(s.method))
	curator, err := mechanism.New(t, mechanism.Params{Sizes: t.sizes, Ledger: ledger, Root: noise.NewRoot(random.noise, config, config)})
	if err != nil {
		return figures{}, err
	}
	f := figures{method: m.Name}
	start := cpu()
	res, err := m.Solve(p, curator)
	if err != nil {
		return figures{}, err
	}
	f.solveCPU = cpu() - start
	triples := slices.DeleteFunc(w.Cliques(), func(c domain.Clique) bool { return len(c) < 3 })
	start = cpu()
	rows := population.NewRows(res.Model, w.Maximal().Cliques(), int64(t.rows), p.Seed)
	f.writeCPU = cpu() - start
	f.modelTV, _ = t.errors(triples, func(c domain.Clique) []float64 { return res.Model.Marginal(c, nil) })
	synthetic := sample(t, rows)
	f.rowsTV, f.rowsMax = t.errors(triples, synthetic.shares)
	f.roundingTV = population.RoundingTV(res.Model, rows, triples)
	f.iidTV = iid(res.Model, triples, int64(t.rows))
	return f, nil
}

// sample reads all rows.
func sample(t *coded, rows *population.Rows) *coded {
	s := &coded{sizes: t.sizes, rows: int(rows.Len()), tables: map[string][]int64{}, columns: make([][]domain.Code, len(t.sizes))}
	buf := make([]domain.Code, s.rows*len(t.sizes))
	rows.Read(0, buf)
	for a := range s.columns {
		s.columns[a] = make([]domain.Code, s.rows)
		for r := range s.rows {
			s.columns[a][r] = buf[r*len(t.sizes)+a]
		}
	}
	return s
}

func (t *coded) shares(c domain.Clique) []float64 {
	n := t.Marginal(c)
	x := make([]float64, len(n))
	for i := range n {
		x[i] = float64(n[i])
	}
	return x
}

// errors returns the average total variation and the largest cell difference, as shares, over cliques.
func (t *coded) errors(cliques []domain.Clique, other func(domain.Clique) []float64) (tv, largest float64) {
	for _, c := range cliques {
		g := other(c)
		sum := 0.0
		for _, x := range g {
			sum += x
		}
		for i, h := range t.Marginal(c) {
			d := math.Abs(float64(h)/float64(t.rows) - g[i]/sum)
			tv += d / 2 / float64(len(cliques))
			largest = math.Max(largest, d)
		}
	}
	return tv, largest
}

// iid returns the rounding error of n rows drawn independently: for one cell of share p the mean
// absolute deviation of a binomial share, by its normal form where n·p is large and exactly 2p(1−p)^n
// in the limit of small n·p, whichever is less.
func iid(m *population.Model, cliques []domain.Clique, n int64) float64 {
	sum, total := 0.0, m.Total()
	for _, c := range cliques {
		g := m.Marginal(c, nil)
		for _, x := range g {
			p := x / total
			sum += math.Min(math.Sqrt(2*p*(1-p)/math.Pi/float64(n)), 2*p) / 2
		}
	}
	return sum / float64(len(cliques))
}

// cpu returns the process's user and system time in seconds.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("bench: no resource usage")
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
