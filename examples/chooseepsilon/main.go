// Command chooseepsilon answers: which ε do I need? It plans one request at several budgets. A plan is
// made of public facts alone, so looking costs nothing, and the private table need not even exist yet.
//
//	go run ./examples/chooseepsilon -domain people.yaml -units 50000
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/pipelines/plan"
	"github.com/dapple-dp/dapple/solver"
)

func main() {
	domain := flag.String("domain", "people.yaml", "domain file")
	units := flag.Float64("units", solver.DefaultUnits, "about how many people the table holds: a public guess")
	flag.Parse()
	if err := run(*domain, *units, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

// run prints the predicted error for each budget.
func run(domainFile string, units float64, out io.Writer) error {
	file, err := schema.ReadFile(domainFile)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ε\taverage TV\tnoise on any cell\tmethod")
	for _, epsilon := range []dp.Epsilon{0.1, 0.3, 1, 3, 10} {
		p, err := plan.Make(solver.Problem{
			Domain: file.Domain, Workload: query.AllMarginals(file.Domain.Sizes(), 2, 10_000),
			Epsilon: epsilon, Delta: 1e-9, Units: units, MemoryLimit: 1 << 30,
		}, "dpam", 0, true, 0, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%g\t%.3f\t%.2f %%\t%s\n", float64(epsilon), p.AverageTV, 100*p.NoiseBound, p.Method)
	}
	return w.Flush()
}
