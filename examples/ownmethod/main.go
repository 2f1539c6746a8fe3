// Command ownmethod answers: can I use an algorithm of my own? Package oneway registers one; importing it
// is all that a pipeline needs to name it, and so does the command dapple with the same import in its main.
//
//	go run ./examples/ownmethod
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/dapple-dp/dapple/dp/domain"
	_ "github.com/dapple-dp/dapple/examples/ownmethod/oneway"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Order is a record of the pipeline.
type Order struct {
	Customer string
	Size     string
	Express  bool
}

func init() {
	beam.RegisterType(reflect.TypeFor[Order]())
	register.Function1x1(size)
	register.Function2x0(note)
}

// orders is what an order can be.
var orders = &domain.Domain{PrivacyID: "customer", Attributes: []domain.Attribute{
	{Name: "size", Type: domain.String, Values: []string{"small", "large"}, HasFallback: true},
	{Name: "express", Type: domain.Bool, Values: []string{"false", "true"}, HasFallback: true},
}}

func size(o Order) string { return o.Size }

// noted is where this example's pipeline leaves its counts; a real one writes them to a sink.
var noted = make(chan string, 10)

func note(size string, n int) { noted <- fmt.Sprintf("%d %s orders\n", n, size) }

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	beamlog.LogLevel = "error"
	beam.Init()
	p, s := beam.NewPipelineWithRoot()
	all := make([]Order, 6000)
	for i := range all {
		all[i] = Order{Customer: fmt.Sprint("c", i), Size: []string{"small", "small", "large"}[i%3], Express: i%5 == 0}
	}

	synthetic, _ := synth.Synthesize(s, beam.CreateList(s, all), synth.Params{
		Domain: orders, Epsilon: 5, Delta: 1e-9, Rows: 900, Method: "oneway",
	})

	beam.ParDo0(s, note, stats.Count(s, beam.ParDo(s, size, synthetic)))
	if _, err := beam.Run(context.Background(), "direct", p); err != nil {
		return err
	}
	close(noted)
	for line := range noted {
		fmt.Fprint(out, line)
	}
	return nil
}
