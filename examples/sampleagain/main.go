// Command sampleagain answers: can I have more rows later, and only some of them? A released model
// gives as many as anybody likes, at no privacy cost, and under a condition on its columns.
//
//	go run ./examples/sampleagain -model out -where 'age>=65' -output older -rows 1000
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	_ "github.com/dapple-dp/dapple/io/csvio"
	_ "github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/pipelines"
)

func main() {
	c := pipelines.SampleConfig{Progress: os.Stderr, Format: "csv", Shards: 1}
	flag.StringVar(&c.Model, "model", "out", "what synth has written: its output, or a _model.arrow")
	flag.StringVar(&c.Where, "where", "", "condition on columns, such as 'age>=65 AND sex=Female'")
	flag.StringVar(&c.Output, "output", "more", "directory for the rows")
	flag.Int64Var(&c.Rows, "rows", 0, "rows to write; 0: as many as the model stands for")
	beamlog.LogLevel = "error"
	flag.Parse()
	beam.Init()
	if err := run(context.Background(), c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

// run needs neither the private table nor its domain file: the model holds all that is public.
func run(ctx context.Context, c pipelines.SampleConfig, out io.Writer) error {
	result, err := pipelines.Sample(ctx, c) // also says what a condition got wrong, and at which character
	if err != nil {
		return err
	}
	return result.WriteText(out)
}
