package bigqueryio_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/io/bigqueryio"
	"github.com/dapple-dp/dapple/io/table"
)

// The import is all that a program needs to read and write tables; Configure says who pays.
func ExampleConfigure() {
	var services table.Options
	bigqueryio.Configure(&services, func(o *bigqueryio.Options) { o.Project = "clinic" })
	bigqueryio.Configure(&services, func(o *bigqueryio.Options) { fmt.Println(o.Project) })
	// Output: clinic
}
