package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
)

// table is a table that runs are compared on.
type table struct {
	name  string
	width int // of the marginals of the workload
	open  func(real string) (*families.Table, error)
	off   func(t *families.Table, s *families.Solved) (float64, error)
}

// tables lists the made-up tables, then the tables of Python packages.
func tables() []table {
	made := func(name string, width, units int, make func(units int, seed uint64) *families.Table) table {
		return table{name, width, func(string) (*families.Table, error) { return make(units, 1), nil }, marginals}
	}
	of := map[string]func(int, uint64) *families.Table{}
	for _, f := range families.All() {
		of[f.Name] = f.Make
	}
	list := []table{
		made("near-deterministic pairs", 3, 10_000, of["near-deterministic pairs"]),
		made("columns that follow from others", 3, 10_000, of["columns of 100 values that follow from others"]),
		made("ties", 3, 10_000, of["ties"]),
		made("12 binary columns", 3, 5_000, of["12 binary columns, zeros declared"]),
		made("a small universe", 3, 20_000, of["a small universe"]),
		made("schedule", 2, 5_000, of["schedule"]),
		made("wide", 2, 5_000, families.Sparse{Columns: 14, Strong: []families.Link{families.Functional, families.Correlated}}.Make),
		{"people with rows", 3, func(string) (*families.Table, error) { return peopleWithRows(20_000) }, byRow},
		{"number of rows of few people", 3, func(string) (*families.Table, error) { return peopleWithRows(2000) }, numberOfRows},
	}
	for _, f := range families.Few() {
		t, ours := made(f.Name, 3, fewPeople, f.Make), made(f.Name+", strongest pairs", 3, fewPeople, f.Make)
		ours.off = lost
		list = append(list, t, ours)
	}
	for _, t := range families.AllAsFound() {
		switch t.Name {
		case "claims", "players":
			list = append(list, table{t.Name, 2, func(string) (*families.Table, error) { return found(t) }, trends})
		}
	}
	for _, w := range wheels {
		list = append(list, table{w.table, 2, func(dir string) (*families.Table, error) {
			return families.Read(context.Background(), w.table, filepath.Join(dir, w.table+".csv"))
		}, trends})
	}
	return list
}

// chosen returns the tables whose names match a pattern; tables of packages are left out without a directory of them.
func chosen(pattern, real string) ([]table, error) {
	names, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var list []table
	for _, t := range tables() {
		missing := false
		for _, w := range wheels {
			missing = missing || w.table == t.name && real == ""
		}
		if names.MatchString(t.name) && !missing {
			list = append(list, t)
		}
	}
	return list, nil
}

// mostMarginals is the most marginals of a width that a run is judged by.
const mostMarginals = 150

