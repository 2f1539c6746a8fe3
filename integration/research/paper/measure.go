package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/integration/research/families"
	_ "github.com/dapple-dp/dapple/integration/research/rivals"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// setting is a point of one of the axes: a method, and a table of binary columns whose marginals of up to width columns
// are asked for.
type setting struct {
	axis, method         string
	columns, width, rows int
	epsilon              float64
}

// run is a setting with a seed, and the largest errors of its answers.
type run struct {
	setting
	seed               int
	sample, population float64
}

// compared are the methods, in the order of the page. gem, whose network takes a hundred times as long as the others, and
// the published forms' random iterates beyond one are left to the bench.
var compared = []string{"dpam", "dpfw", "dpam-paper", "dpfw-paper", "adaptive", "pep", "mwem", "pmw", "dualquery", "fem", "sepfem", "dqrs"}

const delta = 1e-9

// settings vary one thing at a time around 8 columns, marginals of 3, 16,000 units and ε = 1.
func settings() (list []setting) {
	for _, m := range compared {
		base := setting{method: m, columns: 8, width: 3, rows: 16_000, epsilon: 1}
		for _, x := range []float64{1000, 4000, 16_000, 64_000} {
			s := base
			s.axis, s.rows = "units", int(x)
			list = append(list, s)
		}
		for _, x := range []float64{.25, 1, 4} {
			s := base
			s.axis, s.epsilon = "epsilon", x
			list = append(list, s)
		}
		for _, x := range []int{5, 7, 10} {
			s := base
			s.axis, s.columns = "columns", x
			list = append(list, s)
		}
		for _, x := range []int{1, 2, 3, 4} {
			s := base
			s.axis, s.width = "queries", x
			list = append(list, s)
		}
	}
	return list
}

// law is a tree of binary columns: column i copies a noisy ⌊(i−1)/2⌋.
func law(columns int) []float64 {
	p := make([]float64, 1<<columns)
	for z := range p {
		bit := func(i int) int { return z >> (columns - 1 - i) & 1 }
		p[z] = 1
		for i := range columns {
			one := .3
			if i > 0 {
				one = .1 + .05*float64(i%5) + float64(bit((i-1)/2))*(.8-.05*float64(i%5)-.07*float64(i%4))
			}
			if bit(i) == 0 {
				one = 1 - one
			}
			p[z] *= one
		}
	}
	return p
}

// drawn returns a table of independent records of the law.
func drawn(p []float64, columns, rows int, seed uint64) *families.Table {
	rng := rand.New(rand.NewPCG(seed, 0x7061706572))
	sums := make([]float64, len(p))
	sum := 0.0
	for z, x := range p {
		sum += x
		sums[z] = sum
	}
	data, names, sizes := make([][]domain.Code, columns), []string(nil), []int(nil)
	for a := range data {
		data[a] = make([]domain.Code, rows)
		names, sizes = append(names, "x"+strconv.Itoa(a)), append(sizes, 2)
	}
	for r := range rows {
		z, _ := slices.BinarySearch(sums, rng.Float64()*sum)
		for a := range data {
			data[a][r] = domain.Code(min(z, len(p)-1) >> (columns - 1 - a) & 1)
		}
	}
	return families.NewTable("drawn", families.Coded(names, sizes), data)
}

// measure makes all runs.
func measure(list []setting, seeds int) (runs []run, err error) {
	for _, s := range list {
		p := law(s.columns)
		for seed := range seeds {
			t := drawn(p, s.columns, s.rows, uint64(seed))
			solved, err := families.Solve(t, families.Request{Method: s.method, Epsilon: dp.Epsilon(s.epsilon), Delta: delta, Width: s.width}, families.Fixed(uint64(seed)))
			if err != nil {
				return nil, err
			}
			r := run{setting: s, seed: seed}
			for _, c := range solved.Problem.Workload.Maximal().Cliques() {
				released, truth := solved.Model.Marginal(c, nil), marginal(p, s.columns, c)
				total := summation.InOrder(released)
				for cell, n := range t.Marginal(c) {
					r.sample = max(r.sample, math.Abs(released[cell]/total-float64(n)/float64(s.rows)))
					r.population = max(r.population, math.Abs(released[cell]/total-truth[cell]))
				}
			}
			runs = append(runs, r)
		}
	}
	return runs, nil
}

// marginal returns the law of a clique.
func marginal(p []float64, columns int, c domain.Clique) []float64 {
	out := make([]float64, 1<<len(c))
	for z, x := range p {
		cell := 0
		for _, a := range c {
			cell = 2*cell + z>>(columns-1-a)&1
		}
		out[cell] += x
	}
	return out
}

func (s setting) sizes() []int { return slices.Repeat([]int{2}, s.columns) }

// marginals are those that are measured.
func (s setting) marginals() []domain.Clique {
	return query.AllMarginals(s.sizes(), s.width, 1<<20).Maximal().Cliques()
}

// queries returns |Q|: the cells of the measured marginals and their negations.
func (s setting) queries() float64 {
	return 2 * float64(len(s.marginals())) * math.Exp2(float64(s.width))
}

var header = []string{"axis", "method", "columns", "width", "units", "epsilon", "seed", "error_sample", "error_population"}

func write(file string, runs []run) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	rows := [][]string{header}
	for _, r := range runs {
		rows = append(rows, []string{r.axis, r.method, strconv.Itoa(r.columns), strconv.Itoa(r.width), strconv.Itoa(r.rows), fmt.Sprint(r.epsilon),
			strconv.Itoa(r.seed), fmt.Sprintf("%.6f", r.sample), fmt.Sprintf("%.6f", r.population)})
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return f.Close()
}

func read(file string) (runs []run, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, fmt.Errorf("%s: not a file of runs", file)
	}
	for i, row := range rows[1:] {
		r := run{setting: setting{axis: row[0], method: row[1]}}
		var figures [7]float64
		for k := range figures {
			if figures[k], err = strconv.ParseFloat(row[2+k], 64); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", file, i+2, err)
			}
		}
		r.columns, r.width, r.rows, r.epsilon, r.seed = int(figures[0]), int(figures[1]), int(figures[2]), figures[3], int(figures[4])
		r.sample, r.population = figures[5], figures[6]
		runs = append(runs, r)
	}
	return runs, nil
}
