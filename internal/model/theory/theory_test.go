package theory

import "fmt"

func ExampleSampling() {
	fmt.Printf("a table of 48,842 people is off by up to %.4f in one of 14,955 cells\n", Sampling(14_955, 48_842, .05))
	// Output: a table of 48,842 people is off by up to 0.0117 in one of 14,955 cells
}
