package bisect_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/internal/kit/bisect"
)

func ExampleBorder() {
	root, _ := bisect.Border(0, 2, func(x float64) bool { return x*x > 2 })
	fmt.Println(root)
	// Output: 1.414213562373095
}
