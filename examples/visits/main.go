// Visits writes the table of the demonstration: made-up people and their visits to a clinic, as CSV.
//
//	go run ./examples/visits -people 50000 -seed 1 -out visits.csv
//
// The domain file that belongs to it is visits.yaml. The same seed gives the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/dapple-dp/dapple/examples/visits/generate"
)

func main() {
	flags := flag.NewFlagSet("visits", flag.ExitOnError) // exits with 2 on a wrong flag
	people := flags.Int("people", 50000, "number of `people`, at least 1; each has 1 to 20 visits")
	seed := flags.Uint64("seed", 1, "the same `seed` gives the same table")
	out := flags.String("out", "", "`file` to write; empty: standard output")
	_ = flags.Parse(os.Args[1:]) // ExitOnError: it does not return an error
	if *people < 1 || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "visits: -people is at least 1, and there are no other arguments")
		os.Exit(2)
	}
	if err := run(*out, generate.Params{People: *people, Seed: *seed}); err != nil {
		fmt.Fprintf(os.Stderr, "visits: %v\n", err)
		os.Exit(1)
	}
}

func run(out string, p generate.Params) error {
	if out == "" {
		return generate.Write(os.Stdout, p)
	}
	return create(out, func(w io.Writer) error { return generate.Write(w, p) })
}

// create writes a file; one that could not be written to its end is removed.
func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}
