package s3_test

import (
	"fmt"

	_ "github.com/dapple-dp/dapple/io/s3"
	"github.com/dapple-dp/dapple/io/table"
)

// The import alone makes names of S3 known.
func Example() {
	for _, name := range []string{"s3://bucket/people-*.csv", "s3://bucket/a?b.csv", "ftp://bucket/people.csv"} {
		fmt.Println(name, table.CheckName(name) == nil)
	}
	// Output:
	// s3://bucket/people-*.csv true
	// s3://bucket/a?b.csv false
	// ftp://bucket/people.csv false
}
