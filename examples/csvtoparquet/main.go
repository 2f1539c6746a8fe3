// Command csvtoparquet answers: how do I turn a CSV file into synthetic Parquet files from a program of
// mine? It is what `dapple synth` does, in two calls: plan and run.
//
//	go run ./examples/csvtoparquet -domain people.yaml -input people.csv -output out
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/pipelines"
)

func main() {
	c := pipelines.Config{Epsilon: 1, Delta: 1e-9, Progress: os.Stderr}
	flag.StringVar(&c.Domain, "domain", "people.yaml", "domain file")
	flag.StringVar(&c.Input, "input", "people.csv", "the private table")
	flag.StringVar(&c.Output, "output", "out", "directory for the rows")
	beamlog.LogLevel = "error"
	flag.Parse()
	beam.Init()

	// The run stops when its context ends, and leaves nothing.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

// run says what it is going to do, does it, and writes the last lines: what was written, what is
// promised, how large the error is, and where the model lies.
func run(ctx context.Context, c pipelines.Config, out io.Writer) error {
	plan, err := pipelines.Plan(ctx, c) // every fault at once, before anything is read
	if err != nil {
		return err
	}
	if err := plan.WriteText(out); err != nil {
		return err
	}
	result, err := pipelines.Synth(ctx, c) // spends the budget, once
	if err != nil {
		return err
	}
	return result.WriteText(out)
}
