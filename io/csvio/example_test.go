package csvio_test

import (
	"fmt"

	_ "github.com/dapple-dp/dapple/io/csvio" // registers the format
	"github.com/dapple-dp/dapple/io/table"
)

// The blank import is all that a program needs to read and write the format.
func Example() {
	f, known := table.FormatOf("csv")
	fmt.Println(known, f.Extensions[0], f.NewWriter != nil)
	// Output: true .csv true
}
