package main

import (
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/solver"
)

// What predictions of error are to keep: before the run by a factor, after it by a part; and the part of the cells of every
// width that 95 % intervals are to hold.
const (
	withinBefore = 1.5
	withinAfter  = .25
	withinHeld   = .95
)

// consulted are the tables that constants of predictions were chosen on.
var consulted = map[string]bool{"adult7": true, "adult14": true}

// forecast is what was said of the error of some runs, before and after them, and what it was: means over runs.
type forecast struct {
	Table            string
	Rows, Columns    int
	Epsilon          dp.Epsilon
	Method           string
	Runs             int
	Typical, Like    float64 // by plans: of a typical table, and of one like an earlier release of another run at a third of ε
	Low, High        float64 // the range that goes with the first
	After, Measured  float64
	Held, Wide       [3]float64 // of cells of columns, pairs and triples: see families.Coverage; 0: no such cells
	Consulted, Named bool       // constants were chosen on the table; it is not made up, but a file
}

// sizes of made-up tables: all families are made with the first number of units, those named with others too.
var moreUnits = map[string][]int{
	"":                          {20_000},
	"near-deterministic pairs":  {2_000, 300_000},
	"ties":                      {2_000},
	"a small universe":          {2_000, 300_000},
	"binary columns, zeros":     {2_000},
	"one value of 99.9 %":       {300_000},
	"that follow from others":   {2_000},
	"23 binary columns with st": {100_000},
}

// predictions prints the average total variation that plans predict, what runs say of themselves, and what it is, with the
// coverage of intervals, for coded tables, made-up ones and CSV files over the domain that is proposed for them. The figures are
// kept in dir, and the page is made of them, unless that is "".
func predictions(out *tabwriter.Writer, data, only, dir string, seeds int, named []string) error {
	p := predictor{out: out, only: only, dir: dir, seeds: seeds}
	if dir != "" {
		if err := readLines(filepath.Join(dir, forecastsFile), &p.all); err != nil {
			return err
		}
	}
	scratch, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	fmt.Fprintln(out, strings.Join(forecastTitles, "\t"))
	for t, err := range p.tables(data, scratch, named) {
		if err == nil {
			err = p.add(t)
		}
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out, summary(p.all))
	return out.Flush()
}

// predictor adds lines to the page of predictions.
type predictor struct {
	out       *tabwriter.Writer
	only, dir string
	seeds     int
	all       []forecast
}

// benchTable is a table, which may be a file of somebody.
type benchTable struct {
	*families.Table
	isFile bool
}

// tables yields the tables whose names are asked for: coded ones, made-up ones, those made up as files, and named files.
func (p *predictor) tables(data, scratch string, named []string) iter.Seq2[benchTable, error] {
	return func(yield func(benchTable, error) bool) {
		for _, name := range []string{"adult7", "adult14"} {
			if p.wants(name) {
				if t, err := open(data, name); !yield(benchTable{t, true}, err) {
					return
				}
			}
		}
		for _, f := range families.All() {
			for part, units := range moreUnits {
				for _, n := range units {
					if p.wants(f.Name) && strings.Contains(f.Name, part) && !yield(benchTable{f.Make(n, 1), false}, nil) {
						return
					}
				}
			}
		}
		read := func(name string) (*families.Table, error) {
			return families.Read(context.Background(), strings.TrimSuffix(filepath.Base(name), ".csv"), name)
		}
		for _, made := range families.AllAsFound() {
			if !p.wants(made.Name) {
				continue
			}
			name, err := written(scratch, made)
			var t *families.Table
			if err == nil {
				t, err = read(name)
			}
			if !yield(benchTable{t, false}, err) {
				return
			}
		}
		for _, name := range named {
			if t, err := read(name); !yield(benchTable{t, true}, err) {
				return
			}
		}
	}
}

// wants reports whether a table is asked for.
func (p *predictor) wants(name string) bool {
	ok, _ := path.Match(strings.Split(p.only, "/")[0], name)
	return ok || p.only == ""
}

// add measures the lines of a table that are asked for, and keeps each at once.
func (p *predictor) add(t benchTable) error {
	for _, epsilon := range []dp.Epsilon{.1, 1, 10} {
		if ok, _ := path.Match(p.only, fmt.Sprintf("%s/%d/%g", t.Name, t.Units(), float64(epsilon))); !ok && p.only != "" {
			continue
		}
		f, err := predicted(t.Table, epsilon, p.seeds)
		if err != nil {
			log.Printf("%s, ε = %g: %v", t.Name, float64(epsilon), err)
			continue
		}
		f.Named = t.isFile
		if i := slices.IndexFunc(p.all, f.sameAs); i >= 0 {
			p.all[i] = f
		} else {
			p.all = append(p.all, f)
		}
		fmt.Fprintln(p.out, strings.Join(f.cells(), "\t"))
		p.out.Flush()
		if p.dir != "" {
			if err := keepForecasts(p.dir, p.all); err != nil {
				return err
			}
		}
	}
	return nil
}

// predicted returns a line, the mean of some runs.
func predicted(t *families.Table, epsilon dp.Epsilon, seeds int) (forecast, error) {
	f := forecast{Table: t.Name, Rows: int(t.Units()), Columns: len(t.Sizes), Epsilon: epsilon, Runs: seeds, Consulted: consulted[t.Name]}
	n := float64(seeds)
	for i := range seeds {
		solve := func(epsilon dp.Epsilon, seed int) (*families.Solved, error) {
			return families.Solve(t, families.Request{Method: "auto", Epsilon: epsilon, Delta: madeUpDelta, ErrorShare: solver.ErrorShare(0)}, families.Fixed(uint64(seed)))
		}
		s, err := solve(epsilon, i)
		if err != nil {
			return f, err
		}
		earlier, err := solve(epsilon/3, i+seeds)
		if err != nil {
			return f, err
		}
		unknown, err := s.Foretold(nil)
		if err != nil {
			return f, err
		}
		known, err := s.Foretold(earlier.Pattern())
		if err != nil {
			return f, err
		}
		seen := t
		for _, c := range s.Calls {
			if c.Request.Method == mechanism.Coarsen { // bins were learned, and the model is of those
				seen = t.Coarsen(c.Request.Merge).(*families.Table)
			}
		}
		f.Typical, f.Like, f.Low, f.High = f.Typical+unknown.AverageTV/n, f.Like+known.AverageTV/n, f.Low+unknown.LowTV/n, f.High+unknown.HighTV/n
		f.After, f.Measured, f.Method = f.After+s.Measured.Estimate(s.TV, s.Total.Units)/n, f.Measured+s.AverageTV(seen)/n, s.Method.Name
		for width := range f.Held {
			list := slices.DeleteFunc(s.Problem.Workload.Cliques(), func(c domain.Clique) bool { return len(c) != width+1 })
			if len(list) > 0 {
				c := s.Coverage(seen, list, mostCovered)
				f.Held[width], f.Wide[width] = f.Held[width]+c.Within/n, f.Wide[width]+c.Wide/n
			}
		}
	}
	return f, nil
}

// mostCovered marginals of a width are looked at cell by cell.
const mostCovered = 60
