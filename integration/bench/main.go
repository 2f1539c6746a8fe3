// Command bench prints the product's figures in one table: accuracy by method and ε with CPU time, then
// the rates of counting and of sampling with their allocations.
//
//	go run ./integration/bench -data DIR -seeds 5
//
// DIR holds adult7/adult7.csv and adult7/adult7-domain.json: a coded table and the sizes of its
// columns. Figures are errors of rows against the table, so what this command prints is not private.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/dp"
)

// setting is one line of the table.
type setting struct {
	table    string
	method   string
	relation dp.Neighbouring
	epsilon  dp.Epsilon
	delta    dp.Delta
	others   string // published figures of other tools, average TV / largest cell / CPU seconds
}

const (
	adult7Delta  = 4.19e-10 // 1/n²
	adult14Delta = 1e-9
)

var settings = []setting{
	{"adult7", "auto", dp.AddRemove, 0.1, adult7Delta, "AIM .106"},
	{"adult7", "auto", dp.AddRemove, 1, adult7Delta, "AIM .0320/.0045/82–174 s, SWIFT .0319/.0026/279 s, MST .0977/.0283/24 s"},
	{"adult7", "auto", dp.AddRemove, 10, adult7Delta, "AIM .0105"},
	{"adult7", "dpam", dp.AddRemove, 0.1, adult7Delta, ""},
	{"adult7", "dpam", dp.AddRemove, 1, adult7Delta, ""},
	{"adult7", "dpam", dp.AddRemove, 10, adult7Delta, ""},
	{"adult7", "dpam", dp.AddRemove, 1, 0, ""},
	{"adult7", "auto", dp.Replace, 1, adult7Delta, "PEP .070/.0058/49 s"},
	{"adult7", "dpam", dp.Replace, 1, adult7Delta, ""},
	{"adult7", "dpfw", dp.AddRemove, 1, adult7Delta, ""},
	{"adult7", "dpfw", dp.Replace, 1, adult7Delta, ""},
	{"adult7", "dpfw-paper", dp.Replace, 1, adult7Delta, ""},
	{"adult7", "dpam-paper", dp.Replace, 1, adult7Delta, ""},
	{"adult14", "auto", dp.AddRemove, 0.1, adult14Delta, "AIM .168"},
	{"adult14", "auto", dp.AddRemove, 1, adult14Delta, "AIM .0651/.0150/356 s, SWIFT .0611/.0141/358 s, MST .0938/.0296/64 s"},
	{"adult14", "auto", dp.AddRemove, 10, adult14Delta, "AIM .036"},
}

func main() {
	data := flag.String("data", os.Getenv("DAPPLE_DATA"), "directory that holds the coded tables")
	seeds := flag.Int("seeds", 3, "runs of each setting")
	only := flag.String("only", "", "one table/method/epsilon, such as adult7/dpam/1; empty: all")
	flag.Parse()
	if *data == "" {
		log.Fatal("bench: set -data or DAPPLE_DATA to the directory that holds adult7/")
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "table\tmethod\trelation\tε\tδ\tmodel TV\trows TV (sd)\trows max (sd)\trounding TV / iid\tsolve CPU s\twrite CPU s\trows per CPU s\tallocations per row\tothers")
	tables := map[string]*coded{}
	for _, s := range settings {
		if *only != "" && *only != fmt.Sprintf("%s/%s/%g", s.table, s.method, float64(s.epsilon)) {
			continue
		}
		t := tables[s.table]
		if t == nil {
			var err error
			if t, err = load(*data, s.table); err != nil {
				log.Fatalf("bench: %v", err)
			}
			tables[s.table] = t
		}
		line(w, t, s, *seeds)
		w.Flush()
	}
	if *only == "" {
		if err := rates(w); err != nil {
			log.Fatalf("bench: %v", err)
		}
	}
}

// line runs one setting and prints it.
func line(w *tabwriter.Writer, t *coded, s setting, seeds int) {
	var runs []figures
	for range seeds {
		f, err := run(t, s, fresh())
		if err != nil {
			fmt.Fprintf(w, "%s\t%s\t%v\t%g\t%g\tdoes not apply: %v\n", s.table, s.method, s.relation, float64(s.epsilon), float64(s.delta), err)
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
	model, _ := of(func(f figures) float64 { return f.modelTV })
	tv, tvSD := of(func(f figures) float64 { return f.rowsTV })
	most, mostSD := of(func(f figures) float64 { return f.rowsMax })
	rounding, _ := of(func(f figures) float64 { return f.roundingTV })
	iid, _ := of(func(f figures) float64 { return f.iidTV })
	solve, _ := of(func(f figures) float64 { return f.solveCPU })
	write, _ := of(func(f figures) float64 { return f.writeCPU })
	fmt.Fprintf(w, "%s\t%s (%s)\t%v\t%g\t%g\t%.4f\t%.4f (%.4f)\t%.4f (%.4f)\t%.4f / %.4f\t%.2f\t%.2f\t\t\t%s\n",
		s.table, s.method, runs[0].method, s.relation, float64(s.epsilon), float64(s.delta),
		model, tv, tvSD, most, mostSD, rounding, iid, solve, write, s.others)
}
