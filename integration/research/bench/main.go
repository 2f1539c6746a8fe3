// Command bench prints the product's figures in one table: accuracy by method and ε with CPU time, then
// the rates of counting and of sampling with their allocations.
//
//	go -C integration/research run ./bench -data DIR -seeds 5
//	go -C integration/research run ./bench -only 'found/*' a.csv b.csv
//	go -C integration/research run ./bench -predictions -only 'small*/*'
//
// After the first table comes one of all methods, those for comparison too, on tables that have structure of low and of high
// order; -only 'rivals/*' prints it alone,
// 'rivals/*/pe' a part, and -page keeps what it measures and makes README.md of it. The last command prints how near
// predictions of error come, before and after a run.
//
// DIR holds adult7/adult7.csv and adult7/adult7-domain.json: a coded table and the sizes of its
// columns; adult14 the same. The other tables are made up, or CSV files that are named: the second table of the output
// compares the values of tables that are not coded, and the third is of the command as a process on DIR/adult/adult.data,
// with a classifier if there is scikit-learn; -only 'whole/*' prints it alone. Before it
// come rows in order, by 'histories/*', and, only if they are named, rows of others' programs, by 'sequential/*/*'. Figures are errors of rows against the table, so what
// this command prints is not private. The resample floor is the error of as many of the table's own rows drawn with
// replacement: of someone who knows the population and not these people.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/families"
	_ "github.com/dapple-dp/dapple/integration/research/rivals"
)

// setting is one line of the table.
type setting struct {
	table string
	families.Request
}

// name is what -only selects by.
func (s setting) name() string {
	name := fmt.Sprintf("%s/%s/%g", s.table, s.Method, float64(s.Epsilon))
	if s.Width > 0 {
		name += fmt.Sprintf("/%d", s.Width)
	}
	return name
}

const (
	adult7Delta  = 4.19e-10 // 1/n²
	adult14Delta = 1e-9
	madeUpDelta  = 1e-9
)

// ask returns a request for all marginals of up to three columns of a table of at most 10,000 cells.
func ask(table, method string, relation dp.Neighbouring, epsilon dp.Epsilon, delta dp.Delta) setting {
	return setting{table, families.Request{Method: method, Neighbouring: relation, Epsilon: epsilon, Delta: delta}}
}

// wider returns the setting with marginals of up to the given number of columns.
func (s setting) wider(width int) setting {
	s.Width = width
	return s
}

var settings = []setting{
	ask("adult7", "auto", dp.AddRemove, 0.1, adult7Delta),
	ask("adult7", "auto", dp.AddRemove, 1, adult7Delta),
	ask("adult7", "auto", dp.AddRemove, 10, adult7Delta),
	ask("adult7", "dpam", dp.AddRemove, 0.1, adult7Delta),
	ask("adult7", "dpam", dp.AddRemove, 1, adult7Delta),
	ask("adult7", "dpam", dp.AddRemove, 10, adult7Delta),
	ask("adult7", "dpam", dp.AddRemove, 1, 0),
	ask("adult7", "dpfw", dp.AddRemove, 1, 0),
	ask("adult7", "rake", dp.AddRemove, 1, adult7Delta).wider(4),
	ask("adult7", "dpam", dp.AddRemove, 1, adult7Delta).wider(4),
	ask("adult7", "rake", dp.AddRemove, 1, adult7Delta).wider(5),
	ask("adult7", "dpam", dp.AddRemove, 1, adult7Delta).wider(5),
	ask("adult7", "auto", dp.Replace, 1, adult7Delta),
	ask("adult7", "dpam", dp.Replace, 1, adult7Delta),
	ask("adult7", "dpfw", dp.AddRemove, 1, adult7Delta),
	ask("adult7", "dpfw", dp.Replace, 1, adult7Delta),
	ask("adult7", "dpfw-paper", dp.Replace, 1, adult7Delta),
	ask("adult7", "dpam-paper", dp.Replace, 1, adult7Delta),
	ask("adult14", "auto", dp.AddRemove, 0.1, adult14Delta),
	ask("adult14", "auto", dp.AddRemove, 1, adult14Delta),
	ask("adult14", "auto", dp.AddRemove, 10, adult14Delta),
	ask("schedule", "auto", dp.AddRemove, 0.1, madeUpDelta),
	ask("schedule", "auto", dp.AddRemove, 1, madeUpDelta),
	ask("schedule", "auto", dp.AddRemove, 10, madeUpDelta),
	ask("binary23", "auto", dp.AddRemove, 0.1, madeUpDelta),
	ask("binary23", "auto", dp.AddRemove, 1, madeUpDelta),
	ask("binary23", "auto", dp.AddRemove, 10, madeUpDelta),
}

// madeUp are the tables that need no file: 300,000 flights, 50,000 people with 23 things that are true or not.
var madeUp = map[string]func() *families.Table{
	"schedule": func() *families.Table { return families.Schedule(300_000, 1) },
	"binary23": func() *families.Table { return families.Binary(50_000, 1) },
}

