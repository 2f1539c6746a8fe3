package outside

import (
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Order is a record of all programs here.
type Order struct {
	Customer string `dapple:"customer"`
	Country  string `dapple:"country"`
	Items    int64  `dapple:"items"`
}

// Sold is an Order without the person.
type Sold struct {
	Country string `dapple:"country"`
	Items   int64  `dapple:"items"`
}

func init() {
	beam.RegisterType(reflect.TypeFor[Order]())
	beam.RegisterType(reflect.TypeFor[Sold]())
}

var orders = &domain.Domain{PrivacyID: "customer", Attributes: []domain.Attribute{
	{Name: "country", Type: domain.String, Values: []string{"FR", "IT", "PT"}, HasFallback: true},
	{Name: "items", Type: domain.Int64, Cuts: []int64{1, 2, 5, 100}, Resolution: 1, HasFallback: true},
}}

func records(n int) (all []Order) {
	for i := range n {
		all = append(all, Order{fmt.Sprint("c", i/2), []string{"FR", "IT", "PT"}[i/2%3], int64(1 + i%9)})
	}
	return all
}
