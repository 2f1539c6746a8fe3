package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// load reads DIR/name/name.csv and its sizes.
func load(dir, name string) (*families.Table, error) {
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
	var ks []int
	columns := make([][]domain.Code, len(rows[0]))
	for a, column := range rows[0] {
		ks = append(ks, sizes[column])
		for r, row := range rows[1:] {
			v, err := strconv.Atoi(row[a])
			if err != nil || v < 0 || v >= sizes[column] {
				return nil, fmt.Errorf("%s: line %d, column %q: not a code", name, r+2, column)
			}
			columns[a] = append(columns[a], domain.Code(v))
		}
	}
	return families.NewTable(name, families.Coded(rows[0], ks), columns), nil
}

// figures of one run.
type figures struct {
	method             string
	modelTV            float64 // of the widest marginals of the workload, as rowsTV and rowsMax are
	onesTV, pairsTV    float64 // of rows
	rowsTV, rowsMax    float64
	roundingTV, iidTV  float64
	solveCPU, writeCPU float64
}

// run solves once and writes as many rows as the table has units.
func run(t *families.Table, s setting, random families.Randomness) (figures, error) {
	for _, c := range s.Problem(t, 0).Workload.Cliques() {
		t.Marginal(c) // which the solve is not to be timed for
	}
	start := cpu()
	res, err := families.Solve(t, s.Request, random)
	if err != nil {
		return figures{}, err
	}
	f := figures{method: res.Method.Name, solveCPU: cpu() - start}
	w := res.Problem.Workload
	start = cpu()
	rows := population.NewRows(res.Model, w.Maximal().Cliques(), t.Units(), res.Problem.Seed)
	f.writeCPU = cpu() - start
	widest := ofWidth(w, 0)
	f.modelTV, _ = t.Errors(widest, func(c domain.Clique) []float64 { return res.Model.Marginal(c, nil) })
	synthetic := sample(t, rows)
	f.onesTV, _ = t.Errors(ofWidth(w, 1), synthetic.Shares)
	f.pairsTV, _ = t.Errors(ofWidth(w, 2), synthetic.Shares)
	f.rowsTV, f.rowsMax = t.Errors(widest, synthetic.Shares)
	f.roundingTV, _ = synthetic.Errors(widest, func(c domain.Clique) []float64 { return res.Model.Marginal(c, nil) })
	f.iidTV = iid(res.Model, widest, t.Units())
	return f, nil
}

// ofWidth returns the cliques of the workload that have the given number of columns; 0: the most that one has.
func ofWidth(w query.Workload, width int) (list []domain.Clique) {
	for _, c := range w.Cliques() {
		if width == 0 || len(c) == width {
			list = append(list, c)
		}
	}
	if width > 0 {
		return list
	}
	most := len(slices.MaxFunc(list, func(a, b domain.Clique) int { return len(a) - len(b) }))
	return ofWidth(w, most)
}

// floor returns the average total variation between the widest marginals of the table and of as many of its
// records drawn with replacement: what someone misses who knows the population and not these people.
func floor(t *families.Table, s setting) float64 {
	tv, _ := t.Errors(ofWidth(s.Problem(t, 0).Workload, 0), t.Resampled(1).Shares)
	return tv
}

// sample reads all rows.
func sample(t *families.Table, rows *population.Rows) *families.Table {
	d, n := len(t.Sizes), int(rows.Len())
	buf, columns := make([]domain.Code, n*d), make([][]domain.Code, d)
	rows.Read(0, buf)
	for a := range columns {
		columns[a] = make([]domain.Code, n)
		for r := range n {
			columns[a][r] = buf[r*d+a]
		}
	}
	return families.NewTable(t.Name, t.Domain, columns)
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