// marginals returns the mean total variation of the model's widest marginals.
func marginals(t *families.Table, s *families.Solved) (float64, error) {
	var all, some []domain.Clique
	widest := 0
	for _, c := range s.Problem.Workload.Cliques() {
		widest = max(widest, len(c))
	}
	for _, c := range s.Problem.Workload.Cliques() {
		if len(c) == widest {
			all = append(all, c)
		}
	}
	for i := range min(len(all), mostMarginals) {
		some = append(some, all[i*len(all)/min(len(all), mostMarginals)])
	}
	tv, _ := t.Errors(some, func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
	return tv, nil
}

const fewPeople = 2800

// lost returns the part of their correlation that the strongest pairs lose, and how far the worst correlation is off.
func lost(t *families.Table, s *families.Solved) (float64, error) {
	x := t.Strength(func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
	return math.Abs(1-x.Kept) + x.Largest, nil
}

// trends returns what Pair Trends of the model's rows lack of 1.
func trends(t *families.Table, s *families.Solved) (float64, error) {
	rows, err := t.Draw(s)
	if err != nil {
		return 0, err
	}
	v, err := t.Compare(context.Background(), rows)
	if err != nil {
		return 0, err
	}
	return 1 - float64(v.Trends.Average), nil
}

// found writes a made-up table and reads it over the domain that dapple infer proposes.
func found(x families.AsFound) (*families.Table, error) {
	f, err := os.CreateTemp("", "ablate-*.csv")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := x.Write(f, 1); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return families.Read(context.Background(), x.Name, f.Name())
}

// peopleWithRows has a row of each of so many people and their number of rows, which have a long tail; what the row is
// changes with that number.
func peopleWithRows(people int) (*families.Table, error) {
	kinds, places := []string{"a", "b", "c", "d", "e"}, []string{"p", "q", "r", "s", "t", "u", "v", "w"}
	d, err := (&domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{
		{Name: "kind", Type: domain.String, Values: kinds, HasFallback: true},
		{Name: "place", Type: domain.String, Values: places, HasFallback: true},
	}}).WithEvents(nil, nil, domain.EqualRatioCuts(1000), 1000)
	if err != nil {
		return nil, fmt.Errorf("people with rows: %w", err)
	}
	rng, cuts, columns := rand.New(rand.NewPCG(1, 5)), d.Attributes[2].Cuts, make([][]domain.Code, 3)
	for range people {
		rows := min(int64(math.Pow(1-rng.Float64(), -1/1.4)), 1000)
		b := len(cuts) - 2
		for cuts[b] > rows {
			b--
		}
		kind := rng.IntN(len(kinds) - 1)
		if rng.Float64() < .1+.08*math.Log(float64(rows)) {
			kind = len(kinds) - 1
		}
		place := (kind + min(rng.IntN(len(places)), rng.IntN(len(places)))) % len(places)
		for a, code := range []int{kind, place, b} {
			columns[a] = append(columns[a], domain.Code(code))
		}
	}
	return families.NewTable("people with rows", d, columns), nil
}

// byRow returns the total variation of the pair of columns row by row.
func byRow(t *families.Table, s *families.Solved) (float64, error) {
	truth, rows := weighed(t, t.Shares(domain.Clique{0, 1, 2}))
	model, all := weighed(t, s.Model.Marginal(domain.Clique{0, 1, 2}, nil))
	off := 0.
	for i := range truth {
		off += math.Abs(truth[i]/rows-model[i]/all) / 2
	}
	return off, nil
}

// numberOfRows returns how far the mean number of a person's rows is off, as a part of it.
func numberOfRows(t *families.Table, s *families.Solved) (float64, error) {
	_, rows := weighed(t, t.Shares(domain.Clique{0, 1, 2}))
	_, all := weighed(t, s.Model.Marginal(domain.Clique{0, 1, 2}, nil))
	return math.Abs(all/s.Model.Total()/rows - 1), nil
}

// weighed returns the pairs of columns row by row of people by pair and number of rows, and all rows.
func weighed(t *families.Table, people []float64) (pairs []float64, rows float64) {
	cuts, bins := t.Domain.Attributes[2].Cuts, t.Sizes[2]
	pairs = make([]float64, len(people)/bins)
	for i, n := range people {
		b := i % bins
		n *= float64(cuts[b]+max(cuts[b], cuts[b+1]-1)) / 2
		pairs[i/bins] += n
		rows += n
	}
	return pairs, rows
}

// run solves every table at every ε with every seed, and writes a line for each. A table whose first seed gives the errors
// that are known of the fit as it is has no part that the change touches: it is not solved again.
func (r request) run(w io.Writer) error {
	list, err := chosen(r.Tables, r.Real)
	if err != nil {
		return err
	}
	known := map[point]bool{}
	for _, p := range r.Known {
		p.CPU = 0
		known[p] = true
	}
	for _, x := range list {
		t, err := x.open(r.Real)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		for seed, touched := 0, true; seed < r.Seeds && touched; seed++ {
			touched = false
			for _, epsilon := range r.Epsilons {
				p, err := x.solve(t, epsilon, seed)
				if err != nil {
					return fmt.Errorf("%s: %w", x.name, err)
				}
				if err := json.NewEncoder(w).Encode(p); err != nil {
					return err
				}
				p.CPU = 0
				touched = touched || seed > 0 || !known[p]
			}
		}
	}
	return nil
}

// solve is one run.
func (x table) solve(t *families.Table, epsilon float64, seed int) (point, error) {
	start := seconds()
	s, err := families.Solve(t, families.Request{Method: "rake", Neighbouring: dp.AddRemove, Epsilon: dp.Epsilon(epsilon),
		Delta: 1e-9, Width: x.width, Unrecorded: true}, families.Fixed(uint64(seed)))
	took := seconds() - start
	if err != nil {
		return point{}, err
	}
	off, err := x.off(t, s)
	return point{x.name, epsilon, seed, off, took}, err
}
