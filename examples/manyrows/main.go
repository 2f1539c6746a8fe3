// Command manyrows answers: my table has many rows for each person; what happens to them? The promise is
// about people, so one record of each is used. This program makes that record say more, by summing up
// each person's purchases first. Every record that comes out depends on one person alone, which is all
// that the promise needs.
//
//	go run ./examples/manyrows -out customers.txt
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Purchase is one of many rows of a person.
type Purchase struct {
	Person string
	Cents  int64
}

// Customer sums up a person.
type Customer struct {
	Person    string
	Purchases int64
	Cents     int64
}

func init() {
	beam.RegisterType(reflect.TypeFor[Purchase]())
	beam.RegisterType(reflect.TypeFor[Customer]())
	register.Function1x2(byPerson)
	register.Function2x1(sumUp)
	register.Function1x1(line)
	register.Iter1[Purchase]()
}

var customers = &domain.Domain{PrivacyID: "person", Attributes: []domain.Attribute{
	{Name: "purchases", Type: domain.Int64, Cuts: []int64{0, 1, 2, 3, 4, 6, 10, 100}, Resolution: 1, HasFallback: true},
	{Name: "cents", Type: domain.Int64, Cuts: []int64{0, 1000, 2000, 5000, 10000, 1000000}, Resolution: 1, HasFallback: true},
}}

func byPerson(p Purchase) (string, Purchase) { return p.Person, p }

func sumUp(person string, purchases func(*Purchase) bool) Customer {
	c := Customer{Person: person}
	for p := (Purchase{}); purchases(&p); {
		c.Purchases++
		c.Cents += p.Cents
	}
	return c
}

func line(c Customer) string { return fmt.Sprint(c.Purchases, " ", c.Cents) }

// purchases stands for the table: 2,000 people of 1, 2 or 3 purchases of 10 euros.
func purchases() []Purchase {
	var all []Purchase
	for i := range 2000 {
		for range 1 + i%3 {
			all = append(all, Purchase{fmt.Sprint("p", i), 1000})
		}
	}
	return all
}

func main() {
	out := flag.String("out", "customers.txt", "file to write")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, err) // Beam takes the standard log for itself
		os.Exit(1)
	}
}

func run(out string) error {
	beamlog.LogLevel = "error"
	beam.Init()
	p, s := beam.NewPipelineWithRoot()

	rows := beam.CreateList(s, purchases())
	people := beam.ParDo(s, sumUp, beam.GroupByKey(s, beam.ParDo(s, byPerson, rows)))
	synthetic, _ := synth.Synthesize(s, people, synth.Params{Domain: customers, Epsilon: 2, Delta: 1e-9})
	textio.Write(s, out, beam.ParDo(s, line, synthetic))

	_, err := beam.Run(context.Background(), "prism", p)
	return err
}