func main() {
	data := flag.String("data", os.Getenv("DAPPLE_DATA"), "directory that holds the coded tables")
	seeds := flag.Int("seeds", 3, "runs of each setting")
	only := flag.String("only", "", "settings that match a pattern of table/method/ε, and of the width of the marginals if it is not 3, such as adult7/*/1; empty: all")
	predict := flag.Bool("predictions", false, "print instead how near predictions of error come, before and after a run, and how many cells intervals hold; -only is then table/rows/ε")
	dir := flag.String("page", "", "directory that keeps the figures of all methods, takes in this run's, and gets the page made of them, such as bench")
	job := flag.String("errand", "", "one run as JSON, which the command gives to itself in a process of its own")
	flag.Parse()
	if *job != "" {
		if err := runErrand(os.Stdout, *job); err != nil {
			log.Fatalf("bench: %v", err)
		}
		return
	}
	if *predict {
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		if err := predictions(w, *data, *only, *dir, *seeds, flag.Args()); err != nil {
			log.Fatalf("bench: %v", err)
		}
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "table\tmethod\trelation\tε\tδ\twidth\tmodel TV\trows TV (sd)\tresample floor\trows max (sd)\tone-way TV\tpair TV\trounding TV / iid\tsolve CPU s\twrite CPU s\trows per CPU s\tallocations per row\tothers")
	tables := map[string]*families.Table{}
	for _, s := range settings {
		if ok, err := path.Match(*only, s.name()); err != nil {
			log.Fatalf("bench: -only: %v", err)
		} else if *only != "" && !ok {
			continue
		}
		t := tables[s.table]
		if t == nil {
			var err error
			if t, err = open(*data, s.table); err != nil {
				log.Fatalf("bench: %v", err)
			}
			tables[s.table] = t
		}
		line(w, t, s, *seeds)
		w.Flush()
	}
	if err := rivals(w, *data, *only, *dir); err != nil {
		log.Fatalf("bench: %v", err)
	}
	if err := asFound(w, *only, *seeds, flag.Args()); err != nil {
		log.Fatalf("bench: %v", err)
	}
	if err := histories(w, *only, *seeds, *dir); err != nil {
		log.Fatalf("bench: %v", err)
	}
	if err := sequential(w, *only, *dir); err != nil {
		log.Fatalf("bench: %v", err)
	}
	if err := wholeCommand(w, *data, *only, *seeds); err != nil {
		log.Fatalf("bench: %v", err)
	}
	if *only == "" {
		if err := rates(w); err != nil {
			log.Fatalf("bench: %v", err)
		}
	}
}

// open makes or reads a table.
func open(dir, name string) (*families.Table, error) {
	if table := madeUp[name]; table != nil {
		return table(), nil
	}
	if dir == "" {
		return nil, fmt.Errorf("set -data or DAPPLE_DATA to the directory that holds %s/", name)
	}
	return load(dir, name)
}

// line runs one setting and prints it.
func line(w *tabwriter.Writer, t *families.Table, s setting, seeds int) {
	var runs []figures
	for range seeds {
		f, err := run(t, s, families.Fresh())
		if err != nil {
			fmt.Fprintf(w, "%s\t%s\t%v\t%g\t%g\tdoes not apply: %v\n", s.table, s.Method, s.Neighbouring, float64(s.Epsilon), float64(s.Delta), err)
			return
		}
		runs = append(runs, f)
	}
	of := func(get func(figures) float64) (mean, sd float64) {
		for _, f := range runs {
			mean += get(f) / float64(len(runs))
		}
		for _, f := range runs {
			sd += (get(f) - mean) * (get(f) - mean) / math.Max(1, float64(len(runs)-1))
		}
		return mean, math.Sqrt(sd)
	}
	mean := func(get func(figures) float64) float64 { m, _ := of(get); return m }
	tv, tvSD := of(func(f figures) float64 { return f.rowsTV })
	most, mostSD := of(func(f figures) float64 { return f.rowsMax })
	fmt.Fprintf(w, "%s\t%s (%s)\t%v\t%g\t%g\t%d\t%.5f\t%.5f (%.5f)\t%.4f\t%.4f (%.4f)\t%.5f\t%.5f\t%.4f / %.4f\t%.2f\t%.2f\t\t\t%s\n",
		s.table, s.Method, runs[0].method, s.Neighbouring, float64(s.Epsilon), float64(s.Delta), max(s.Width, 3),
		mean(func(f figures) float64 { return f.modelTV }), tv, tvSD, floor(t, s), most, mostSD,
		mean(func(f figures) float64 { return f.onesTV }), mean(func(f figures) float64 { return f.pairsTV }),
		mean(func(f figures) float64 { return f.roundingTV }), mean(func(f figures) float64 { return f.iidTV }),
		mean(func(f figures) float64 { return f.solveCPU }), mean(func(f figures) float64 { return f.writeCPU }), others(s))
}
