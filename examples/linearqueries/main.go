// Command linearqueries answers: how do I use the paper's methods on queries of my own? Random queries, a parity and a
// half-space are answered by DPAM and by DPFW.
//
//	go run ./examples/linearqueries
package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Record is one of 64 possible records, which the paper calls the universe.
type Record struct{ A, B, C int64 }

var universe = &domain.Domain{Attributes: []domain.Attribute{column("A"), column("B"), column("C")}}

func column(name string) domain.Attribute {
	return domain.Attribute{Name: name, Type: domain.Int64, Values: []string{"0", "1", "2", "3"}, HasFallback: true}
}

// workload has 50 random queries from the universe to [−1, 1], a parity and a half-space.
func workload() query.Workload {
	sizes, rng := universe.Sizes(), rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, 50)
	for i := range rows {
		for range 64 {
			rows[i] = append(rows[i], 2*rng.Float64()-1)
		}
	}
	random, err := query.NewLinear(rows)
	parity, err2 := query.Parity(sizes, domain.Clique{0, 1})
	position := [][]float64{{0, 1, 2, 3}, {0, 1, 2, 3}}
	half, err3 := query.HalfSpace(sizes, domain.Clique{0, 2}, []float64{1, 2}, position, 6) // A + 2C ≥ 6
	if err != nil || err2 != nil || err3 != nil {
		panic("the queries above are right") // and a program that reads queries returns the errors
	}
	return query.Workload{Sizes: sizes, Marginals: []query.Marginal{{Clique: domain.All(3), Weight: 1, Queries: random}, parity, half}}
}

func init() {
	beam.RegisterType(reflect.TypeFor[Record]())
	register.Function1x0(note)
}

// noted is where this example's pipelines leave their releases; a real one writes them by tables.Write.
var noted = make(chan *synth.Artifact, 1)

func note(a *synth.Artifact) { noted <- a }

func main() {
	if err := run(os.Stdout, 5000); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

// run prints, for each method, the answers to the parity and the half-space beside the true ones, which a real program does not have.
func run(out io.Writer, people int) error {
	beamlog.LogLevel = "error"
	beam.Init()
	table, asked := make([]Record, people), workload()
	truth := make([]float64, len(asked.Marginals))
	for i := range table {
		table[i] = Record{int64(i % 4), int64(i / 3 % 4), int64((i + i/7) % 4)}
		cells := []int64{0, 4*table[i].A + table[i].B, 4*table[i].A + table[i].C}
		for k := 1; k < len(truth); k++ {
			truth[k] += asked.Marginals[k].Queries.Value(0, int(cells[k]))
		}
	}
	for _, ask := range []struct {
		method string
		delta  dp.Delta
	}{{"dpam", 1e-9}, {"dpfw", 0}} {
		p, s := beam.NewPipelineWithRoot()
		_, release := synth.Synthesize(s, beam.CreateList(s, table), synth.Params{
			Domain: universe, Epsilon: 1, Delta: ask.delta, Method: ask.method, Workload: asked, Units: float64(people),
		})
		beam.ParDo0(s, note, release.Artifacts(s))
		if _, err := beam.Run(context.Background(), "direct", p); err != nil {
			return err
		}
		a := <-noted
		answers := a.Answers(asked)
		for k, name := range []string{"parity", "half-space"} {
			x := answers[len(answers)-2+k]
			fmt.Fprintf(out, "%s: %s is about %.0f, %.0f to %.0f (95 %%); true %.0f\n", a.Method, name, x.Value, x.Low(), x.High(), truth[k+1])
		}
	}
	return nil
}
