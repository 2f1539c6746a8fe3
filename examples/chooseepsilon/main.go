// Command chooseepsilon answers: which ε do I need? It plans one request at several budgets. A plan is
// made of public facts alone, so looking costs nothing, and the private table need not even exist yet.
//
//	go run ./examples/chooseepsilon -domain people.yaml -units 50000
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/pipelines"
)

func main() {
	domain := flag.String("domain", "people.yaml", "domain file")
	units := flag.Int64("units", 50_000, "about how many people the table holds: a public guess")
	flag.Parse()
	if err := run(*domain, *units, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

// run prints the predicted error for each budget.
func run(domain string, units int64, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ε\taverage TV\tnoise on any cell\tmethod")
	for _, epsilon := range []dp.Epsilon{0.1, 0.3, 1, 3, 10} {
		plan, err := pipelines.Plan(context.Background(), pipelines.Config{
			Domain: domain, Epsilon: epsilon, Delta: 1e-9, ExpectedRows: units, Marginals: 2, Method: "dpam",
		})
		if err != nil {
			return err
		}
		text, err := plan.JSON()
		if err != nil {
			return err
		}
		var p struct {
			Method     string
			AverageTV  float64 `json:"average_tv"`
			NoiseBound float64 `json:"noise_bound_95"`
		}
		if err := json.Unmarshal(text, &p); err != nil {
			return err
		}
		fmt.Fprintf(w, "%g\t%.3f\t%.2f %%\t%s\n", float64(epsilon), p.AverageTV, 100*p.NoiseBound, p.Method)
	}
	return w.Flush()
}
