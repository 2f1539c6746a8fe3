package dpam_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/solver/dpam"
)

func ExampleMethod() {
	fmt.Println(dpam.Method(dpam.Settings{Iterations: 20}))
	// Output: dpam{"iterations":20}
}
