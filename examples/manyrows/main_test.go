package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// The number of rows is the released number of people, not of purchases; a third of them have one
// purchase, as a sixth of the purchases have. At ε = 2 the released number has a standard deviation of 30, and
// the share one of 0.0024 (40 runs): the figures below hold within 16 and 25 of them, so that a run fails by
// chance less than once in 10^50.
func Example() {
	dir, err := os.MkdirTemp("", "manyrows")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "customers.txt")
	if err := run(out); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(out)
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, once := 0.0, 0.0
	for line := range strings.Lines(string(text)) {
		rows++
		if strings.HasPrefix(line, "1 ") {
			once++
		}
	}
	fmt.Printf("%d purchases, about %.0f thousand people\n", len(purchases()), rows/1000)
	fmt.Println("a third of them bought once:", math.Abs(once/rows-1.0/3) < 0.06)
	// Output:
	// 3999 purchases, about 2 thousand people
	// a third of them bought once: true
}
