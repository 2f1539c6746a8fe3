package tables_test

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Order is a record of the pipeline that gains the stage.
type Order struct {
	Customer string
	Country  string
	Items    int64
}

func init() {
	beam.RegisterType(reflect.TypeFor[Order]())
	register.Function1x1(named)
	beamlog.LogLevel = "error"
}

// orders is what an order can be.
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

// named gives an order to somebody.
func named(o Order) Order {
	o.Customer = "c"
	return o
}
