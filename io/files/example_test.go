package files_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/io/files"
)

// A store lists the objects that match a pattern.
func ExampleMatch() {
	for _, name := range []string{"gs://b/people-1.csv", "gs://b/old/people-1.csv"} {
		fmt.Println(files.Match("gs://b/people-*.csv", name), files.Match("gs://b/**.csv", name))
	}
	// Output:
	// true true
	// false true
}
