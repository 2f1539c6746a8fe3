package outside

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// Home says where a customer lives, and Tax what a country takes.
type (
	Home struct{ Customer, Country string }
	Tax  struct {
		Country string
		Percent float64
	}
	Taxed struct {
		Country string
		Items   int64
		Percent float64
	}
)

func init() {
	beam.RegisterType(reflect.TypeFor[Home]())
	beam.RegisterType(reflect.TypeFor[Tax]())
	beam.RegisterType(reflect.TypeFor[Taxed]())
	register.Function1x2(byCustomer)
	register.Function1x2(byHome)
	register.Function4x0(moved)
	register.Function1x2(bySold)
	register.Function1x2(byTax)
	register.Function4x0(taxed)
	register.Iter1[Order]()
	register.Iter1[Home]()
	register.Iter1[Sold]()
	register.Iter1[Tax]()
	register.Emitter1[Order]()
	register.Emitter1[Taxed]()
}

func byCustomer(o Order) (string, Order) { return o.Customer, o }
func byHome(h Home) (string, Home)       { return h.Customer, h }
func bySold(o Sold) (string, Sold)       { return o.Country, o }
func byTax(t Tax) (string, Tax)          { return t.Country, t }

func moved(_ string, orders func(*Order) bool, homes func(*Home) bool, emit func(Order)) {
	var h Home
	homes(&h)
	for o := (Order{}); orders(&o); {
		o.Country = h.Country
		emit(o)
	}
}

func taxed(_ string, rows func(*Sold) bool, taxes func(*Tax) bool, emit func(Taxed)) {
	var t Tax
	taxes(&t)
	for o := (Sold{}); rows(&o); {
		emit(Taxed{o.Country, o.Items, t.Percent})
	}
}

// joins: two tables joined before the stage, a third behind it.
func joins(ctx context.Context, ordersAt, homesAt, taxesAt, out string) error {
	p, s := beam.NewPipelineWithRoot()
	var in [3]beam.PCollection
	for i, t := range []reflect.Type{reflect.TypeFor[Order](), reflect.TypeFor[Home](), reflect.TypeFor[Tax]()} {
		from, err := table.Find(ctx, []string{ordersAt, homesAt, taxesAt}[i], nil)
		if err != nil {
			return err
		}
		in[i] = tables.ReadStructs(s, from, t, schema.CSV{})
	}
	private := beam.ParDo(s, moved, beam.CoGroupByKey(s, beam.ParDo(s, byCustomer, in[0]), beam.ParDo(s, byHome, in[1])))
	rows, _ := synth.Synthesize(s, private, synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, As: reflect.TypeFor[Sold]()})
	joined := beam.ParDo(s, taxed, beam.CoGroupByKey(s, beam.ParDo(s, bySold, rows), beam.ParDo(s, byTax, in[2])))
	tables.Write(s, tables.Structs{Rows: joined}, table.Target{Output: out, RunID: "joins"})
	_, err := beam.Run(ctx, "direct", p)
	return err
}
