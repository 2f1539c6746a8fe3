package avroio_test

import (
	"fmt"

	_ "github.com/dapple-dp/dapple/io/avroio" // registers the format
	"github.com/dapple-dp/dapple/io/table"
)

// The blank import is all that a program needs to read the format.
func Example() {
	f, known := table.FormatOf("avro")
	fmt.Println(known, f.Extensions[0], f.NewWriter != nil)
	// Output: true .avro false
}
