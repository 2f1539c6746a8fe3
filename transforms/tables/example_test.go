package tables_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// Order is a record of the pipeline that gains the stage.
type Order struct {
	Customer string
	Country  string
	Items    int64
}

func init() { beam.RegisterType(reflect.TypeFor[Order]()) }

// orders is what an order can be: public facts, none of them read off the records.
var orders = &domain.Domain{PrivacyID: "customer", Attributes: []domain.Attribute{
	{Name: "country", Type: domain.String, Values: []string{"FR", "IT", "PT"}, HasFallback: true},
	{Name: "items", Type: domain.Int64, Cuts: []int64{1, 2, 5, 100}, Resolution: 1, HasFallback: true},
}}

// records are 3000 orders of 1500 customers.
func records() []Order {
	all := make([]Order, 3000)
	for i := range all {
		all[i] = Order{fmt.Sprint("c", i%1500), []string{"FR", "IT", "PT"}[i%3], int64(1 + i%9)}
	}
	return all
}

// Rows go to a directory of Parquet files. Statement, model, marginals and report go beside them, and a manifest comes last.
// A second start with the same RunID finds the release in the store, and does not spend again.
func ExampleWrite() {
	beamlog.LogLevel = "error"
	dir, err := os.MkdirTemp("", "orders")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.CreateList(s, records()), synth.Params{
		Domain: orders, Epsilon: 1, Delta: 1e-9, Rows: 1000, Store: tables.Store(filepath.Join(dir, "releases")), RunID: "orders-2026-11-24",
	})
	out := filepath.Join(dir, "orders")
	published := tables.Write(s, tables.Sample{Release: release, Rows: 1000}, table.Target{Output: out})
	passert.Count(s, published, "publications", 1)
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"orders", "orders.release"} {
		files, _ := filepath.Glob(filepath.Join(dir, name, "*"))
		for _, f := range files {
			fmt.Println(name + "/" + filepath.Base(f))
		}
	}
	// Output:
	// orders/part-00000-of-00001.parquet
	// orders.release/_errors.json
	// orders.release/_manifest.json
	// orders.release/_marginals.parquet
	// orders.release/_model.arrow
	// orders.release/_privacy.json
	// orders.release/_report.html
}
