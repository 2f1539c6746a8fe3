package parquetio_test

import (
	"fmt"

	_ "github.com/dapple-dp/dapple/io/parquetio" // registers the format
	"github.com/dapple-dp/dapple/io/table"
)

// The blank import is all that a program needs to read and write the format.
func Example() {
	f, known := table.FormatOf("parquet")
	fmt.Println(known, f.Extensions[0], f.NewWriter != nil)
	// Output: true .parquet true
}
