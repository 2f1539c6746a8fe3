package discover_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/transforms/discover"
)

// What can be found is known before anything is read: with fewer people than this, most of a table would not be seen.
func ExampleParams_Outlook() {
	p := discover.Params{
		Columns: []discover.Column{{Name: "sex", Untyped: true}, {Name: "age", Untyped: true}, {Name: "town", Untyped: true}},
		Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10),
	}
	o, err := p.Outlook()
	if err != nil {
		panic(err)
	}
	_, needed := o.Enough(0)
	fmt.Printf("a category needs %.0f people, so %.0f people would do\n", o.Value, needed)
	// Output: a category needs 204 people, so 2550 people would do
}
