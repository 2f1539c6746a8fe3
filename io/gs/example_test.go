package gs_test

import (
	"fmt"

	_ "github.com/dapple-dp/dapple/io/gs"
	"github.com/dapple-dp/dapple/io/table"
)

// The import alone makes names of Cloud Storage known.
func Example() {
	for _, name := range []string{"gs://bucket/people-*.csv", "gs://bucket/a?b.csv", "ftp://bucket/people.csv"} {
		fmt.Println(name, table.CheckName(name) == nil)
	}
	// Output:
	// gs://bucket/people-*.csv true
	// gs://bucket/a?b.csv false
	// ftp://bucket/people.csv false
}
