// Command bigquery answers: how does a table of BigQuery become a synthetic one in BigQuery? The rows are
// staged, and one load job with a name of its own puts all of them into the table or none, however often
// it is tried. Statement and model go to a directory.
//
//	go run ./examples/bigquery -domain people.yaml -from bq://shop.raw.people -to bq://shop.public.people -release gs://shop-public/people
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

	"github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/gs"
	"github.com/dapple-dp/dapple/pipelines"
)

func main() {
	c := pipelines.Config{Epsilon: 1, Delta: 1e-9, Progress: os.Stderr}
	flag.StringVar(&c.Domain, "domain", "people.yaml", "domain file")
	flag.StringVar(&c.Input, "from", "", "the private table, bq://project.dataset.table")
	flag.StringVar(&c.Output, "to", "", "the table to write, bq://project.dataset.table")
	flag.StringVar(&c.Release, "release", "", "directory for statement and model")
	flag.StringVar(&c.Store, "staging", "", "gs:// directory for staged rows; default: this machine")
	pays := flag.String("pays", "", "project that pays for queries; default: the tables' own")
	emulator := flag.String("emulator", "", "URL of an emulator, in place of the service")
	beamlog.LogLevel = "error"
	flag.Parse()
	beam.Init()
	bigqueryio.Configure(&c.Services, func(o *bigqueryio.Options) {
		o.Project = *pays
		if *emulator != "" {
			o.Endpoint, o.Anonymous = *emulator, true
			o.Read.Pin = bigqueryio.AsRead // an emulator cannot look back
		}
	})
	c.Labels = map[string]string{"made_by": "dapple"}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

// run writes the table and says what was promised. With Write "append" or "truncate" a table that has
// rows may be written too; the default refuses it before anything is spent.
func run(ctx context.Context, c pipelines.Config, out io.Writer) error {
	if err := pipelines.Validate(ctx, c); err != nil { // columns and types of both tables, all faults at once
		return fmt.Errorf("nothing was read or spent:\n%w", err)
	}
	result, err := pipelines.Synth(ctx, c)
	if err != nil {
		return err
	}
	return result.WriteText(out)
}
