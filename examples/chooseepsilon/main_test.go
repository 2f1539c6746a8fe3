package main

import (
	"fmt"
	"os"
)

func Example() {
	if err := run("../visits/visits.yaml", 50_000, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ε    average TV  noise on any cell  method
	// 0.1  0.025       2.75 %             dpam
	// 0.3  0.012       0.96 %             dpam
	// 1    0.004       0.30 %             dpam
	// 3    0.002       0.11 %             dpam
	// 10   0.001       0.04 %             dpam
}
